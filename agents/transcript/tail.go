package transcript

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"syscall"
)

// ErrNotRegular reports a path that is a directory, a pipe, a device or a socket.
var ErrNotRegular = errors.New("not a regular file")

// Tail is an open session file.
type Tail struct {
	file *os.File
	size int64
}

// Open opens a session file. A symbolic link is followed; its target must be a regular file.
func Open(path string) (*Tail, error) {
	// The file is checked before it is opened, because opening some devices has effects. It is checked again afterwards,
	// because the path may have been replaced. With O_NONBLOCK, opening a pipe does not wait for a writer.
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("open session file: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("open session file: %w", ErrNotRegular)
	}
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("open session file: %w", err)
	}
	if info, err = file.Stat(); err == nil && !info.Mode().IsRegular() {
		err = ErrNotRegular
	}
	if err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("open session file: %w", err)
	}
	return &Tail{file: file, size: info.Size()}, nil
}

// Close closes the file.
func (t *Tail) Close() error { return t.file.Close() }

// Lines yields the complete lines in the last `limit` bytes, the last line of the file first. The lines share one
// buffer.
func (t *Tail) Lines(limit int64) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		start := max(t.size-limit, 0)
		data := make([]byte, t.size-start)
		n, err := t.file.ReadAt(data, start)
		if err != nil && !errors.Is(err, io.EOF) {
			return
		}
		data = data[:n]
		if start > 0 { // the first line began before the window
			_, after, found := bytes.Cut(data, []byte("\n"))
			if !found {
				return
			}
			data = after
		}
		for len(data) > 0 {
			line := data
			cut := bytes.LastIndexByte(data[:len(data)-1], '\n')
			line, data = line[cut+1:], data[:cut+1]
			if line = bytes.TrimSpace(line); len(line) > 0 && !yield(line) {
				return
			}
		}
	}
}

// Whole reports whether a window of `limit` bytes contains the whole file.
func (t *Tail) Whole(limit int64) bool { return t.size <= limit }
