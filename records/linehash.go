package records

import (
	"encoding/binary"
	"encoding/hex"
	"strings"

	"github.com/twmb/murmur3"
)

// LineHash returns the content hash of attributed lines: "murmur3:" and the 32 hex digits of MurmurHash3_x64_128 with
// seed 0 over the UTF-8 text. The second half of the hash comes first.
func LineHash(text string) string {
	var sum [16]byte
	high, low := murmur3.StringSum128(text)
	binary.BigEndian.PutUint64(sum[:8], low)
	binary.BigEndian.PutUint64(sum[8:], high)
	return "murmur3:" + hex.EncodeToString(sum[:])
}

// JoinedHash returns the LineHash of lines that are joined by line feeds; the lines have no line ends of their own.
func JoinedHash(lines []string) string { return LineHash(strings.Join(lines, "\n")) }
