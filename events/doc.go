// Package events is the log: what is recorded, how it is written down, and how one knows that nothing was changed.
//
// An event is one fact that was seen: a window opened, a hunk with its owner, a commit with the owners of its lines.
// Events are canonical JSON, one line each, chained by BLAKE3. They are appended in batches to a file,
// <common>/traces/events.log. A seal is a commit on refs/traces/events that holds all events up to one of them; its
// parent is the seal before. docs/format.md specifies both, with vectors in testdata/vectors/events.
//
// Names of files begin with what the file is for. check_ judges events in a row. copy_ opens a log for readers: this
// clone's file up to where it is sound, and one file of all logs of others. verify_ reads all and lists the faults.
// repair_ puts back what a gc or a rewriting of history took. All other files append, seal and read. rooms_test.go
// holds which of these use which.
//
// What it promises:
//
//  1. Append acknowledges a batch only when the file has all of it; otherwise the batch is in the spool and the error
//     says so.
//  2. Number, parent and chain hash of an event come from one read of the tip, made under the append lock.
//  3. Verify hashes stored bytes itself, trusts neither git's checks nor any cache, and lists every fault.
//  4. Whatever is read, own or fetched, is checked before it is believed; foreign bytes never panic and never change
//     state.
//  5. The cache may be deleted at any moment; nothing is in it that the log does not hold.
//
// What it does not promise: a chain alone does not show that its end was cut off. Nor does it show that somebody who
// can write the ref built it anew as a whole. That takes an anchor outside the log (see AnchorSource, and package
// events/checkpoint).
//
// The package knows nothing of agents, snapshots or commits' contents. Package events/index, apart because it links an
// embedded database that the hooks must not carry, finds events by what they name.
package events
