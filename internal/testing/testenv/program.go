package testenv

import (
	"errors"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Program writes an executable file that another process will run. It replaces an existing file.
func Program(t testing.TB, path, content string) {
	t.Helper()
	if err := writeProgram(path, strings.NewReader(content)); err != nil {
		t.Fatal(err)
	}
}

// CopySelf copies the running test program to a file.
func CopySelf(t testing.TB, path string) {
	t.Helper()
	self, err := os.Open(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = self.Close() }()
	if err := writeProgram(path, self); err != nil {
		t.Fatal(err)
	}
}

// writeProgram writes a program while no other goroutine can start a process. Such a process would have the file open
// for writing until its exec, and the kernel does not run a file that is open for writing (ETXTBSY).
func writeProgram(path string, content io.Reader) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, content)
	return errors.Join(err, file.Close(), os.Chmod(path, 0o755))
}

// TempDir returns a temporary directory that is removed when the test ends. Unlike testing's own, it waits for
// background processes of hooks in it.
func TempDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "traced-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for range 600 {
			if err = os.RemoveAll(dir); err == nil {
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
		t.Error(err)
	})
	return dir
}
