// Package diff is git's diff with the owner of each line that came or went.
//
// Git runs once, with the user's own arguments. Its output is the patch: nothing is compared here. Package blame finds
// the owner of a line ([blame.Query], [blame.Owners]). This package asks for few lines, of all files at once:
//
//   - the owners of uncommitted lines come from the timeline;
//   - where one commit of a range made the whole change of a file, the lines it added are its own;
//   - where several commits changed a file, one after the other, their patches lead each line to its commit;
//   - for any other file git blames the lines, of the side that has them.
//
// Invariants, and where they are tested:
//
//   - Without the margin the lines are git's own, byte for byte (cmd/git-trace, diff_test.go).
//   - A line has the owner that `git trace blame` gives it, on both sides (the same test, on random histories).
//   - The figures add up to those of `git diff --numstat` (the same).
//   - A diff that this package does not understand ends with [ErrGit]: the caller then shows git's own output.
//
// It draws nothing.
package diff
