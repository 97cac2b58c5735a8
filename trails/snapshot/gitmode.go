package snapshot

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// gitState is what the git method remembers beside its scratch index.
type gitState struct {
	Reason   reason
	Index    indexStamp // the user's index that the scratch index was copied from
	Rules    string     // digest of the ignore and attribute files in the work tree
	Fresh    bool       // some paths could not be added: what the scratch index has for them is not to be kept
	Excluded [][]byte   // paths whose filter failed
}

func (e *Engine) scratchPath() string {
	return filepath.Join(filepath.Dir(e.path), "scratch-index")
}

// runGit takes a snapshot by `git add -A` and `git write-tree` on the scratch index.
func (e *Engine) runGit(ctx context.Context, paths []string) (Snapshot, error) {
	e.scratch, e.changed = nil, true
	snap := Snapshot{Method: MethodGit}
	old, err := readIndex(e.scratchPath(), e.repo.Format)
	if err != nil || len(old.entries) == 0 {
		old, paths = &gitIndex{}, nil
	}
	if paths != nil {
		snap.Skipped, err = e.addPaths(ctx, old, paths)
		if err == nil {
			snap.Tree, err = e.writeTree(ctx)
		}
		var failed *refs.GitError
		if errors.Is(err, errWholeTree) || errors.As(err, &failed) {
			paths = nil
		} else if err != nil {
			return snap, err
		}
	}
	if paths == nil {
		if err := e.addEverything(ctx, old, &snap); err != nil {
			return snap, err
		}
	}
	e.meta.Tree = snap.Tree
	return snap, nil
}

// addEverything brings the scratch index up to date and writes its tree. The index starts as a copy of the user's, and
// does so again whenever git would now judge a path differently than when it was added: the scratch index alone would
// keep what was ignored later, and miss what the user forced in.
func (e *Engine) addEverything(ctx context.Context, old *gitIndex, snap *Snapshot) error {
	g := e.meta.Git
	stamp, err := stampIndex(e.userIndex(), e.repo.Format)
	if err != nil {
		return fmt.Errorf("read index: %w", err)
	}
	start := e.now().UnixNano()
	rules := e.rulesSum(old, start)
	if e.meta.Reseed {
		g.Excluded = nil
	}
	fresh := len(old.entries) == 0 || g.Fresh || stamp != g.Index || rules != g.Rules || e.meta.Reseed || e.meta.Rejudge ||
		e.drifted(ctx, old)
	var unreachable [][]byte
	for try := 0; ; try++ {
		if fresh {
			if err := e.copyIndex(); err != nil {
				return err
			}
		}
		got, err := e.addOnce(ctx, try, unreachable)
		if got.unreachable != "" {
			unreachable = append(unreachable, []byte(got.unreachable))
		}
		if err == nil && !got.again && (!got.partly || fresh) {
			if snap.Tree, err = e.writeTree(ctx); err == nil {
				if fresh || snap.Tree != e.meta.Tree { // other directories count from now on
					now, err := readIndex(e.scratchPath(), e.repo.Format)
					if err != nil {
						return err
					}
					rules = e.rulesSum(now, start)
				}
				got.partly = got.partly || len(unreachable) > 0
				g.Index, g.Rules, g.Fresh = stamp, rules, got.partly || len(g.Excluded) > 0
				e.meta.Reseed, e.meta.Rejudge = false, false
				snap.Skipped, err = e.skippedByGit(ctx, got)
				return err
			}
		}
		var failed *refs.GitError
		if err != nil && (fresh || !errors.As(err, &failed)) {
			return err
		}
		fresh = true // a pruned object, a damaged scratch index, a path that could not be added
	}
}

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

// failedFilter finds in git's words which path failed in which required filter.
func failedFilter(stderr []byte) (path, filter string, ok bool) {
	for _, text := range between(string(stderr), "fatal: ", "' failed\n") {
		if path, filter, ok = strings.Cut(text, ": clean filter '"); ok {
			return path, filter, true
		}
	}
	return "", "", false
}

// between picks from each line what stands between its beginning and a later mark.
func between(text, begin, mark string) []string {
	var list []string
	for line := range strings.Lines(text) {
		rest, ok := strings.CutPrefix(line, begin)
		if at := strings.LastIndex(rest, mark); ok && at >= 0 {
			list = append(list, rest[:at])
		}
	}
	return list
}

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

// copyIndex makes the scratch index a copy of the user's, time stamp included: by it git tells which entries are racily
// clean. What a killed git left locked is unlocked; the caller alone works here.
func (e *Engine) copyIndex() error {
	_ = os.Remove(e.scratchPath() + ".lock")
	err := copyFile(e.userIndex(), e.scratchPath())
	if errors.Is(err, fs.ErrNotExist) {
		err = os.Remove(e.scratchPath())
		if errors.Is(err, fs.ErrNotExist) {
			err = os.MkdirAll(filepath.Dir(e.scratchPath()), 0o777)
		}
	}
	if err != nil {
		return fmt.Errorf("copy index: %w", err)
	}
	return nil
}

func copyFile(from, to string) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	data, err := io.ReadAll(f)
	if err != nil {
		return err
	}
	if err := refs.WriteFileAtomic(to, data, 0o600); err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}

func containsBytes(list [][]byte, item []byte) bool {
	for _, b := range list {
		if bytes.Equal(b, item) {
			return true
		}
	}
	return false
}
