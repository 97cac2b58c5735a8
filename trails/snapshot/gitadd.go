package snapshot

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// added is what came of one `git add -A`.
type added struct {
	again       bool     // a path was newly excluded: run it again
	partly      bool     // git left out what it could not read
	unlisted    []string // directories that git could not list
	unreachable string   // a directory that may not be searched; git gives up on the first file there
}

func (e *Engine) addOnce(ctx context.Context, try int, unreachable [][]byte) (added, error) {
	args := []string{"add", "-A", "--ignore-errors"}
	if e.meta.Settings.Sparse { // what lies outside the patterns counts too
		args = append(args, "--sparse")
	}
	var spec []byte
	if avoid := slices.Concat(e.meta.Git.Excluded, unreachable); len(avoid) > 0 {
		args = append(args, "--pathspec-from-file=-", "--pathspec-file-nul")
		spec = append(spec, ":(top)\x00"...)
		for _, path := range avoid {
			spec = append(append(append(spec, ":(top,exclude,literal)"...), path...), 0)
		}
	}
	_, stderr, err := e.side(ctx, e.scratchPath(), bytes.NewReader(spec), args...)
	unlisted := between(string(stderr), "warning: could not open directory '", "/': ")
	var failed *refs.GitError
	switch {
	case err == nil || errors.As(err, &failed) && failed.Code == 1:
		partly := err != nil || bytes.Contains(stderr, []byte(": Permission denied\n")) // of what it may not stat, git keeps the entry
		return added{partly: partly, unlisted: unlisted}, nil
	case failed == nil:
		return added{}, err
	}
	for _, path := range between(string(stderr), "fatal: unable to stat '", "': ") {
		if dir := parentPath(path); dir != "" && !containsBytes(unreachable, []byte(dir)) {
			return added{again: true, unreachable: dir}, nil
		}
	}
	path, filter, ok := failedFilter(stderr)
	if !ok || containsBytes(e.meta.Git.Excluded, []byte(path)) {
		return added{}, err
	}
	e.meta.Git.Excluded = append(e.meta.Git.Excluded, []byte(path))
	if try >= maxSingleFailures {
		if err := e.excludeFilter(ctx, filter); err != nil {
			return added{}, err
		}
	}
	return added{again: true}, nil
}

// maxSingleFailures is how many paths may fail in a required filter before all paths of that filter are left out: its
// program is not installed.
const maxSingleFailures = 4

// excludeFilter excludes every path whose attributes name the filter.
func (e *Engine) excludeFilter(ctx context.Context, filter string) error {
	list, _, err := e.side(ctx, e.scratchPath(), nil, "ls-files", "-z", "-c", "-o", "--exclude-standard")
	if err != nil {
		return err
	}
	paths, err := e.withFilter(ctx, e.scratchPath(), list, filter)
	if err != nil {
		return err
	}
	for _, path := range paths {
		if !containsBytes(e.meta.Git.Excluded, path) {
			e.meta.Git.Excluded = append(e.meta.Git.Excluded, path)
		}
	}
	return nil
}

// withFilter picks from NUL-ended paths those whose attribute "filter" has the value given.
func (e *Engine) withFilter(ctx context.Context, index string, list []byte, filter string) ([][]byte, error) {
	out, _, err := e.side(ctx, index, bytes.NewReader(list), "check-attr", "-z", "--stdin", "filter")
	if err != nil {
		return nil, err
	}
	fields := bytes.Split(out, []byte{0})
	var paths [][]byte
	for i := 0; i+2 < len(fields); i += 3 {
		if string(fields[i+2]) == filter {
			paths = append(paths, fields[i])
		}
	}
	return paths, nil
}

// skippedByGit lists what git did not take: files that are still untracked or still differ from the scratch index, and
// directories it could not list.
func (e *Engine) skippedByGit(ctx context.Context, got added) ([]string, error) {
	paths := got.unlisted
	for _, path := range e.meta.Git.Excluded {
		paths = append(paths, string(path))
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

func containsBytes(list [][]byte, item []byte) bool {
	for _, b := range list {
		if bytes.Equal(b, item) {
			return true
		}
	}
	return false
}
