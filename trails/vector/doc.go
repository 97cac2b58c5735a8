// Package vector computes the owner of every line of a file's content, from one content to the next.
//
// A [Vector] holds the owners of the lines of one content, run-length coded. [Compare] finds the effect of one change
// on the lines of a file. [Moves] finds blocks that moved within or between the files of one interval. [Change.Resolve]
// returns the vector of the new content. [Origins] finds the owners of a content that was never in the work tree, such
// as a partly staged file.
//
// Ownership depends on content, not on the last process that wrote the file:
//
//  1. A line that stays the same, byte for byte, keeps its owner.
//  2. A line keeps its owner if its words stay the same, whatever their form: white space, line ends, quotation marks,
//     commas, semicolons, brackets, and text that is wrapped or joined differently.
//  3. A line that changes in any other way belongs to the author of the change. It stores the agent's patch that it
//     replaced.
//  4. A block of three or more lines that moved keeps its owners. So does a single line of which only the order
//     changed.
//  5. If only punctuation and blank lines of a text remain, the text counts as new.
//
// The package is pure: it uses no files, processes or clocks. The same input gives the same vector on every machine.
// testdata/vectors/ownership has examples with which another implementation can check itself.
package vector
