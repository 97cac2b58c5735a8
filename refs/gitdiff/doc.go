// Package gitdiff parses the output of git's diff plumbing: raw records (git-diff-tree(1), "Raw output format"),
// followed by patches without context.
//
// Parsing ends for any input. If git would not write it, the result is an error. The parser counts the lines of hunks,
// so it never takes a line of a file for a header. Text is read as bytes: paths come from git's -z, and the caller
// interprets the lines.
//
// Paths may come from other people's repositories. They may contain anything without NUL, and may lead out of the work
// tree.
package gitdiff
