// Package pi knows the Pi coding agent: what stands in its session files, and where it keeps them.
//
// A session is one file, <agent directory>/sessions/--<directory>--/<time>_<id>.jsonl: a header, then entries that form a
// tree by id and parentId; those of the first version have no ids and follow one another. An answer of the model is one
// entry, a result of a call another.
//
// Branches that the user left are told too, in the file's order: what their calls wrote was written. Where a branch begins
// is in the metadata. A fork begins with copies of the other session's entries; they are skipped where that session's file
// is there.
package pi
