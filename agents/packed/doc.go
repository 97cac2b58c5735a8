// Package packed reads session files that a person, or a program that tidies up, has compressed with gzip or zstd.
//
// Parsers go back and forth in a file, and databases are files. So a packed file is unpacked into a directory of its
// own, under its name without .gz or .zst. That directory is gone when the file has been read. A hook never does that:
// only commands that were told of a file, or look for one that is gone, ask for it.
package packed
