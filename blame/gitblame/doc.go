// Package gitblame gives the same answer as git blame, but faster. It does not find owners.
//
//	Parse     parses the arguments into Options: git-trace's own and git's
//	Open      finds the file among the words, and reads git's configuration
//	answer    gives entries from the cache, from git, or from both (cache.go)
//	Parser    parses git's porcelain stream into entries, and keeps git's own bytes
//
// Git runs once, with the user's own arguments, in the user's own directory, unless the cache has the answer. The cache
// gives the same bytes as git, in every format (cache_test.go).
package gitblame
