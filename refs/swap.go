package refs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// SwapRef sets a ref to `id` if its value is still `old` (zero: if it does not exist). The error is ErrTipMoved if it
// has another value, and ErrLocked if git is changing it. A caller that computes the new value from the old one must
// use LockRef instead.
func (r *Repo) SwapRef(ctx context.Context, name string, old, id OID) error {
	lock, err := r.LockRef(name)
	if err != nil {
		return err
	}
	if current := lock.Current(); current != old && (!current.IsZero() || !old.IsZero()) {
		lock.Abort()
		return fmt.Errorf("update %s: %w", name, ErrTipMoved)
	}
	return lock.Commit(ctx, id)
}

// SetRef sets a ref to `id`, whatever its value.
func (r *Repo) SetRef(ctx context.Context, name string, id OID) error {
	lock, err := r.LockRef(name)
	if err != nil {
		return err
	}
	return lock.Commit(ctx, id)
}

// casByGit holds the arguments of git's compare-and-swap of refs. Without the setting, git reads packed-refs before it
// takes the lock, to check whether an object name is also the name of a ref. Under the lock, git trusts that reading if
// the file's size, inode and time in seconds are the same. If packed-refs was written twice in between, all three can
// be the same: git then compares an old value, and overwrites the newer one. With the setting, git first reads the file
// under the lock.
var casByGit = [...]string{"-c", "core.warnAmbiguousRefs=false", "update-ref", "--no-deref", "-z", "--stdin"}

// updateRefByGit uses git's compare-and-swap, for ref storages that this code does not write.
func (r *Repo) updateRefByGit(ctx context.Context, name string, old, id OID) error {
	before := old.String()
	if old.IsZero() {
		before = r.Format.Zero().String()
	}
	script := "update " + name + "\x00" + id.String() + "\x00" + before + "\x00"
	_, err := r.Git(ctx, strings.NewReader(script), casByGit[:]...)
	var failed *GitError
	if !errors.As(err, &failed) {
		return err
	}
	if now, readErr := r.readRefByGit(name); readErr == nil && now != old || errors.Is(readErr, ErrRefMissing) &&
		!old.IsZero() {
		return fmt.Errorf("%w: %w", ErrTipMoved, err)
	}
	if strings.Contains(failed.Stderr, "exists; cannot create") {
		return fmt.Errorf("%w: %w", ErrConflict, err)
	}
	if strings.Contains(failed.Stderr, "lock") {
		return fmt.Errorf("%w: %w", ErrLocked, err)
	}
	return err
}

// refConflict returns ErrConflict if the name of a new ref is a directory of an existing ref, or the reverse: in git
// "a" and "a/b" cannot both exist.
func (r *Repo) refConflict(name string) error {
	if path := r.refPath(name); isDir(path) && holdsFile(path) {
		return ErrConflict
	}
	text, err := r.packedText()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if strings.Contains(text, " "+name+"/") {
		return ErrConflict
	}
	for i := strings.LastIndexByte(name, '/'); i > len("refs"); i = strings.LastIndexByte(name[:i], '/') {
		if _, err := findPacked(text, name[:i], r.Format); !errors.Is(err, ErrRefMissing) {
			return ErrConflict
		}
	}
	return nil
}

// holdsFile reports whether there is a file below dir. A directory that cannot be read counts as a file.
func holdsFile(dir string) bool {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return true
	}
	for _, e := range entries {
		if !e.IsDir() || holdsFile(filepath.Join(dir, e.Name())) {
			return true
		}
	}
	return false
}
