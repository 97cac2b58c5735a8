package snapshot

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// A repository inside the work tree may be malicious: it may come from an unpacked archive. Git records its commit,
// which it reads from HEAD, config and the ref. `git add -A` does more. It starts `git status` in each repository that
// the index has, and this runs programs that the repository's configuration names. git-update-index(1) does not.

// `nested` lists the entries of an index that are repositories and exist on disk.
func (e *Engine) nested(idx *gitIndex) []string {
	var list []string
	for i := range idx.entries {
		x := &idx.entries[i]
		if x.mode != refs.ModeGitlink {
			continue
		}
		if _, err := os.Lstat(e.onDisk(x.path + "/.git")); err == nil {
			list = append(list, x.path)
		}
	}
	return list
}

// addNested updates the entries of nested repositories in the scratch index. A repository that git cannot read keeps
// its old entry.
func (e *Engine) addNested(ctx context.Context, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	list := strings.NewReader(strings.Join(paths, "\x00") + "\x00")
	_, _, err := e.side(ctx, e.scratchPath(), list, "update-index", "-z", "--stdin")
	var failed *refs.GitError
	if errors.As(err, &failed) {
		return nil
	}
	return err
}

// `apart` divides directories into those that contain some of the repositories, and the others. If a pathspec has an
// exclusion, git does not enter a directory for a single path in it.
func apart(dirs, nested []string) (around, others []string) {
	for _, dir := range dirs {
		if slices.ContainsFunc(nested, func(path string) bool { return strings.HasPrefix(path, dir+"/") }) {
			around = append(around, dir)
		} else {
			others = append(others, dir)
		}
	}
	return around, others
}

// excluding adds pathspecs that exclude paths from `git add`.
func excluding(spec *strings.Builder, paths []string) {
	for _, path := range paths {
		spec.WriteString(":(top,exclude,literal)" + path + "\x00")
	}
}
