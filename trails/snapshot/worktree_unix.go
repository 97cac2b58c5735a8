//go:build unix

package snapshot

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// ownEngine reports whether this system supports git-trace's own method.
const ownEngine = true

// workTree is an open work tree. Paths are raw bytes with slashes, relative to its top. "" means the top.
type workTree struct {
	path string
	fd   int
}

func openWorkTree(path string) (*workTree, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open work tree: %w", err)
	}
	return &workTree{path: path, fd: fd}, nil
}

func (w *workTree) close() { _ = unix.Close(w.fd) }

// `another` opens the work tree again, for another worker. If several processors share a descriptor, each call waits
// for its use counter.
func (w *workTree) another() (*workTree, error) {
	fd, err := unix.Openat(w.fd, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open work tree again: %w", err)
	}
	return &workTree{w.path, fd}, nil
}

func (w *workTree) lstat(path string) (fileStat, error) {
	var raw unix.Stat_t
	if err := unix.Fstatat(w.fd, orDot(path), &raw, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return fileStat{}, err
	}
	return fromRaw(&raw), nil
}

func fromRaw(raw *unix.Stat_t) fileStat {
	st := fileStat{
		mtime: raw.Mtim.Nano(),
		ctime: raw.Ctim.Nano(),
		size:  raw.Size,
		ino:   raw.Ino,
		mode:  uint32(raw.Mode), //nolint:unconvert // 16 bits on some systems
	}
	if raw.Nlink > 1 && !st.isDir() {
		st.mode |= linked
	}
	return st
}

// statTarget calls stat(2): it follows symbolic links.
func statTarget(path string) (fileStat, error) {
	var raw unix.Stat_t
	if err := unix.Stat(path, &raw); err != nil {
		return fileStat{}, err
	}
	return fromRaw(&raw), nil
}

func fdStat(f *os.File) (fileStat, error) {
	var raw unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &raw); err != nil {
		return fileStat{}, err
	}
	return fromRaw(&raw), nil
}

// open opens a regular file for reading. It does not follow a symbolic link, and does not block if a FIFO has replaced
// the file.
func (w *workTree) open(path string) (*os.File, error) {
	fd, err := unix.Openat(w.fd, path, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), path), nil
}

func (w *workTree) readLink(path string) ([]byte, error) {
	for size := 256; ; size *= 4 {
		buf := make([]byte, size)
		n, err := unix.Readlinkat(w.fd, path, buf)
		if err != nil {
			return nil, err
		}
		if n < size {
			return buf[:n], nil
		}
	}
}

// readDir lists a directory in any order.
func (w *workTree) readDir(path string) ([]dirName, error) {
	fd, err := unix.Openat(w.fd, orDot(path), unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), w.path+"/"+path) // the full path, for file systems whose listings have no types
	defer func() { _ = f.Close() }()
	list, err := f.ReadDir(-1)
	if err != nil {
		var failed *fs.PathError
		if errors.As(err, &failed) {
			err = failed.Err
		}
		return nil, err
	}
	names := make([]dirName, 0, len(list))
	for _, item := range list {
		kind := kindSpecial
		switch mode := item.Type(); {
		case mode.IsRegular():
			kind = kindFile
		case mode&fs.ModeSymlink != 0:
			kind = kindLink
		case mode.IsDir():
			kind = kindDir
		}
		names = append(names, dirName{item.Name(), kind})
	}
	return names, nil
}

func orDot(path string) string {
	if path == "" {
		return "."
	}
	return path
}

// isGone reports whether an error of lstat means that the path is missing, as git's is_missing_file_error does.
func isGone(err error) bool {
	return errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.ENOTDIR)
}
