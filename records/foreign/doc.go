// Package foreign has the common parts of the readers of exchange formats: it finds the rows of a file without decoding
// them, and makes conversations from rows.
//
// A file is one JSON object, an array of objects, or a sequence of objects; it may be compressed with gzip or zstd. An
// error gives the line, or the element of the array, and the byte in the file. A reader counts every element of a row,
// as taken or as skipped.
package foreign
