package refs

import (
	"strings"
)

// partRead is the number of bytes that ReadParts reads at once.
const partRead = 16 << 10

// ReadText reads a file into a string without a second copy in memory.
func ReadText(path string) (string, error) {
	var text strings.Builder
	err := ReadParts(path, func(part []byte, size int64) bool {
		if text.Len() == 0 {
			text.Grow(int(max(size, int64(len(part)))))
		}
		text.Write(part)
		return true
	})
	return text.String(), err
}
