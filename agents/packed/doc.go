// Package packed reads session files that a person or a clean-up program has compressed with gzip or zstd.
//
// Parsers need random access, and databases must be files. So a compressed file is decompressed into a temporary
// directory, under its name without .gz or .zst, and removed after reading. Hooks never do this: only commands do, for
// a file that the user names or for a session file that is missing.
package packed
