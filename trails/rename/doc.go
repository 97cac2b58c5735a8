// Package rename finds the older name of a file that has a new one.
//
// Git keeps no renames, and neither does a work tree. What remains are sets of contents that lost their name: a file
// that was deleted in the same look, one over which git wrote another, one that a stash took. Each set is a row of one
// table. The table is asked in one order, at every moment. Whether a row is asked at a moment, and why, is a cell of
// that row (package moment); the default row has what a row leaves out.
//
// So all moments give the same answer to the same question, as far as they have the same evidence. For example: an
// agent wrote a.txt, a person moved it to b.txt and took a.txt back from a commit. The blame of b.txt says now what the
// next boundary will say.
//
// Of the contents of a set, one that is all the same is the older one. Else it is the most alike, if half of the text
// is (Alike).
//
// The package knows no owner, writes nothing, and does not say what became of the lines.
package rename
