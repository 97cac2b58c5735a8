// Package gitdiff reads what git's plumbing says of changes: raw records (git-diff-tree(1), "Raw output format"), and
// behind them patches without context.
//
// It promises to come back from any output, with an error where the output has another form than git gives it. Lines
// of files are counted, so no line of a file can be taken for a header. Text is read as bytes: paths come from git's
// -z, and the caller gives a line its meaning.
//
// Paths come from repositories of others. They may hold anything but NUL, and may lead out of the work tree.
package gitdiff
