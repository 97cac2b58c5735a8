// Package span tells who wrote a range of commits: a branch, a pull request or a release.
//
// Nothing is counted here a second time: package stats counts the lines that commits wrote, and package diff the lines
// in the result. Of lines that moved or that a merge brought, package span says only that they came otherwise.
package span
