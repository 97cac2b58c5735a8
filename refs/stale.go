package refs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// staleAge is the age up to which another program's lock counts as in use.
const staleAge = 10 * time.Second

// staleAgeBlind replaces staleAge on a system that does not show which processes have a file open.
const staleAgeBlind = 10 * time.Minute

// tryCreate creates the lock file with the name of the mark, and then links it to the lock's name. The link fails if
// there is a lock. If the file system has no hard links, it creates the lock with O_EXCL and without a mark.
func (l *RefLock) tryCreate(path string) error {
	if exists(path) {
		// Do not replace the mark yet: it must name the lock of an ended process until that lock is removed.
		return fs.ErrExist
	}
	if err := os.Remove(l.mark); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(l.mark, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	share(l.mark, 0o666)
	if err = os.Link(l.mark, path); err == nil {
		l.file = f
		return nil
	}
	_ = f.Close()
	_ = os.Remove(l.mark)
	if errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) || !isDir(filepath.Dir(path)) {
		return err
	}
	l.file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	return err
}

// clearStale removes the present lock if the process that made it has certainly ended. It reports whether it removed
// the lock. The caller holds the guard, so no other git-trace process checks at the same time.
func (l *RefLock) clearStale(path string) bool {
	lock, err := os.Lstat(path)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	if mark, err := os.Lstat(l.mark); err == nil && os.SameFile(lock, mark) {
		return os.Remove(path) == nil
	}
	if !staleLock(lock, time.Now(), l.repo.CommonDir, l.repo.GitDir, l.repo.WorkTree) {
		return false
	}
	// Between the check and the removal, the lock may be released and another process may take it. So move the lock to
	// another name and check it again. Git ignores all names that end in .lock.
	aside := strings.TrimSuffix(path, "lock") + strconv.Itoa(os.Getpid()) + ".lock"
	if err := os.Rename(path, aside); err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	moved, err := os.Lstat(aside)
	if err != nil || !os.SameFile(lock, moved) {
		_ = os.Link(aside, path)
		_ = os.Remove(aside)
		return false
	}
	return os.Remove(aside) == nil
}

// StaleLocks returns the locks that killed processes left on git-trace's refs. Git's own locks block a ref until
// somebody removes them. The list includes stale locks of packed-refs, because these stop every pull
// (git-pack-refs(1)). Locks that are in use are left out.
func (r *Repo) StaleLocks() (paths []string) {
	for _, name := range [...]string{"packed-refs.lock", "packed-refs.new"} {
		if path := filepath.Join(r.CommonDir, name); r.isStale(path) {
			paths = append(paths, path)
		}
	}
	top := filepath.Join(r.CommonDir, "refs", tracesDir)
	_ = filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && strings.HasSuffix(path, ".lock") && r.isStale(path) {
			paths = append(paths, path)
		}
		return nil // the directory cannot be read
	})
	return paths
}

func (r *Repo) isStale(path string) bool {
	lock, err := os.Lstat(path)
	return err == nil && staleLock(lock, time.Now(), r.CommonDir, r.GitDir, r.WorkTree)
}

// RemoveStaleLocks removes stale locks. It checks each of them again before.
func (r *Repo) RemoveStaleLocks() error {
	var failed error
	for _, path := range r.StaleLocks() {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			failed = errors.Join(failed, err)
		}
	}
	return failed
}

// staleLock reports whether another program's lock is abandoned: it is old, and no running process can have made it.
// The parameter `dirs` are the directories in which a git process for this repository would run.
func staleLock(lock os.FileInfo, now time.Time, dirs ...string) bool {
	age := now.Sub(lock.ModTime())
	if age < staleAge {
		return false
	}
	held, known := held(lock, dirs)
	if !known {
		return age >= staleAgeBlind
	}
	return !held
}

// removeEmptyDirs removes a directory that contains only empty directories.
func removeEmptyDirs(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.IsDir() {
			return ErrConflict
		}
		if err := removeEmptyDirs(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return os.Remove(dir)
}
