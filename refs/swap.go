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

// SwapRef sets a ref to id if it still is old (zero: if it does not exist). ErrTipMoved: it has another value;
// ErrLocked: git is changing it. A caller that derives the new value from the old one uses LockRef instead.
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

// SetRef sets a ref to id, whatever its value.
func (r *Repo) SetRef(ctx context.Context, name string, id OID) error {
	lock, err := r.LockRef(name)
	if err != nil {
		return err
	}
	return lock.Commit(ctx, id)
}

// casByGit is git's compare-and-swap of refs. Without the setting, git checks, before it holds the lock, whether an
// object name is also the name of a ref. That reads packed-refs, and under the lock git trusts the earlier reading if
// the file's size, inode and second are the same. A packed-refs that was written twice in between can have all three:
// git then compares with an old value, and overwrites the newer one. With the setting the first reading happens under
// the lock.
var casByGit = [...]string{"-c", "core.warnAmbiguousRefs=false", "update-ref", "--no-deref", "-z", "--stdin"}

// updateRefByGit is git's own compare-and-swap, for ref storages that this code does not write.
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

// refConflict reports whether a new ref would be a directory of an existing one or lie below one: git keeps "a" and
// "a/b" from existing together.
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

// holdsFile reports whether a file is below dir; an unreadable directory counts as a file.
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
