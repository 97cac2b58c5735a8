// Package history gives what each commit of a range changed, line by line: the input of all searches for the origin of
// lines in commits that no hook has seen.
//
// The commits come in an order in which parents stand before children. The lines are those of git's own diff without
// context, renames followed as git-blame(1) follows them, whatever the user has configured. A merge has no changes of
// its own here.
//
// Two git processes are started for a range of any length, and one commit at a time is held.
package history
