// Package search finds conversations by their words: in prompts and answers, inputs of tool calls, and file names.
//
// The index is in <common git dir>/traces/cache/search. It is disposable: it is built from the records of package store
// and kept up to date with them. It is a list of segments, which are files that are written once. Each segment has the
// texts of some conversations, a sorted list of their words and, for each word, the steps that contain it. A change of
// records makes a new small segment; from time to time small segments are merged.
//
// Promises:
//
//   - A search reads the records as they were when the index was opened. It never finds a replaced version of a record.
//   - A missing, damaged or outdated index is built again. If it cannot be written, the missing part is indexed in
//     memory.
//   - The time of a search depends on how often its words occur, and not on the size of the texts.
//
// Case is ignored. A query word matches a whole word or the beginning of one. Names such as sessionFile and
// session_file are also found by their parts. At most 16 KiB of each step are indexed.
package search
