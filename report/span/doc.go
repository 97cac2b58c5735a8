// Package span describes the owners of a range of commits: a branch, a pull request or a release.
//
// It counts nothing itself: package stats counts the lines that commits wrote, and package diff the lines in the
// result. Lines that moved or that a merge brought are counted as lines that came otherwise.
package span
