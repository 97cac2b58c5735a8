// Package purged remembers what was purged without keeping it, so that it does not come back and a purge that was
// interrupted is finished.
//
// A [Set] holds the rules of past purges, in <common git dir>/traces/purge/rules. A text is kept as its length and two
// hashes under a key: a small one, which every window of a text is tried against as it rolls over it, and one of 128
// bits, which decides. The key lies outside of the repository, in the user's state directory, so that a copy of the
// repository does not let anybody guess. Whoever has both can try texts: a password of few letters is found by trying.
// An expression and a path are kept unchanged.
//
// A [Plan] holds the steps of a purge that has begun: it is on the disk before anything is changed, and goes when all
// of it is done. It names rules, conversations, paths and objects, and holds no text.
//
// Promises:
//
//   - A rule that cannot be applied, because its key is gone or its file damaged, is an error: nothing is recorded
//     until the user has decided.
//   - Files are written whole, flushed, and readable by their owner alone.
package purged
