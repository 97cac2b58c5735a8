package snapshot

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// A repository inside the work tree may be hostile: somebody may have unpacked an archive. git records its commit, from
// HEAD, config and the ref. `git add -A` does more: it starts `git status` in each one that the index knows, which runs
// the programs that its configuration names. git-update-index(1) does not.

// nested lists the entries of an index that are repositories and are there.
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
// its entry.
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

// apart splits directories into the ones around some of the repositories, and the others. With an exclusion in the
// pathspec, git does not enter a directory for a single path in it.
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

// excluding adds pathspecs that keep `git add` away from paths.
func excluding(spec *strings.Builder, paths []string) {
	for _, path := range paths {
		spec.WriteString(":(top,exclude,literal)" + path + "\x00")
	}
}
