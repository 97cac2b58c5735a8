// Package foreign holds the common parts of the readers of exchange formats: the rows of a file, found without building
// them, and the conversation that a row becomes.
//
// A file is one JSON object, an array, or one object after the other; it may be compressed with gzip or zstd. An error
// has the line, or the element of the array, and the byte of the file. A reader counts every element of a row, as taken
// or skipped.
package foreign
