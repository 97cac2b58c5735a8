//go:build linux && (amd64 || arm64)

package snapshot

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// statter calls newfstatat(2) repeatedly without allocating. On a large tree this call takes most of the time of a
// snapshot, and os.Lstat can take four times as long.
type statter struct {
	tree *workTree
	buf  []byte
	raw  unix.Stat_t
}

func newStatter(tree *workTree) *statter {
	return &statter{tree: tree, buf: make([]byte, 0, 512)}
}

// lstat returns the stat data of DIR/NAME. An empty name means the directory itself.
func (s *statter) lstat(dir, name string) (fileStat, error) {
	b := s.buf[:0]
	switch {
	case dir == "" && name == "":
		b = append(b, '.')
	case dir == "":
		b = append(b, name...)
	default:
		b = append(b, dir...)
		if name != "" {
			b = append(b, '/')
			b = append(b, name...)
		}
	}
	b = append(b, 0)
	s.buf = b
	//nolint:gosec // both outlive the call; the path ends in a zero byte
	_, _, errno := syscall.Syscall6(unix.SYS_NEWFSTATAT, uintptr(s.tree.fd), uintptr(unsafe.Pointer(&b[0])),
		uintptr(unsafe.Pointer(&s.raw)), unix.AT_SYMLINK_NOFOLLOW, 0, 0)
	if errno != 0 {
		return fileStat{}, errno
	}
	return fromRaw(&s.raw), nil
}
