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

// staleAge is the age below which a lock of others counts as live.
const staleAge = 10 * time.Second

// staleAgeBlind is that age on a system that does not show the openers of a file.
const staleAgeBlind = 10 * time.Minute

// tryCreate makes the lock file under the mark, then links it to its place, which fails if a lock is there. A file
// system without hard links gets the lock by O_EXCL alone and no mark.
func (l *RefLock) tryCreate(path string) error {
	if exists(path) {
		// Not yet: the mark must keep pointing at a lock of a dead predecessor until that is cleared.
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

// clearStale removes the present lock if its maker is certainly dead, and reports whether it did. The caller holds the
// guard, so no other git-trace process decides at the same time.
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
	// The maker may end between look and removal, and another lock take its place: move the lock aside and check it
	// again. Git ignores any name that ends in .lock.
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

// StaleLocks returns the locks of git-trace's refs that a killed process left: git's own block the ref until somebody
// removes them. It includes locks of packed-refs, because they stop every pull (git-pack-refs(1)), but not live ones.
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
		return nil // an unreadable directory
	})
	return paths
}

func (r *Repo) isStale(path string) bool {
	lock, err := os.Lstat(path)
	return err == nil && staleLock(lock, time.Now(), r.CommonDir, r.GitDir, r.WorkTree)
}

// RemoveStaleLocks removes them, each after another look.
func (r *Repo) RemoveStaleLocks() error {
	var failed error
	for _, path := range r.StaleLocks() {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			failed = errors.Join(failed, err)
		}
	}
	return failed
}

// staleLock reports whether another program's lock is abandoned: it is old, and no living process can be its maker.
// dirs are the directories in which a git working on this repository would run.
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

// removeEmptyDirs removes a directory that holds nothing but empty directories.
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
