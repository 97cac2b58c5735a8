// Package diff is git's diff with the owner of each added and removed line.
//
// Git runs once with the user's arguments, and its output is the patch: this package compares nothing. Package blame
// finds the owner of a line ([blame.Query], [blame.Owners]). To be fast, this package asks blame about few lines, for
// all files at once:
//
//   - the owners of uncommitted lines come from the timeline;
//   - if one commit of a range made the whole change of a file, that commit added the lines;
//   - if several commits changed a file one after the other, their patches lead each line to its commit;
//   - for any other file, git blames the lines on the side that has them.
//
// Invariants, and where they are tested:
//
//   - Without the margin the output is git's, byte for byte (cmd/git-trace, diff_test.go).
//   - On both sides a line has the same owner as in `git trace blame` (the same test, on random histories).
//   - The figures add up to the figures of `git diff --numstat` (the same test).
//   - For a diff that this package cannot read, the error is [ErrGit], and the caller shows git's own output.
//
// It draws nothing.
package diff
