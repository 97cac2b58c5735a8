package gitdiff

import "bytes"

// looksAhead is the number of bytes in which git searches for a NUL (buffer_is_binary).
const looksAhead = 8000

// Binary reports whether git would treat a content as binary, unless an attribute decides. Git shows no lines of binary
// files.
func Binary(content []byte) bool {
	return bytes.IndexByte(content[:min(len(content), looksAhead)], 0) >= 0
}
