// Package assess compares and judges records: stored ones, session files and files of exchange formats. A word names a
// file, or else a conversation.
package assess
