// Package gitblame gives the same answer as git blame, but faster. It does not find owners.
//
//	Parse     the argument vector into Options (what is ours, what is git's)
//	Open      which word is the file; git's configuration
//	answer    entries from the cache, from git, or from both (cache.go)
//	Parser    git's porcelain stream into entries, with git's own bytes kept
//
// Git runs once, with the user's own arguments, in the user's own directory, unless the cache has the answer. The cache
// gives the same bytes as git, in every format (cache_test.go).
package gitblame
