// Package man holds the manual pages, so that a program that was installed without them can write them. Tests of
// cmd/git-trace make the pages from the texts of the commands.
package man

import "embed"

// Pages are the pages, below man1.
//
//go:embed man1/*.1
var Pages embed.FS
