// Package index finds events by a name in them: a commit, a patch, a conversation, a tool call, a prompt, a path, or
// the beginning of an id. It covers this clone's log and the fetched logs together, and each event names its writer.
//
// It promises:
//
//   - Its answers are in the logs at the moment at which it was opened. It reads the texts of package events, which
//     hold only hashed and chained data. It hashes each event again before it gives it out.
//   - A fetched log with a fault is left out as a whole, with a note. It cannot hide or change this clone's log.
//   - The logs of others share one text and one bucket, so a lookup costs the same for a thousand of them as for one. A
//     row names its log; rows of a log that is not read do not count.
//   - Its file is a cache: it may be deleted at any moment, and a killed build leaves nothing that is believed. Where
//     nothing can be written, everything is done in memory.
//   - Readers do not wait for a build: they index missing events for themselves.
//
// It lives apart from package events because it links an embedded database (bbolt), which hooks must not carry. The
// file holds the greater part; the events since the last build are indexed in memory, so that a reader writes only when
// there are enough of them.
package index
