// Package store keeps conversations in git: redacted records on refs/traces/records, one JSON file for each
// conversation.
//
// The ref's commits have at most one parent. The tree of the last commit has the current records, as <first two digits
// of the trace id>/<trace id>.json. Each file is a record in the form of records.Encode. Fetched records are on
// refs/traces/remotes/<remote>/<writer>/records. They are read together with this clone's ref, and never merged into
// it.
//
// Promises:
//
//   - Only a redact.Record can be stored.
//   - A change is one commit. It is made under the ref's lock from the tree that was read under the lock, so concurrent
//     writers lose nothing. A record replaces the version from which it was made; otherwise it is refused with
//     ErrMoved.
//   - Records of others are not trusted: an unreadable one is skipped and counted, and is never an error of the whole.
//
// [Store.Put] and [Store.PutAll] write; [Store.Get], [Store.List] and [Store.Walk] read; [Store.Rewrite] removes data
// from all versions, past ones included, for a purge.
package store
