// Package index finds events by a name in them: a commit, a patch, a conversation, a tool call, a prompt, a path,
// or the beginning of an id. It covers this clone's log and those that were fetched, as a union, and each event
// says who wrote it.
//
// It promises:
//
//   - What it answers is in the logs at the moment it was opened. It reads the texts of package events, which hold
//     nothing that was not hashed and chained. It hashes each event again before it gives it out.
//   - A fetched log with anything wrong in it is left out as a whole, with a note; it can neither stop nor change what
//     this clone's log says.
//   - The logs of others share one text and one bucket, so a thousand of them cost a lookup what one does. A row says
//     of which log it is; rows of a log that is not read count for nothing.
//   - Its file is a cache: it may be deleted at any moment, and a killed build leaves nothing that is believed. Where
//     nothing can be written, everything is done in memory.
//   - Readers do not wait for a build: what the file lacks, they index for themselves.
//
// It lives apart from package events because it links an embedded database (bbolt), which hooks must not carry. The
// file holds the greater part; the events since the last build are indexed in memory, so that a reader writes only when
// enough has come together.
package index
