package snapshot

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// errWholeTree says that single paths cannot be brought up to date without the rest.
var errWholeTree = errors.New("needs a snapshot of everything")

// addPaths brings single paths of the scratch index up to date, by `git add`. Paths that are ignored, that are neither
// in the work tree nor in the index, or that lie in a repository of their own are dropped first: git would refuse them
// all for one of these. It returns the paths that git could not add.
func (e *Engine) addPaths(ctx context.Context, old *gitIndex, paths []string) ([]string, error) {
	user, err := loadIndex(ctx, e.repo, e.userIndex())
	if err != nil {
		return nil, err
	}
	var files, dirs, unknown []string
	for _, path := range paths {
		path, ok := cleanPath(path)
		if !ok {
			continue
		}
		place, err := e.placeOf(path)
		if err != nil {
			return nil, err
		}
		switch {
		case place == elsewhere:
		case old.hasBelow(path) || place == directory && (old.find(path) != nil || user.hasBelow(path)):
			dirs = append(dirs, path)
		case old.find(path) != nil || place != nowhere && user.find(path) != nil:
			files = append(files, path)
		case place != nowhere:
			unknown = append(unknown, path)
		}
	}
	asker := &ignorer{repo: e.repo}
	defer asker.close()
	ignored, err := asker.ask(ctx, unknown)
	if err != nil {
		return nil, err
	}
	for i, path := range unknown {
		if ignored[i] == included {
			dirs = append(dirs, path)
		}
	}
	_ = os.Remove(e.scratchPath() + ".lock")
	skipped, err := e.addKnown(ctx, files, "--force") // a tracked file may be ignored
	if err != nil {
		return nil, err
	}
	more, err := e.addKnown(ctx, dirs, "--no-force") // below a directory nothing ignored is to come in
	return append(skipped, more...), err
}

// place is where a path lies.
type place uint8

const (
	nowhere   place = iota // nothing is there
	plain                  // a file, or something like it
	directory              // a directory
	elsewhere              // inside another repository
)

// placeOf looks at each directory above a path. A link among them puts the path out of the work tree; to take it out of
// the scratch index too, git has to look at everything.
func (e *Engine) placeOf(path string) (place, error) {
	for i := range len(path) {
		if path[i] != '/' {
			continue
		}
		dir := filepath.Join(e.repo.WorkTree, filepath.FromSlash(path[:i]))
		info, err := os.Lstat(dir)
		switch {
		case err != nil:
			return nowhere, nil
		case !info.IsDir():
			return nowhere, errWholeTree
		}
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return elsewhere, nil
		}
	}
	info, err := os.Lstat(filepath.Join(e.repo.WorkTree, filepath.FromSlash(path)))
	switch {
	case err != nil:
		return nowhere, nil
	case info.IsDir():
		return directory, nil
	}
	return plain, nil
}

func (e *Engine) addKnown(ctx context.Context, paths []string, force string) (skipped []string, err error) {
	for len(paths) > 0 {
		var spec bytes.Buffer
		for _, path := range paths {
			spec.WriteString(":(top,literal)" + path + "\x00")
		}
		args := []string{"add", "-A", force, "--ignore-errors", "--pathspec-from-file=-", "--pathspec-file-nul"}
		if e.meta.Settings.Sparse {
			args = append(args, "--sparse")
		}
		_, stderr, err := e.side(ctx, e.scratchPath(), &spec, args...)
		var failed *refs.GitError
		if err == nil || !errors.As(err, &failed) {
			return skipped, err
		}
		if failed.Code == 1 {
			e.meta.Git.Fresh = true
			return append(skipped, paths...), nil
		}
		path, _, _ := failedFilter(stderr)
		i := slices.Index(paths, string(path))
		if i < 0 {
			return skipped, errWholeTree
		}
		e.meta.Git.Fresh = true
		paths, skipped = slices.Delete(paths, i, i+1), append(skipped, string(path))
	}
	return skipped, nil
}

// cleanPath makes a path relative to the top canonical; false if it does not lie in the work tree, or in its git
// directory.
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

// lookupScratch is Lookup for the git method.
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
