// Package sharing takes what is recorded to other clones and brings theirs here, through any git remote. What leaves is
// chosen by the person, shown before it goes, and bound to the URL that the person saw. One writer has one set of refs
// there, so pushes never conflict; what was fetched is read beside this clone's log and never merged into it.
//
// The words: a digest is a log of its own with those events that tell who wrote the lines of published commits; a
// publication is the commit that holds one. Their forms are described in docs/format.md.
package sharing
