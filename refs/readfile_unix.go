//go:build unix

package refs

import (
	"io/fs"
	"math"
	"syscall"
)

// ReadFile reads a whole file, like os.ReadFile. os.ReadFile makes five more system calls for each file, to find out
// whether it can be polled. Files of a repository and of /proc cannot be polled, and a hook reads about forty of them.
func ReadFile(path string) ([]byte, error) { return ReadStart(path, math.MaxInt) }

// ReadStart reads the beginning of a file. The parameter `most` is the largest number of bytes.
func ReadStart(path string, most int) ([]byte, error) {
	failed := func(op string, err error) error { return &fs.PathError{Op: op, Path: path, Err: err} }
	fd, err := again(func() (int, error) { return syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0) })
	if err != nil {
		return nil, failed("open", err)
	}
	defer func() { _ = syscall.Close(fd) }() // a file that was only read
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil {
		return nil, failed("stat", err)
	}
	size := min(int(max(min(st.Size, math.MaxInt32), leastRead)), most) // /proc reports a size that is too small
	for out := make([]byte, 0, size+1); ; {
		n, err := again(func() (int, error) { return syscall.Read(fd, out[len(out):min(cap(out), most)]) })
		if err != nil {
			return nil, failed("read", err)
		}
		out = out[:len(out)+n]
		if n == 0 || len(out) == most {
			return out, nil
		}
		if len(out) == cap(out) {
			out = append(out, 0)[:len(out)]
		}
	}
}

// leastRead is the size of the smallest buffer in bytes. Files in /proc report the size 0.
const leastRead = 1024

// `again` repeats a system call that a signal interrupted.
func again(call func() (int, error)) (int, error) {
	for {
		if n, err := call(); err != syscall.EINTR { //nolint:errorlint // a system call's own
			return n, err
		}
	}
}

// ReadParts reads a file in parts, and calls the function `take` with each part until `take` returns false. The second
// argument of take is the file's reported size. The next part overwrites the previous one, so the whole file is never
// in memory.
func ReadParts(path string, take func(part []byte, size int64) bool) error {
	failed := func(op string, err error) error { return &fs.PathError{Op: op, Path: path, Err: err} }
	fd, err := again(func() (int, error) { return syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0) })
	if err != nil {
		return failed("open", err)
	}
	defer func() { _ = syscall.Close(fd) }() // a file that was only read
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil {
		return failed("stat", err)
	}
	room := make([]byte, min(max(st.Size+1, leastRead), partRead))
	for {
		n, err := again(func() (int, error) { return syscall.Read(fd, room) })
		if err != nil {
			return failed("read", err)
		}
		if n == 0 || !take(room[:n], st.Size) {
			return nil
		}
	}
}
