package snapshot

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
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
	return filepath.Join(e.repo.WorktreeTracesDir(), "scratch-index")
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
	rules := e.rulesSum(old)
	if e.meta.Reseed {
		g.Excluded = nil
	}
	fresh := len(old.entries) == 0 || g.Fresh || stamp != g.Index || rules != g.Rules || e.meta.Reseed || e.meta.Rejudge ||
		e.reappeared(ctx, old)
	for try := 0; ; try++ {
		if fresh {
			if err := e.copyIndex(); err != nil {
				return err
			}
		}
		again, partly, err := e.addOnce(ctx, try)
		if err == nil && !again && (!partly || fresh) {
			if snap.Tree, err = e.writeTree(ctx); err == nil {
				g.Index, g.Rules, g.Fresh = stamp, rules, partly || len(g.Excluded) > 0
				e.meta.Reseed, e.meta.Rejudge = false, false
				snap.Skipped, err = e.skipped(ctx, partly)
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

// reappeared tells whether a tracked path that was gone is there again. The scratch index has forgotten that it is
// tracked, and would leave it out if it is ignored.
func (e *Engine) reappeared(ctx context.Context, scratch *gitIndex) bool {
	user, err := loadIndex(ctx, e.repo, e.userIndex())
	if err != nil {
		return true
	}
	at := 0
	for i := range user.entries {
		path := user.entries[i].path
		for at < len(scratch.entries) && scratch.entries[at].path < path {
			at++
		}
		if at < len(scratch.entries) && scratch.entries[at].path == path {
			continue
		}
		if _, err := os.Lstat(filepath.Join(e.repo.WorkTree, filepath.FromSlash(path))); err == nil {
			return true
		}
	}
	return false
}

// addOnce runs `git add -A` once. again means that a path was newly excluded; partly that git left out some it could not
// read.
func (e *Engine) addOnce(ctx context.Context, try int) (again, partly bool, err error) {
	args := []string{"add", "-A", "--ignore-errors"}
	if e.meta.Settings.Sparse { // what lies outside the patterns counts too
		args = append(args, "--sparse")
	}
	var spec []byte
	if len(e.meta.Git.Excluded) > 0 {
		args = append(args, "--pathspec-from-file=-", "--pathspec-file-nul")
		spec = append(spec, ":(top)\x00"...)
		for _, path := range e.meta.Git.Excluded {
			spec = append(append(append(spec, ":(top,exclude,literal)"...), path...), 0)
		}
	}
	_, stderr, err := e.side(ctx, e.scratchPath(), bytes.NewReader(spec), args...)
	var failed *refs.GitError
	switch {
	case err == nil:
		return false, false, nil
	case !errors.As(err, &failed):
		return false, false, err
	case failed.Code == 1:
		return false, true, nil
	}
	path, filter, ok := failedFilter(stderr)
	if !ok || containsBytes(e.meta.Git.Excluded, path) {
		return false, false, err
	}
	e.meta.Git.Excluded = append(e.meta.Git.Excluded, path)
	if try >= maxSingleFailures {
		if err := e.excludeFilter(ctx, filter); err != nil {
			return false, false, err
		}
	}
	return true, false, nil
}

// maxSingleFailures is how many paths may fail in a required filter before all paths of that filter are left out: its
// program is not installed.
const maxSingleFailures = 4

var filterFailure = regexp.MustCompile(`(?m)^fatal: (.*): clean filter '(.*)' failed$`)

// failedFilter finds in git's words which path failed in which required filter.
func failedFilter(stderr []byte) (path []byte, filter string, ok bool) {
	m := filterFailure.FindSubmatch(stderr)
	if m == nil {
		return nil, "", false
	}
	return bytes.Clone(m[1]), string(m[2]), true
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

// skipped lists what git did not take: files that are still untracked or still differ from the scratch index.
func (e *Engine) skipped(ctx context.Context, partly bool) ([]string, error) {
	var paths []string
	for _, path := range e.meta.Git.Excluded {
		paths = append(paths, string(path))
	}
	if !partly {
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

// rulesSum is a digest of the ignore and attribute files in the directories of an index, ignored ones among them.
func (e *Engine) rulesSum(idx *gitIndex) string {
	h := sha256.New()
	add := func(path string) {
		full := filepath.Join(e.repo.WorkTree, filepath.FromSlash(path))
		if info, err := os.Lstat(full); err != nil || !info.Mode().IsRegular() || info.Size() > maxRuleFile {
			return
		}
		if content, err := os.ReadFile(full); err == nil {
			_, _ = fmt.Fprintf(h, "%s\x00%d\x00", path, len(content))
			_, _ = h.Write(content)
		}
	}
	add(".gitignore")
	add(".gitattributes")
	last := ""
	for i := range idx.entries {
		dir := parentPath(idx.entries[i].path)
		if dir == last {
			continue
		}
		for d := dir; d != "" && !strings.HasPrefix(last+"/", d+"/"); d = parentPath(d) {
			add(d + "/.gitignore")
			add(d + "/.gitattributes")
		}
		last = dir
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

func containsBytes(list [][]byte, item []byte) bool {
	for _, b := range list {
		if bytes.Equal(b, item) {
			return true
		}
	}
	return false
}
