// Package store keeps conversations in git: redacted records on refs/traces/records, one JSON file a conversation.
//
// The ref's commits have one parent each. The tree of the last one holds what is there now, as <first two digits of the
// trace id>/<trace id>.json. Each file is a record as records.Encode writes it. Fetched records lie on
// refs/traces/remotes/<remote>/<writer>/records and are read beside this clone's ref, never merged into it.
//
// Promises:
//
//   - Only a redact.Record is stored.
//   - A change is one commit, made under the ref's lock from the tree that was read under the lock: writers at the same
//     time lose nothing. A record takes the place of the version it was made from, or is refused with ErrMoved.
//   - Records of others are foreign data: what cannot be read is left out and counted, never an error of the whole.
//
// [Store.Put] and [Store.PutAll] write; [Store.Get], [Store.List] and [Store.Walk] read; [Store.Rewrite] takes things
// out of all versions that ever were, for purging.
package store
