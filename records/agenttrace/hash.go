package agenttrace

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/git-trace/git-trace/records"
)

// Hash returns the content hash of lines as it is written: see records.LineHash.
func Hash(lines []string) string { return records.JoinedHash(lines) }

// Holds reports whether a content hash fits the lines. The specification leaves algorithm and form open, so a hash
// that cannot be computed again holds; one of a known form is computed with and without the last line's end.
func Holds(hash string, lines []string) bool {
	algorithm, value, _ := strings.Cut(hash, ":")
	for _, end := range [...]string{"", "\n"} {
		text := strings.Join(lines, "\n") + end
		switch {
		case algorithm == "murmur3" && len(value) == 32:
			_, own, _ := strings.Cut(records.LineHash(text), ":")
			if value == own || value == own[16:]+own[:16] {
				return true
			}
		case algorithm == "sha256" && len(value) >= 8 && len(value) <= 64:
			sum := sha256.Sum256([]byte(text))
			if strings.HasPrefix(hex.EncodeToString(sum[:]), value) {
				return true
			}
		default:
			return true
		}
	}
	return false
}
