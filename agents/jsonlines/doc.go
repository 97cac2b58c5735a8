// Package jsonlines reads session files forwards. They have one JSON object on each line, and are appended by several
// programs at the same time, which may be killed while they write.
//
// It handles all faults that were seen in real files: two objects on one line, because one writer's newline came late;
// a line that is cut off, at the end of the file or before another writer's line; blank lines, a byte order mark, CRLF,
// JSON that is not an object; lines of many megabytes with images in base64.
//
// Promises:
//
//   - Every object is returned once, in the file's order, with the offset of its first byte. Content that is not
//     returned is counted ([Faults]).
//   - A last line without a newline is returned only if it is complete. Otherwise a program is still writing it: it
//     begins at [Reader.End], where reading continues after the file has grown.
//   - Memory is bounded: a line longer than [MaxLine] is skipped and counted.
package jsonlines
