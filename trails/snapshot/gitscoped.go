package snapshot

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// errWholeTree says that single paths cannot be updated without a snapshot of everything.
var errWholeTree = errors.New("needs a snapshot of everything")

// addPaths updates single paths of the scratch index, with `git add`. It leaves out three kinds of paths, because one
// of them would make git refuse all paths: ignored paths, paths that are missing in both the work tree and the index,
// and paths in a separate repository. It returns the paths that git could not add.
func (e *Engine) addPaths(ctx context.Context, old *gitIndex, paths []string) ([]string, error) {
	user, err := loadIndex(ctx, e.repo, e.userIndex())
	if err != nil {
		return nil, err
	}
	var files, dirs, judged, gone []string
	for _, path := range paths {
		path, ok := cleanPath(path)
		if !ok {
			continue
		}
		switch e.placeOf(path, user) {
		case elsewhere:
		case nowhere:
			gone = append(gone, path)
		case directory:
			if old.find(path) != nil || old.hasBelow(path) || user.hasBelow(path) {
				dirs = append(dirs, path)
			} else {
				judged = append(judged, path)
			}
		case plain:
			if user.find(path) != nil {
				files = append(files, path)
			} else {
				judged = append(judged, path)
			}
		}
	}
	asker := &ignorer{repo: e.repo}
	defer asker.close()
	verdicts, err := asker.ask(ctx, judged)
	if err != nil {
		return nil, err
	}
	for i, path := range judged {
		if verdicts[i] == included {
			dirs = append(dirs, path)
		} else {
			gone = append(gone, path)
		}
	}
	_ = os.Remove(e.scratchPath() + ".lock")
	if err := e.removePaths(ctx, old, gone); err != nil {
		return nil, err
	}
	borrowed, err := e.realign(ctx, old, user, slices.Concat(files, dirs))
	if err != nil {
		return nil, err
	}
	skipped, err := e.addKnown(ctx, files, nil, "--force") // --force, because a tracked file may be ignored
	if err != nil {
		return nil, err
	}
	nested := e.nested(old)
	if err := e.addNested(ctx, nested); err != nil {
		return nil, err
	}
	dirs = slices.DeleteFunc(dirs, func(dir string) bool { return slices.Contains(nested, dir) })
	around, others := apart(dirs, nested)
	for _, one := range []struct{ dirs, nested []string }{{others, nil}, {around, nested}} {
		more, err := e.addKnown(ctx, one.dirs, one.nested, "--no-force") // must leave out ignored files
		if err != nil {
			return nil, err
		}
		skipped = append(skipped, more...)
	}
	return skipped, e.forceRemove(ctx, borrowed)
}

// removePaths removes paths, and all paths below them, from the scratch index.
func (e *Engine) removePaths(ctx context.Context, old *gitIndex, paths []string) error {
	var known []string
	for _, path := range paths {
		if old.find(path) != nil {
			known = append(known, path)
		}
		below := old.below(path)
		for i := range below {
			known = append(known, below[i].path)
		}
	}
	return e.forceRemove(ctx, known)
}

func (e *Engine) forceRemove(ctx context.Context, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	list := strings.NewReader(strings.Join(paths, "\x00") + "\x00")
	_, _, err := e.side(ctx, e.scratchPath(), list, "update-index", "--force-remove", "-z", "--stdin")
	return err
}

// realign gives single paths the entries of the user's index, or none. Otherwise git would decide about a file by its
// entry in the scratch index, or still skip a file whose mark the user has removed. The result `borrowed` lists entries
// that must be removed after git has run. They show git that a directory with a repository in it belongs to the work
// tree, if the scratch index has no other entry there.
func (e *Engine) realign(ctx context.Context, old, user *gitIndex, paths []string) (borrowed []string, err error) {
	converts := e.mayConvert(old) || e.mayConvert(user)
	var list bytes.Buffer
	put := func(x *indexEntry) { fmt.Fprintf(&list, "%o %s\t%s\x00", x.mode, x.oid, x.path) }
	for _, path := range paths {
		was, is := old.find(path), user.find(path)
		if is != nil && (is.stage != 0 || is.flags&intentToAdd != 0) {
			is = nil
		}
		switch judged := was != nil && converts && hasCR(e.onDisk(path)); {
		case judged && is == nil:
			fmt.Fprintf(&list, "0 %s\t%s\x00", e.repo.Format.Zero(), path)
		case is != nil && (was == nil || judged && is.oid != was.oid || was.flags&^is.flags&passingOver != 0):
			put(is)
		}
		if x := e.witness(old, user, path); x != nil {
			put(x)
			borrowed = append(borrowed, x.path)
		}
	}
	if list.Len() == 0 {
		return nil, nil
	}
	_, _, err = e.side(ctx, e.scratchPath(), &list, "update-index", "-z", "--index-info")
	return borrowed, err
}

// witness returns an entry that shows git that a directory above path belongs to the work tree. The directory has a
// repository in it, and entries in the user's index but not in the scratch index. witness returns nil if there is no
// such directory.
func (e *Engine) witness(old, user *gitIndex, path string) *indexEntry {
	for dir := parentPath(path); dir != ""; dir = parentPath(dir) {
		if old.hasBelow(dir) {
			return nil
		}
		if _, err := os.Lstat(e.onDisk(dir + "/.git")); err != nil {
			continue
		}
		below := user.below(dir)
		for i := range below {
			if x := &below[i]; x.path != path && x.stage == 0 && x.flags&intentToAdd == 0 &&
				!strings.HasPrefix(path, x.path+"/") && !strings.HasPrefix(x.path, path+"/") {
				return x
			}
		}
	}
	return nil
}

// A place is the kind of a path in the work tree.
type place uint8

const (
	nowhere   place = iota // nothing exists there
	plain                  // a file, or a similar thing
	directory              // a directory
	elsewhere              // inside another repository
)

// placeOf examines a path and each directory above it. A path behind a symbolic link is not in the work tree. Git does
// not treat a directory with tracked files as a separate repository, even if it contains one. A directory that the
// index has as a repository remains one, even without a repository.
func (e *Engine) placeOf(path string, user *gitIndex) place {
	for i := range len(path) {
		if path[i] != '/' {
			continue
		}
		dir := filepath.Join(e.repo.WorkTree, filepath.FromSlash(path[:i]))
		if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
			return nowhere
		}
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil && !user.hasBelow(path[:i]) {
			return elsewhere
		}
		if x := user.find(path[:i]); x != nil && x.mode == refs.ModeGitlink { // a submodule that is not checked out
			return elsewhere
		}
	}
	info, err := os.Lstat(filepath.Join(e.repo.WorkTree, filepath.FromSlash(path)))
	switch {
	case err != nil:
		return nowhere
	case info.IsDir():
		return directory
	}
	return plain
}

// addKnown runs `git add -A` for single paths. The parameter `nested` lists repositories that git must not enter.
func (e *Engine) addKnown(ctx context.Context, paths, nested []string, force string) (skipped []string, err error) {
	for len(paths) > 0 {
		var spec strings.Builder
		for _, path := range paths {
			spec.WriteString(":(top,literal)" + path + "\x00")
		}
		excluding(&spec, nested)
		args := []string{"add", "-A", force, "--ignore-errors", "--pathspec-from-file=-", "--pathspec-file-nul"}
		if e.meta.Settings.Sparse {
			args = append(args, "--sparse")
		}
		_, stderr, err := e.side(ctx, e.scratchPath(), strings.NewReader(spec.String()), args...)
		var failed *refs.GitError
		if err == nil || !errors.As(err, &failed) {
			return skipped, err
		}
		if failed.Code == 1 {
			e.meta.Git.Fresh = true
			return append(skipped, paths...), nil
		}
		path, _, ok := culprit(stderr, func(path string) bool { return slices.Contains(paths, path) })
		if !ok {
			return skipped, errWholeTree
		}
		e.meta.Git.Fresh = true
		skipped = append(skipped, path)
		paths = slices.DeleteFunc(paths, func(p string) bool { return p == path })
	}
	return skipped, nil
}

// cleanPath returns the canonical form of a path relative to the top. It returns false for a path outside of the work
// tree, or in its git directory.
func cleanPath(path string) (string, bool) {
	if strings.ContainsRune(path, 0) || strings.HasPrefix(path, "/") {
		return "", false
	}
	var parts []string
	for part := range strings.SplitSeq(path, "/") {
		switch part {
		case "", ".":
			continue
		case "..":
			return "", false
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 || parts[0] == ".git" {
		return "", false
	}
	return strings.Join(parts, "/"), true
}

// lookupScratch implements Lookup for the git method.
func (e *Engine) lookupScratch(path string) (Entry, bool) {
	if e.scratch == nil {
		idx, err := readIndex(e.scratchPath(), e.repo.Format)
		if err != nil {
			return Entry{}, false
		}
		e.scratch = idx
	}
	found := e.scratch.find(path)
	if found == nil || found.stage != 0 || found.flags&intentToAdd != 0 {
		return Entry{}, false
	}
	return Entry{found.mode, found.oid}, true
}
