// Package vector knows who owns every line of one file content, and carries that knowledge from content to content.
//
// A [Vector] is the ownership of one content, run-length coded. [Compare] finds what one change did to the lines of a
// file. [Moves] finds blocks that went from one place to another, within or between the files of one interval.
// [Change.Resolve] answers with the vector of the new content. [Compose] makes a vector for a content that was never
// seen, such as a partly staged file.
//
// Ownership follows content, not the last process that touched the file:
//
//  1. A line that is kept byte for byte keeps its owner.
//  2. A line is its words. The same words in other signs keep their owners, in either direction: white space, line
//     ends, quotation marks, commas, semicolons, brackets, and text wrapped or joined differently.
//  3. A line whose other content changed belongs to whoever changed it, and remembers the agent's patch it replaced.
//  4. A block of three or more lines that moved keeps its owners.
//  5. If only punctuation and blank lines of a text remain, it is a new text.
//
// The package is pure: no files, no processes, no clocks. The same input gives the same vector on every machine;
// testdata/vectors/ownership holds examples that another implementation can check itself against.
package vector
