// Package events contains the log: its events, its file, and its verification.
//
// An event is one observed fact: a window opened, a hunk with its owner, a commit with the owners of its lines. Events
// are canonical JSON, one line each, chained by BLAKE3. They are appended in batches to a file,
// <common>/traces/events.log. A seal is a commit on refs/traces/events with all events up to some event; its parent is
// the previous seal. docs/format.md specifies both, with vectors in testdata/vectors/events.
//
// The beginning of a file's name shows its purpose. check_ judges consecutive events. copy_ opens a log for readers:
// the sound part of this clone's file, and one file with all logs of others. verify_ reads everything and lists the
// faults. repair_ mends the end of the file after a power failure. All other files append, seal and read.
// rooms_test.go tests the dependencies between them.
//
// Promises:
//
//  1. Append acknowledges a batch only when the file has all of it; otherwise the batch is in the spool and the error
//     says so.
//  2. Number, parent and chain hash of an event come from one read of the tip, made under the append lock.
//  3. Verify hashes stored bytes itself. It does not trust git's checks or a cache, and lists every fault.
//  4. Everything that is read, own or fetched, is checked before it is believed. Foreign bytes never cause a panic and
//     never change state.
//  5. The cache may be deleted at any moment; everything in it is also in the log.
//
// Not promised: a chain alone does not show that its end was cut off, or that somebody with write access rebuilt the
// whole log. That needs an anchor outside the log (see AnchorSource, and package events/checkpoint).
//
// The package does not use agents, snapshots or commits' contents. Package events/index finds events by the things that
// they name. It is separate, because it links an embedded database, which hooks must not link.
package events
