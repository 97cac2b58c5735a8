// Package rename finds the older name of a file that has a new one.
//
// Git and the work tree do not record renames. A row of the one table is a set of contents that lost their name: for
// example, the files that were deleted in the same look, the files that git overwrote, or the files that a stash took.
// At every moment the rows are searched in the same order. A cell says whether a row applies at a moment, and why
// (package moment); the default row fills in missing cells.
//
// So all moments give the same result for the same evidence. For example: an agent wrote a.txt, a person moved it to
// b.txt and restored a.txt from a commit. The blame of b.txt is the same now and after the next boundary.
//
// An equal content in a set is the older one. Otherwise it is the most similar content, if half of the text is equal
// (Alike).
//
// The package does not use owners, writes nothing, and does not follow single lines.
package rename
