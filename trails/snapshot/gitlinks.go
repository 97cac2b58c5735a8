package snapshot

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// A repository inside the work tree may be malicious: it may come from an unpacked archive. Git records its commit,
// which it reads from HEAD, config and the ref. `git add -A` does more. It starts `git status` in each repository that
// the index has, and this runs programs that the repository's configuration names. git-update-index(1) does not.

// addNested updates the entries of the repositories in the scratch index, and lists the repositories. One that git
// cannot read keeps its old entry.
func (e *Engine) addNested(ctx context.Context) (nested []string, err error) {
	idx, err := loadIndex(ctx, e.repo, e.scratchPath())
	if err != nil {
		return nil, err
	}
	for i := range idx.entries {
		x := &idx.entries[i]
		if x.mode != refs.ModeGitlink {
			continue
		}
		if _, err := os.Lstat(e.onDisk(x.path + "/.git")); err == nil {
			nested = append(nested, x.path)
		}
	}
	if len(nested) == 0 {
		return nil, nil
	}
	list := strings.NewReader(strings.Join(nested, "\x00") + "\x00")
	_, _, err = e.side(ctx, e.scratchPath(), list, "update-index", "-z", "--stdin")
	var failed *refs.GitError
	if errors.As(err, &failed) {
		err = nil
	}
	return nested, err
}

// excluding adds pathspecs that exclude paths from `git add`.
func excluding(spec *strings.Builder, paths []string) {
	for _, path := range paths {
		spec.WriteString(":(top,exclude,literal)" + path + "\x00")
	}
}
