package refs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Errors of changing a ref that callers check for.
var (
	ErrTipMoved = errors.New("tip moved")
	ErrLocked   = errors.New("ref is locked")
	ErrConflict = errors.New("ref name conflicts with another ref")
)

// refLockWait is the time to wait for a ref that git has locked. It is the default of git's core.filesRefLockTimeout.
const refLockWait = 100 * time.Millisecond

// guardWait is the time to wait for another git-trace process that changes the same ref.
const guardWait = 5 * time.Second

// RefLock is a locked ref, with the value that it had when the lock was taken. The lock is git's own <ref>.lock.
// Callers must end it with Commit or Abort.
type RefLock struct {
	repo    *Repo
	name    string
	current OID
	file    *os.File  // the open <ref>.lock; nil if git writes the ref
	mark    string    // second name of the lock file, by which a later process knows that git-trace made it
	guard   *FileLock // makes git-trace processes change this ref one after another
	done    bool
}

// LockRef locks a ref. It waits up to five seconds for other git-trace processes, and 0.1 seconds for git. Then it
// returns ErrLocked.
//
// The lock of a killed process must not stay, and the lock of a running one must never be removed. So the lock file is
// first created under a second name, next to the guard, and then hard-linked to its own name. The guard is an flock,
// which ends with its process. If the holder of the guard finds that the present lock is the file with the second name,
// the process that made the lock has ended. All other locks stay, unless staleLock finds that they are abandoned.
func (r *Repo) LockRef(name string) (*RefLock, error) {
	return r.LockRefWithin(name, guardWait)
}

// LockRefWithin does the same as LockRef, with the given time to wait for other git-trace processes.
func (r *Repo) LockRefWithin(name string, wait time.Duration) (*RefLock, error) {
	lock, err := r.lockRef(name, wait)
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", name, err)
	}
	return lock, nil
}

func (r *Repo) lockRef(name string, wait time.Duration) (*RefLock, error) {
	if err := checkRefName(name); err != nil {
		return nil, err
	}
	base := filepath.Join(r.TracesDir(), "locks", strings.ReplaceAll(name, "/", "."))
	guard, err := Flock(base, wait)
	if errors.Is(err, ErrLockTimeout) {
		return nil, fmt.Errorf("%w: %w", ErrLocked, err)
	}
	if err != nil {
		return nil, err
	}
	l := &RefLock{repo: r, name: name, mark: base + ".held", guard: guard}
	if r.fileRef(name) {
		if err := l.takeFile(); err != nil {
			guard.Unlock()
			return nil, err
		}
	}
	if err := l.readCurrent(); err != nil {
		l.Abort()
		return nil, err
	}
	return l, nil
}

func (l *RefLock) readCurrent() error {
	oid, target, err := l.repo.readOne(l.name)
	if errors.Is(err, errAskGit) {
		oid, err = l.repo.readRefByGit(l.name)
	}
	switch {
	case errors.Is(err, ErrRefMissing) && l.file == nil:
		return nil // git checks for conflicts when it writes
	case errors.Is(err, ErrRefMissing):
		return l.repo.refConflict(l.name)
	case err != nil:
		return err
	case target != "":
		return fmt.Errorf("%w: is a symbolic ref", ErrBadRef)
	}
	l.current = oid
	return nil
}

// Current returns the ref's value when the lock was taken, or zero if the ref was missing.
func (l *RefLock) Current() OID { return l.current }

// Commit sets the ref and releases the lock. If it fails, the ref is unchanged and the lock is released. If refs are
// stored as files, nobody can have changed the ref. With other storages a git process can: then Commit returns
// ErrTipMoved, and the caller must start again.
func (l *RefLock) Commit(ctx context.Context, id OID) error {
	if l.done {
		return fmt.Errorf("update %s: lock already released", l.name)
	}
	if err := l.commit(ctx, id); err != nil {
		l.Abort()
		return fmt.Errorf("update %s: %w", l.name, err)
	}
	return nil
}

func (l *RefLock) commit(ctx context.Context, id OID) error {
	if id.IsZero() || id.Format() != l.repo.Format {
		return ErrBadOID
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if l.file == nil {
		if err := l.repo.updateRefByGit(ctx, l.name, l.current, id); err != nil {
			return err
		}
		l.release()
		return nil
	}
	if _, err := l.file.WriteString(id.String() + "\n"); err != nil {
		return err
	}
	if l.repo.Fsync {
		if err := l.file.Sync(); err != nil {
			return err
		}
	}
	if err := l.file.Close(); err != nil {
		return err
	}
	path := l.repo.refPath(l.name)
	if err := os.Rename(path+".lock", path); err != nil {
		// Git leaves empty directories after it deletes refs, and one may have the name of this ref.
		if !isDir(path) || removeEmptyDirs(path) != nil || os.Rename(path+".lock", path) != nil {
			return err
		}
	}
	l.release()
	if l.repo.Fsync {
		return syncDir(filepath.Dir(path))
	}
	return nil
}

// Abort releases the lock and does not change the ref. It does nothing after Commit.
func (l *RefLock) Abort() {
	if l.done {
		return
	}
	if l.file != nil {
		_ = l.file.Close()
		_ = os.Remove(l.repo.refPath(l.name) + ".lock")
	}
	l.release()
}

// release removes the mark before it releases the guard, so that the mark never names the lock of a running process.
func (l *RefLock) release() {
	l.done = true
	if l.file != nil {
		_ = os.Remove(l.mark)
	}
	l.guard.Unlock()
}

// takeFile creates <ref>.lock. It waits for git, and removes the locks of ended processes.
func (l *RefLock) takeFile() error {
	path := l.repo.refPath(l.name) + ".lock"
	deadline := time.Now().Add(refLockWait)
	for pause := time.Millisecond; ; pause = min(2*pause, 10*time.Millisecond) {
		err := l.createLock(path)
		if err == nil || !errors.Is(err, fs.ErrExist) {
			return err
		}
		if l.clearStale(path) {
			continue
		}
		if time.Now().After(deadline) {
			return ErrLocked
		}
		time.Sleep(pause)
	}
}

func (l *RefLock) createLock(path string) error {
	for try := 0; ; try++ {
		err := l.tryCreate(path)
		switch {
		case err == nil || errors.Is(err, fs.ErrExist):
			return err
		case errors.Is(err, syscall.ENOTDIR):
			return ErrConflict
		case !errors.Is(err, fs.ErrNotExist) || try > 10:
			return err
		}
		// Git may have just removed the directory, if packing refs has emptied it.
		if err := MakeDirs(filepath.Dir(path), 0o777); err != nil {
			if errors.Is(err, fs.ErrExist) || errors.Is(err, syscall.ENOTDIR) {
				return ErrConflict
			}
			if !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
}
