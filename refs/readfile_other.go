//go:build !unix

package refs

import (
	"io"
	"os"
)

// ReadFile reads a whole file.
func ReadFile(path string) ([]byte, error) { return os.ReadFile(path) }

// ReadStart reads the beginning of a file. The parameter `most` is the largest number of bytes.
func ReadStart(path string, most int) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, int64(most)))
}

// ReadParts reads a file in parts, and calls the function `take` with each part until `take` returns false. The second
// argument of take is the file's reported size. The next part overwrites the previous one.
func ReadParts(path string, take func(part []byte, size int64) bool) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	room := make([]byte, partRead)
	for {
		n, err := f.Read(room)
		if n > 0 && !take(room[:n], info.Size()) || err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
