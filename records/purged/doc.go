// Package purged remembers what was purged, without keeping the text. So purged data cannot come back, and an
// interrupted purge can be finished.
//
// A [Set] has the rules of past purges, in <common git dir>/traces/purge/rules. For a purged text it keeps the length
// and two hashes under a key. The small one is a rolling hash, which is compared with every window of a searched text.
// The other one has 128 bits and decides. The key is outside the repository, in the user's state directory, so that a
// copy of the repository is not enough to guess a purged text. With both, one can test guesses: a short password would
// be found. An expression or a path is kept as it was given.
//
// A [Plan] has the steps of a purge. It is written before anything is changed, and removed when the purge is finished.
// It names rules, conversations, paths and objects, and contains no purged text.
//
// Promises:
//
//   - A rule that cannot be applied, because its key is missing or its file is damaged, is an error: nothing is
//     recorded until the user has decided.
//   - Files are written as a whole, flushed to the disk, and readable only by their owner.
package purged
