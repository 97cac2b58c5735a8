package refs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/git-trace/git-trace/internal/fault"
)

// ErrLockTimeout is returned if another process held a lock during the whole waiting time.
var ErrLockTimeout = errors.New("lock is held by another process")

// FileLock is an exclusive lock on an open file. The system releases it when the process ends. It works between
// processes and between goroutines.
type FileLock struct {
	file *os.File
}

// Flock takes the lock on `path`, and creates the file and its directory if necessary. It waits at most the time
// `wait`; with zero it tries once. The file remains, and its content has no meaning.
func Flock(path string, wait time.Duration) (*FileLock, error) {
	deadline := time.Now().Add(wait)
	for {
		f, err := openLock(path)
		if err == nil {
			err = lockWithin(f, time.Until(deadline))
		}
		if err != nil {
			return nil, fmt.Errorf("lock %s: %w", filepath.Base(path), err)
		}
		// If somebody removed the file (and the directory) between open and lock, the lock protects nothing.
		if isStill(f, path) {
			return &FileLock{file: f}, nil
		}
		_ = f.Close()
	}
}

// lockWithin locks an open file, or closes it and returns an error. It waits in the system's own queue, which serves
// waiters in about the right order. A process that repeats attempts may wait for a second if eight processes append.
func lockWithin(f *os.File, wait time.Duration) error {
	held, err := lockFile(f)
	if err == nil && !held && wait <= 0 {
		err = ErrLockTimeout
	}
	if err != nil {
		_ = f.Close()
	}
	if held || err != nil {
		return err
	}
	turn := make(chan error, 1)
	fault.Go(func() { turn <- waitForLock(f) })
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case err := <-turn:
		if err != nil {
			_ = f.Close()
		}
		return err
	case <-timer.C:
		fault.Go(func() { closeInTurn(f, turn) })
		return ErrLockTimeout
	}
}

// closeInTurn closes the file of a waiter that no longer needs the lock. A waiter cannot leave the system's queue: it
// ends when its turn comes, or when the process ends.
func closeInTurn(f *os.File, turn <-chan error) {
	err := <-turn
	_ = errors.Join(err, f.Close()) // the lock is not needed any more
}

func isStill(f *os.File, path string) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(path)
	return err == nil && os.SameFile(mine, there)
}

// openLock opens the file for writing, as network file systems require for a lock. It creates missing directories and
// the file.
func openLock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	for try := 0; errors.Is(err, fs.ErrNotExist) && try < 3; try++ {
		if err = MakeDirs(filepath.Dir(path), 0o777); err != nil {
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
