// Package packed reads session files that a person, or a clean-up program, has compressed with gzip or zstd.
//
// Parsers go back and forth in a file, and databases are files. So a packed file is unpacked into a temporary
// directory, under its name without .gz or .zst, which is removed after the reading. A hook never does that: only
// commands with a named file, or in search of a missing one, do.
package packed
