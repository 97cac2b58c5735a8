package gitdiff

import "bytes"

// looksAhead is the number of bytes in which git searches a NUL (buffer_is_binary).
const looksAhead = 8000

// Binary reports whether git would call a content binary, unless an attribute decides: then it has no lines.
func Binary(content []byte) bool {
	return bytes.IndexByte(content[:min(len(content), looksAhead)], 0) >= 0
}
