// Package linediff compares two texts line by line.
//
// [Diff] answers with the hunks that turn one list of lines into the other. They are almost always the hunks that `git
// diff -U0` prints: ownership has to agree with what `git blame` will later say of the same change. Three things make
// that so. Myers' linear-space search has git's limits on its cost. Lines that cannot help are left out as git does
// (prune.go). Groups slide as git's do, with its indent heuristic (slide.go, indent.go). The package test holds the
// share of equal hunk headers against the real git.
//
// Promises:
//
//  1. The hunks are in order, do not touch each other, and applying them to the old lines gives the new lines.
//  2. The same input gives the same hunks on every machine.
//  3. The work is bounded: two texts that have little in common are not compared to the end. The answer is then still
//     a correct script, only longer than need be, and says so ([Script.Capped]).
//
// Lines carry no line feed, so a missing final newline is not a difference; a carriage return is part of its line.
// Nothing here knows about owners: package vector does.
package linediff
