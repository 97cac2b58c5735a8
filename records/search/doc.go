// Package search finds conversations by what was said and done in them: the words of prompts and answers, the inputs of
// tool calls, the names of files.
//
// The index lies in <common git dir>/traces/cache/search and is disposable: it is made of the records of package store
// and follows them. It is a list of segments, files that are written once. Each has the texts of some conversations, a
// sorted list of their words and, for each word, the steps that hold it. A change of records makes a new small segment;
// small segments are put together now and then.
//
// Promises:
//
//   - A search reads the records as they were when the index was opened. A replaced version of a record
//     is never found.
//   - A missing, damaged or old index is made again. Where nothing can be written, what is missing is indexed in
//     memory.
//   - The time of a search depends on how often the words occur, not on how much text there is.
//
// Words are compared without regard to case, whole or by their beginning; names such as sessionFile and session_file
// are also found by their parts. At most 16 KiB of a step are indexed.
package search
