// Package events is the log: what is recorded, how it is written down, and how one knows that nothing was changed.
//
// An event is one fact that was seen: a window opened, a hunk with its owner, a commit with the owners of its lines.
// Events are stored as canonical JSON, one line each, chained by BLAKE3; a batch of them is the message of one commit
// on refs/traces/events. The whole format is specified in docs/format.md, with vectors in testdata/vectors/events.
//
// Its rooms are told by the names of the files. The log itself reads and appends. check_ judges one commit of it, copy_
// is the file that readers keep, verify_ reads all and lists the faults. repair_ puts back what a gc or a rewriting of
// history took. Which room may use which is held by rooms_test.go: what appends uses four functions of repair_, and no
// others.
//
// What it promises:
//
//  1. Append acknowledges a batch only when the ref names it; otherwise the batch is in the spool and the error says
//     so.
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
