// Package span describes the owners of a range of commits: a branch, a pull request or a release.
//
// It counts nothing itself: package stats counts the lines that commits wrote, and package diff counts the lines in the
// result. A line that moved, or that came from a merge, counts as "came otherwise". The package draws a report as
// Markdown and answers an auditor's questions (Audit).
package span
