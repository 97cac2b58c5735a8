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

// ErrLockTimeout reports that another process held a lock during the whole waiting time.
var ErrLockTimeout = errors.New("lock is held by another process")

// FileLock is an exclusive lock on a file, held by an open file: the system releases it whenever the process ends. It
// works between processes and between goroutines.
type FileLock struct {
	file *os.File
}

// Flock takes the lock on path, creating the file and its directory, and waits up to wait for it; zero tries once. The
// file remains, and its content has no meaning.
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
		// Somebody may have removed the file (and the directory) between open and lock: then the lock guards nothing.
		if isStill(f, path) {
			return &FileLock{file: f}, nil
		}
		_ = f.Close()
	}
}

// lockWithin locks an open file, or closes it and returns an error. It waits in the system's own queue, which serves
// waiters roughly in order: a process that tries again and again instead may wait for a second when eight processes
// append.
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

// closeInTurn gives up a place in the queue. A waiter cannot leave the queue; it ends when its turn comes, or with the
// process.
func closeInTurn(f *os.File, turn <-chan error) {
	err := <-turn
	_ = errors.Join(err, f.Close()) // the lock is useless by then
}

func isStill(f *os.File, path string) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(path)
	return err == nil && os.SameFile(mine, there)
}

// openLock opens the file for writing, which network file systems want for a lock, and makes missing directories
// and the file.
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
