// Package gitdiff reads the output of git's diff plumbing: raw records (git-diff-tree(1), "Raw output format"), and
// after them patches without context.
//
// It returns from any output, with an error if git would not write the form. It counts lines of files, so a line of a
// file cannot be taken for a header. Text is read as bytes: paths come from git's -z, and the caller gives a line its
// meaning.
//
// Paths come from repositories of others. They may hold anything but NUL, and may lead out of the work tree.
package gitdiff
