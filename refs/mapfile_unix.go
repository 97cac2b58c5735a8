//go:build unix

package refs

import (
	"os"

	"golang.org/x/sys/unix"
)

// mapFile maps a file for reading. The bytes are invalid after `release` is called.
func mapFile(f *os.File, size int64) (data []byte, release func(), err error) {
	data, err = unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		return nil, nil, err
	}
	return data, func() { _ = unix.Munmap(data) }, nil
}
