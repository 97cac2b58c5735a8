package gitdiff

import "bytes"

// looksAhead is the number of bytes by which git tells whether a content has lines (buffer_is_binary).
const looksAhead = 8000

// Binary reports whether git would call a content binary, as far as no attribute says otherwise: then it has no
// lines.
func Binary(content []byte) bool {
	return bytes.IndexByte(content[:min(len(content), looksAhead)], 0) >= 0
}
