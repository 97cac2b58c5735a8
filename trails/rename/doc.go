// Package rename finds the older name of a file that has a new one.
//
// Git keeps no renames, and neither does a work tree. Some contents lose their name, and each set of them is a row of
// one table: a file that was deleted in the same look, one over which git wrote another, one that a stash took. The
// table is asked in one order, at every moment. Whether a row is asked at a moment, and why, is a cell of that row
// (package moment); the default row fills in for cells that a row leaves out.
//
// So all moments give the same answer to the same question, as far as they have the same evidence. For example: an
// agent wrote a.txt, a person moved it to b.txt and took a.txt back from a commit. The blame of b.txt says the same now
// as after the next boundary.
//
// An equal content of a set is the older one. Otherwise it is the most similar content, if half of the text is equal
// (Alike).
//
// The package does not use owners, writes nothing, and does not compare lines.
package rename
