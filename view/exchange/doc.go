// Package exchange reads and writes conversations in the formats of other programs. It recognises a file by its
// beginning, and reads session files of agents too.
//
// A conversation that leaves is redacted, unless the user wants it as it is. A file with a fault gives no conversation,
// unless its bad rows may be skipped. Several conversations are converted at once, and written in order.
package exchange
