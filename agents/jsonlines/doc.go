// Package jsonlines reads session files forwards: files of JSON objects, one a line, as several programs append them at
// the same time and die while they do.
//
// Measured in real files, and survived: two objects on one line, because one writer's newline came late; a line cut
// off in the middle, at the end of the file or before another writer's whole line; blank lines, a byte order mark,
// CRLF, JSON that is not an object; lines of many megabytes, because images travel as base64.
//
// Promises:
//
//   - Every object is given once, in the file's order, with the offset of its first byte; what says something and is
//     not given is counted ([Faults]).
//   - A last line without its newline is given only if it is whole. Otherwise a program is still writing it:
//     it begins at [Reader.End], from which to continue when the file has grown.
//   - Memory is bounded: a line beyond [MaxLine] is skipped and counted.
package jsonlines
