// Package history reads the changes of each commit of a range, line by line. Searches for the origin of lines use it.
//
// Parents come before children. The lines come from git's diff without context. Renames are followed as in
// git-blame(1), whatever the user has configured. Merges are yielded without changes.
//
// The package starts two git processes for a range of any length, and keeps one commit in memory.
package history
