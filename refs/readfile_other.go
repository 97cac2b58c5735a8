//go:build !unix

package refs

import (
	"io"
	"os"
)

// ReadFile reads a whole file.
func ReadFile(path string) ([]byte, error) { return os.ReadFile(path) }

// ReadStart reads the first bytes of a file, most of them at most.
func ReadStart(path string, most int) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, int64(most)))
}
