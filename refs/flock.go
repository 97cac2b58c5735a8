package refs

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"
)

// ErrLockTimeout reports a lock that somebody else held for the whole time one was willing to wait.
var ErrLockTimeout = errors.New("lock is held by another process")

// FileLock is an exclusive lock on a file, held by an open file: the system releases it when the process dies, however
// it dies. It works between processes and between goroutines.
type FileLock struct {
	file *os.File
}

// Flock takes the lock on path, creating the file and its directory, and waits up to wait for it; zero tries once. The
// file stays behind and its content means nothing.
func Flock(path string, wait time.Duration) (*FileLock, error) {
	deadline := time.Now().Add(wait)
	for pause := time.Millisecond; ; pause = min(2*pause, 10*time.Millisecond) {
		lock, err := tryFlock(path)
		if lock != nil || err != nil {
			return lock, err
		}
		left := time.Until(deadline)
		if left <= 0 {
			return nil, fmt.Errorf("lock %s: %w", filepath.Base(path), ErrLockTimeout)
		}
		time.Sleep(min(left, pause/2+rand.N(pause)))
	}
}

// tryFlock returns nil, nil when the lock is taken.
func tryFlock(path string) (*FileLock, error) {
	f, err := openLock(path)
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", filepath.Base(path), err)
	}
	held, err := lockFile(f)
	if err != nil || !held {
		_ = f.Close()
		if err != nil {
			return nil, fmt.Errorf("lock %s: %w", filepath.Base(path), err)
		}
		return nil, nil
	}
	// Somebody may have removed the file (and the directory) between open and lock: then the lock guards nothing.
	mine, err := f.Stat()
	if err == nil {
		var there os.FileInfo
		if there, err = os.Stat(path); err == nil && os.SameFile(mine, there) {
			return &FileLock{file: f}, nil
		}
	}
	_ = f.Close()
	return nil, nil
}

// openLock opens the file for writing, which network file systems want for a lock, and makes what is missing.
func openLock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	for try := 0; errors.Is(err, fs.ErrNotExist) && try < 3; try++ {
		if err = makeDirs(filepath.Dir(path)); err != nil {
			return nil, err
		}
		f, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
		if err == nil {
			share(path, 0o666)
		}
	}
	return f, err
}

// Unlock releases the lock.
func (l *FileLock) Unlock() {
	_ = l.file.Close()
}
