package snapshot

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// `added` holds the result of one `git add -A`.
type added struct {
	again    bool     // more paths are excluded now: run git again
	partly   bool     // git left out paths that it cannot read
	unlisted []string // directories that git could not list
}

// exclusion is a path at which git failed, and the state of the file at that time. If the file changes, git tries it
// again.
type exclusion struct {
	Path  []byte
	Stamp string
}

// maxSingleFailures is the number of paths that may fail in a required filter. After that, all paths of the filter are
// left out, because its program is not installed.
const maxSingleFailures = 4

// usageExit is git's exit status for an unknown option.
const usageExit = 129

func (a *addition) addOnce(ctx context.Context, try int) (added, error) {
	args := []string{"add", "-A", "--ignore-errors"}
	if a.e.meta.Settings.Sparse { // include files outside the sparse patterns
		args = append(args, "--sparse")
	}
	nested, err := a.e.addNested(ctx)
	if err != nil {
		return added{}, err
	}
	var spec strings.Builder
	if len(a.avoid)+len(nested) > 0 {
		args = append(args, "--pathspec-from-file=-", "--pathspec-file-nul")
		spec.WriteString(":(top)\x00")
		excluding(&spec, a.avoid)
		excluding(&spec, nested)
	}
	_, stderr, err := a.e.side(ctx, a.e.scratchPath(), strings.NewReader(spec.String()), args...)
	var failed *refs.GitError
	switch {
	case err == nil || errors.As(err, &failed) && failed.Code == 1:
		unlisted := between(string(stderr), "warning: could not open directory '", "/': ")
		denied := bytes.Contains(stderr, []byte(": Permission denied\n"))   // git keeps the entry of an unreadable file
		return added{partly: err != nil || denied, unlisted: unlisted}, nil //nolint:nilerr // git added the rest
	case failed == nil:
		return added{}, err
	case failed.Code == usageExit && a.e.meta.Settings.Sparse: // git before 2.34 does not know the option
		a.e.meta.Settings.Sparse = false
		return added{again: true}, nil
	}
	path, filter, ok := culprit(stderr, func(path string) bool {
		_, err := os.Lstat(a.e.onDisk(path))
		return path != "" && !isGone(err) && !slices.Contains(a.avoid, path)
	})
	switch {
	case !ok:
		return added{}, err
	case strings.Contains(failed.Stderr, "unable to stat"): // at the moment its directory may not be searched
		a.unreachable = true
		a.avoid = append(a.avoid, cmp.Or(parentPath(path), path))
	case filter != "" && try >= maxSingleFailures:
		return added{again: true}, a.excludeFilter(ctx, filter)
	default:
		a.exclude(path)
	}
	return added{again: true}, nil
}

func (a *addition) exclude(path string) {
	if !slices.Contains(a.avoid, path) {
		a.avoid = append(a.avoid, path)
		g := a.e.meta.Git
		g.Excluded = append(g.Excluded, exclusion{[]byte(path), a.e.plainStamp(path)})
	}
}

// reconsider takes over the exclusions of the last snapshot, without files that have changed.
func (a *addition) reconsider() {
	g := a.e.meta.Git
	before := g.Excluded
	g.Excluded = nil
	for _, x := range before {
		if a.e.plainStamp(string(x.Path)) == x.Stamp {
			a.exclude(string(x.Path))
		}
	}
}

// plainStamp returns the state of a file in the work tree.
func (e *Engine) plainStamp(path string) string {
	st, err := statTarget(e.onDisk(path))
	if err != nil {
		return ""
	}
	return fmt.Sprint(st.size, st.mtime, st.ctime)
}

// onDisk returns the path on disk of a path in the work tree.
func (e *Engine) onDisk(path string) string {
	return filepath.Join(e.repo.WorkTree, filepath.FromSlash(path))
}

// excludeFilter excludes every path whose attributes name the filter.
func (a *addition) excludeFilter(ctx context.Context, filter string) error {
	list, _, err := a.e.side(ctx, a.e.scratchPath(), nil, "ls-files", "-z", "-c", "-o", "--exclude-standard")
	if err != nil {
		return err
	}
	paths, err := a.e.withFilter(ctx, a.e.scratchPath(), list, filter)
	for _, path := range paths {
		a.exclude(path)
	}
	return err
}

// withFilter returns the paths whose attribute "filter" has the given value. The parameter `list` is NUL-terminated
// paths.
func (e *Engine) withFilter(ctx context.Context, index string, list []byte, filter string) ([]string, error) {
	out, _, err := e.side(ctx, index, bytes.NewReader(list), "check-attr", "-z", "--stdin", "filter")
	if err != nil {
		return nil, err
	}
	fields := strings.Split(string(out), "\x00")
	var paths []string
	for i := 0; i+2 < len(fields); i += 3 {
		if fields[i+2] == filter {
			paths = append(paths, fields[i])
		}
	}
	return paths, nil
}

// skippedByGit lists the paths that git did not add: files that are still untracked or still differ from the scratch
// index, and directories that git could not list.
func (e *Engine) skippedByGit(ctx context.Context, got added) ([]string, error) {
	paths := got.unlisted
	for _, x := range e.meta.Git.Excluded {
		paths = append(paths, string(x.Path))
	}
	if !got.partly {
		return paths, nil
	}
	for _, args := range [][]string{
		{"ls-files", "-z", "-o", "--exclude-standard"},
		{"diff-files", "-z", "--name-only", "--ignore-submodules=dirty"},
	} {
		out, _, err := e.side(ctx, e.scratchPath(), nil, args...)
		if err != nil {
			return nil, err
		}
		for path := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
			if path != "" {
				paths = append(paths, strings.TrimSuffix(path, "/"))
			}
		}
	}
	return paths, nil
}

func (e *Engine) writeTree(ctx context.Context) (refs.OID, error) {
	out, _, err := e.side(ctx, e.scratchPath(), nil, "write-tree")
	if err != nil {
		return refs.OID{}, err
	}
	return refs.ParseOID(strings.TrimSpace(string(out)))
}
