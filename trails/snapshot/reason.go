package snapshot

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// reasonKind says when a reason for the git method must be checked again.
type reasonKind string

const (
	reasonSystem  reasonKind = "system"
	reasonConfig  reasonKind = "config"  // until the configuration changes
	reasonIndex   reasonKind = "index"   // until the index does not have such entries any longer
	reasonPath    reasonKind = "path"    // until nothing is at the path
	reasonMissing reasonKind = "missing" // until a file is at the path, or the index changes
)

// reason says why git-trace's own method cannot be used.
type reason struct {
	Kind reasonKind
	Text string
	Path []byte // raw bytes, because a path need not be UTF-8
}

// unsupportedError ends a snapshot by git-trace's own method. The git method then takes the snapshot.
type unsupportedError struct{ reason reason }

func (e *unsupportedError) Error() string { return "needs git: " + e.reason.Text }

func unsupported(kind reasonKind, path, text string) error {
	return &unsupportedError{reason{Kind: kind, Text: text, Path: []byte(path)}}
}

// reasonForGit decides, before the scan, whether the git method is used.
func (e *Engine) reasonForGit(ctx context.Context) (*reason, error) {
	switch {
	case !ownEngine || e.git:
		return &reason{Kind: reasonSystem, Text: "own method not available"}, nil
	case e.meta.Settings.Unsupported != "":
		return &reason{Kind: reasonConfig, Text: e.meta.Settings.Unsupported}, nil
	case e.meta.Git == nil:
		return nil, nil
	}
	was := e.meta.Git.Reason
	holds, err := e.stillHolds(ctx, was)
	if err != nil || holds {
		return &was, err
	}
	return nil, nil
}

func (e *Engine) stillHolds(ctx context.Context, r reason) (bool, error) {
	info, statErr := os.Lstat(filepath.Join(e.repo.WorkTree, string(r.Path)))
	switch r.Kind {
	case reasonPath:
		return statErr == nil, nil
	case reasonIndex, reasonMissing:
		stamp, err := stampIndex(e.userIndex(), e.repo.Format)
		if err != nil {
			return false, err
		}
		if stamp == e.meta.Git.Index {
			//nolint:nilerr // a path that is not there
			return r.Kind == reasonIndex || statErr != nil || !info.Mode().IsRegular(), nil
		}
		if r.Kind == reasonMissing {
			return false, nil
		}
		idx, err := loadIndex(ctx, e.repo, e.userIndex())
		if err != nil {
			return false, err
		}
		return idx.unsupported() != nil, nil
	}
	return false, nil
}

// `unsupported` returns the reason why a work tree with this index needs the git method, or nil.
func (x *gitIndex) unsupported() error {
	if x.sparse {
		return unsupported(reasonIndex, "", "sparse index")
	}
	for i := range x.entries {
		e := &x.entries[i]
		switch {
		case e.mode&typeMask == refs.ModeGitlink:
			return unsupported(reasonIndex, e.path, "submodule")
		case e.flags&skipWorktree != 0:
			return unsupported(reasonIndex, e.path, "entry marked skip-worktree")
		case e.flags&assumeUnchanged != 0:
			return unsupported(reasonIndex, e.path, "entry marked assume-unchanged")
		}
	}
	return nil
}

// OddName reports whether git may treat a name as ".git", or refuse it because another system would treat it so
// (core.protectNTFS, core.protectHFS). Git must decide about such names. Names like .gitignore and .github are not odd.
func OddName(name string) bool {
	if strings.Contains(name, `\`) {
		return true
	}
	if c := name[0]; c != '.' && c != 'g' && c != 'G' && c < 0x80 {
		return false
	}
	plain := make([]byte, 0, len(name))
	for i := range len(name) {
		if name[i] < 0x80 { // HFS+ ignores certain characters, none of which are ASCII
			plain = append(plain, name[i])
		}
	}
	lower := lowerASCII(string(plain))
	if strings.HasPrefix(lower, "git~") {
		return true
	}
	rest, ok := strings.CutPrefix(lower, ".git")
	if !ok {
		return false
	}
	if len(plain) != len(name) || rest == "" || strings.IndexByte(" .:", rest[0]) >= 0 {
		return true
	}
	return rest == "modules" && name != ".gitmodules"
}
