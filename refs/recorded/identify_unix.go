//go:build unix

package recorded

import (
	"io/fs"
	"os"
	"syscall"
)

// identify returns the inode number and the other identity data of a directory.
func identify(dir string) (identity, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return identity{}, err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.IsDir() {
		return identity{}, &fs.PathError{Op: "identify", Path: dir, Err: fs.ErrInvalid}
	}
	//nolint:unconvert // the types differ between systems
	return identity{device: uint64(stat.Dev), inode: uint64(stat.Ino)}, nil
}
