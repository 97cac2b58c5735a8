package trails

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/recorded"
	"github.com/git-trace/git-trace/trails/route"
	"github.com/git-trace/git-trace/trails/sidestore"
	"github.com/git-trace/git-trace/trails/snapshot"
	"github.com/git-trace/git-trace/trails/spool"
)

// Expire removes objects from the side store that are older than a time and in no work tree's last snapshot. If `dry`
// is set, it only counts them.
func Expire(ctx context.Context, repo *refs.Repo, before time.Time, dry bool) (sidestore.Expired, error) {
	trees, err := worktrees(repo)
	if err != nil {
		return sidestore.Expired{}, err
	}
	x := sidestore.Expiry{Before: before, Dry: dry, Roots: func() ([]refs.OID, error) { return lastTrees(trees) }}
	for _, tree := range trees {
		if _, err := os.Stat(tree.WorktreeTracesDir()); err == nil {
			x.Locks = append(x.Locks, lockFile(tree))
		}
	}
	return sidestore.Open(repo).Expire(ctx, x)
}

// lastTrees returns the trees from which the next boundaries of the work trees start: the timeline's tree and the
// snapshot engine's. They differ if a process was killed between the two writes. A tree that was never stored does not
// count.
func lastTrees(trees []*refs.Repo) ([]refs.OID, error) {
	var roots []refs.OID
	for _, tree := range trees {
		st, err := loadState(tree)
		if err != nil {
			return nil, err
		}
		last, err := snapshot.LastTree(snapshotState(tree), tree.Format)
		if err != nil {
			return nil, err
		}
		roots = append(roots, st.Tree, last)
	}
	slices.SortFunc(roots, func(a, b refs.OID) int { return bytes.Compare(a.Bytes(), b.Bytes()) })
	roots = slices.Compact(roots)
	objects := trees[0].Objects()
	defer objects.Close()
	kept := roots[:0]
	for _, oid := range roots {
		switch _, _, err := objects.Read(oid); {
		case err == nil:
			kept = append(kept, oid)
		case !errors.Is(err, refs.ErrMissing): // the zero id is missing, too
			return nil, err
		}
	}
	return kept, nil
}

// Sweep removes half-written files of killed processes, in the side store and in the state of every work tree, and
// returns their number. If `dry` is set, it only counts them.
func Sweep(repo *refs.Repo, now time.Time, dry bool) int {
	n := refs.SweepTemporary(repo.SideObjects(), now, dry)
	trees, err := worktrees(repo)
	if err != nil {
		return n // the next time
	}
	for _, tree := range trees {
		for _, dir := range []string{"", "cache", "pending", "prompts", "spool"} {
			n += refs.SweepHalfWritten(filepath.Join(tree.WorktreeTracesDir(), dir), now, dry)
		}
	}
	return n
}

// worktrees lists the work trees of a repository, the main one first. Only their git directories are set; their work
// tree directories are not.
func worktrees(repo *refs.Repo) ([]*refs.Repo, error) {
	of := func(gitDir string) *refs.Repo {
		tree := *repo
		tree.GitDir = gitDir
		return &tree
	}
	list := []*refs.Repo{of(repo.CommonDir)}
	linked, err := os.ReadDir(filepath.Join(repo.CommonDir, "worktrees"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list work trees: %w", err)
	}
	for _, w := range linked {
		list = append(list, of(filepath.Join(repo.CommonDir, "worktrees", w.Name())))
	}
	return list, nil
}

// Drop reports whether the texts that a tool call of a conversation declared for a path must not be kept.
type Drop func(trace events.TraceID, path string, texts ...string) bool

// Forget drops texts of tool calls from the timeline of a work tree. It also drops boundaries with such texts or
// prompts: boundaries that were put aside, or left by killed processes. It returns the number of changed or deleted
// files. If `dry` is set, it only counts them.
func Forget(repo *refs.Repo, drop Drop, dry bool) (int, error) {
	lock, err := refs.Flock(lockFile(repo), lockWait)
	if err != nil {
		return 0, fmt.Errorf("lock timeline: %w", err)
	}
	defer lock.Unlock()
	n, err := forgetLate(repo, drop, dry)
	if err != nil {
		return n, err
	}
	s, err := loadState(repo)
	if err != nil {
		return n, err
	}
	changed := false
	for _, w := range s.Windows {
		for _, e := range w.Says.Edits {
			if drop(w.Call.Trace, e.Path, e.texts()...) {
				w.Says.Edits, changed = nil, true // the remaining declarations would be false evidence
				break
			}
		}
		said := len(w.Says.Hidden)
		w.Says.Hidden = slices.DeleteFunc(w.Says.Hidden, func(one saying) bool { return drop(w.Call.Trace, one.Path) })
		changed = changed || len(w.Says.Hidden) < said
	}
	if !changed {
		return n, nil
	}
	if !dry {
		err = s.save(repo)
	}
	return n + 1, err
}

func (d *declared) texts() []string {
	out := []string{d.Old, d.New}
	for _, text := range []*string{d.Before, d.After} {
		if text != nil {
			out = append(out, *text)
		}
	}
	return out
}

// forgetLate deletes boundaries that were put aside, and empties the notes of killed processes: an empty note still
// shows a loss.
func forgetLate(repo *refs.Repo, drop Drop, dry bool) (int, error) {
	n := 0
	for _, kind := range []struct {
		suffix string
		decode func([]byte) (spool.Boundary, error)
		forget func(name string) error
	}{
		{spool.LateSuffix, spool.DecodeLate, os.Remove},
		{spool.BegunSuffix, spool.DecodeNote, func(name string) error { return os.Truncate(name, 0) }},
	} {
		names, err := filepath.Glob(filepath.Join(globSafe(spool.Dir(repo)), "*"+kind.suffix))
		if err != nil {
			return n, err
		}
		for _, name := range names {
			raw, err := os.ReadFile(name)
			if err != nil || spool.SaysGitWrote(name, raw) {
				continue
			}
			b, _ := kind.decode(raw) // a damaged file may still contain the text
			if !dropsBoundary(repo, b.Boundary, raw, drop) {
				continue
			}
			n++
			if dry {
				continue
			}
			if err := kind.forget(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return n, fmt.Errorf("drop boundary: %w", err)
			}
		}
	}
	return n, nil
}

// dropsBoundary calls the function `drop` for the bytes of a boundary, for its prompt, and for the texts that its call
// declared for each path.
func dropsBoundary(repo *refs.Repo, b events.Boundary, raw []byte, drop Drop) bool {
	trace := events.NewTraceID(b.Agent, b.Session)
	texts := []string{string(raw)}
	if b.Prompt != nil {
		texts = append(texts, b.Prompt.Text)
	}
	if drop(trace, "", texts...) {
		return true
	}
	if b.Tool == nil {
		return false
	}
	for _, e := range b.Tool.Edits {
		path, _ := route.Inside(repo.WorkTree, route.Target(e.Path)) // none for a path outside
		d := declared{Path: path, Old: e.Old, New: e.New, Before: e.Before, After: e.After}
		if drop(trace, path, d.texts()...) {
			return true
		}
	}
	return false
}

// globSafe escapes the characters that have a meaning for filepath.Glob.
func globSafe(path string) string {
	return strings.NewReplacer("*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// AtWork reports whether a process works on the timeline of a work tree: it holds the lock, or it has left a note and
// is alive.
func AtWork(repo *refs.Repo) bool {
	entries, _ := os.ReadDir(spool.Dir(repo)) // unreadable counts as missing
	for _, entry := range entries {
		pid, name := spool.By(entry.Name()), entry.Name()
		if strings.HasSuffix(name, spool.BegunSuffix) && !spool.Abandoned(name, time.Now()) && pid != os.Getpid() {
			return true
		}
	}
	if _, err := os.Stat(lockFile(repo)); err != nil {
		return false
	}
	lock, err := refs.Flock(lockFile(repo), 0)
	if err != nil {
		return true
	}
	lock.Unlock()
	return false
}

// MissedHooks returns the hooks of a work tree that could not record.
func MissedHooks(repo *refs.Repo) recorded.Missed {
	var known recorded.Missed
	if state, err := loadState(repo); err == nil {
		known = state.Lost.Missed
	}
	known.Add(recorded.MissedIn(repo.GitDir, known.Last))
	return known
}
