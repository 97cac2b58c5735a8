// Package linediff compares two texts line by line.
//
// [Diff] returns the hunks that turn one list of lines into another. They are almost always the hunks that
// `git diff -U0` prints, because ownership must agree with what `git blame` will say about the same change. Three
// things achieve this. Myers' linear-space search has git's limits on its cost. Lines that cannot help are left out as
// in git (prune.go). Groups slide as in git, with its indent heuristic (slide.go, indent.go). The package test compares
// the hunk headers with git's, and checks the share of equal ones.
//
// The package promises:
//
//  1. The hunks are in order and do not touch each other. Applied to the old lines, they give the new lines.
//  2. The same input gives the same hunks on every machine.
//  3. The work is bounded: two texts that have little in common are not compared completely. The result is still a
//     correct script, but longer than necessary, and is marked ([Script.Capped]).
//
// Lines have no line feed, so a missing final newline is not a difference. A carriage return is part of its line. The
// package does not handle owners; package vector does.
package linediff
