// Package gitblame is git's blame, faster. It gives git's answer and knows no owner.
//
//	Parse     the argument vector into Options (what is ours, what is git's)
//	Open      which word is the file; git's configuration
//	answer    entries from the cache, from git, or from both (cache.go)
//	Parser    git's porcelain stream into entries, with git's own bytes kept
//
// Git runs once, with the user's own arguments, in the user's own directory, unless it has answered before. An answer
// by way of the cache is the one that git gives without it, in every format (cache_test.go).
package gitblame
