package gitblame

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/gitdiff"
)

// History holds the changes of many commits to some paths. Git lists them in a few processes. With a History most
// blames of these paths need no process. It is for callers with hundreds of blames. It is not safe for concurrent use.
//
// It composes answers as the cache does (cache.go), but from hunks instead of a bounded blame: git's answer for a
// commit is the answer for its parent, changed by the hunks of the commit. Git still answers where a file is new or
// renamed, and where a merge changed it on both sides. A line that is older than the history has the last commit before
// it, a boundary, as with the option --since. Composed answers are never stored.
type History struct {
	since   time.Time
	paths   map[string]bool // nil for all paths
	commits map[refs.OID]*past
	older   map[refs.OID]*Commit // parents of the commits that are older than since
	kept    map[string]*kept
	objects *refs.Objects
	asked   int // number of times that git had to blame
}

type past struct {
	parents []refs.OID
	told    *Commit              // nil if the commit changed none of the paths
	changes []map[string]*change // changes by path, for each parent; nil for a parent without changes
}

// change is the diff of one path between a commit and its parent.
type change struct {
	hunks []gitdiff.Hunk
	odd   bool // the change is not only lines of one file
}

// ReadHistory reads the changes of paths in the commits of all branches and tags since a time. Paths are raw bytes. If
// there are many, it reads the changes of all paths.
func ReadHistory(ctx context.Context, repo *refs.Repo, since time.Time, paths []string) (*History, error) {
	h := &History{
		since: since, paths: map[string]bool{}, commits: map[refs.OID]*past{}, older: map[refs.OID]*Commit{},
		kept: map[string]*kept{}, objects: repo.Objects(),
	}
	if len(paths) > fewPaths {
		paths, h.paths = nil, nil
	}
	for _, path := range paths {
		h.paths[path] = true
	}
	var lost []refs.OID
	ask := func(of *questions, read func(*gitdiff.Reader) (map[string]*change, error), args ...string) error {
		args = append(append(args, "--root", "--"), paths...)
		skipped, err := gitdiff.Each(ctx, repo, args, of.lines, func(i int, r *gitdiff.Reader) (func() error, error) {
			r.MaxLine = 1 << 10 // the texts of lines are not needed
			changes, err := read(r)
			p := h.commits[of.commits[i]]
			return func() error { p.changes = append(p.changes, changes); return nil }, err
		})
		for _, i := range skipped {
			lost = append(lost, of.commits[i])
		}
		return err
	}
	single, firsts, merges, err := h.list(ctx, repo)
	if err != nil {
		return nil, fmt.Errorf("list commits: %w", err)
	}
	trees := append(gitdiff.Raw(), "--no-renames")
	if err := cmp.Or(ask(single, h.readChanges, gitdiff.Patch()...), ask(firsts, h.readChanges, trees...),
		ask(merges, h.readCombined, append(trees, "-c")...)); err != nil {
		return nil, fmt.Errorf("read changes: %w", err)
	}
	for _, id := range lost { // git must find where its lines went
		delete(h.commits, id)
	}
	for _, p := range h.commits {
		if !slices.ContainsFunc(p.changes, func(of map[string]*change) bool { return len(of) > 0 }) {
			p.told = nil
		}
	}
	return h, nil
}

func (h *History) has(path string) bool { return h.paths == nil || h.paths[path] }

// Commits returns the commits of the history in any order.
func (h *History) Commits() []refs.OID { return slices.Collect(maps.Keys(h.commits)) }

// Close ends the processes that the history started.
func (h *History) Close() error { return h.objects.Close() }

// Between lists commits that were made in a period and changed one of some paths. It leaves out merges. The parameter
// `most` is the largest number of commits; if there are more, it returns the newest ones. The result `known` is false
// if the history does not cover the period or a path.
func (h *History) Between(from, to time.Time, paths []string, most int) (list []refs.OID, known bool) {
	if from.Before(h.since) || slices.ContainsFunc(paths, func(path string) bool { return !h.has(path) }) {
		return nil, false
	}
	for id, p := range h.commits {
		if p.told == nil || len(p.parents) > 1 || p.told.Committer.Time < from.Unix() || p.told.Committer.Time > to.Unix() {
			continue
		}
		if slices.ContainsFunc(paths, func(path string) bool { return p.changes[0][path] != nil }) {
			list = append(list, id)
		}
	}
	slices.SortFunc(list, func(a, b refs.OID) int {
		return cmp.Or(cmp.Compare(h.commits[b].told.Committer.Time, h.commits[a].told.Committer.Time), a.Compare(b))
	})
	return list[:min(len(list), most)], true
}

func regular(mode uint32) bool { return mode == refs.ModeFile || mode == refs.ModeExec }

// `before` returns the parent with which a blame of the path continues, and the change from that parent. ok is false if
// git must answer, for example for a commit outside of the history.
func (p *past) before(path string) (parent refs.OID, c *change, ok bool) {
	if p == nil {
		return parent, nil, false
	}
	for i, parent := range p.parents {
		if p.changes[i][path] == nil { // git credits the whole file to the first parent that has the same one
			return parent, nil, true
		}
	}
	if len(p.parents) != 1 {
		return parent, nil, false
	}
	c = p.changes[0][path]
	return p.parents[0], c, !c.odd
}

// answer does the same as recall, with the help of the history.
func (h *History) answer(q *inquiry) (*answer, [][]byte) {
	if config := q.settings(); len(q.how) > 0 || ownDiff(config.Config) || h.older[q.commit] != nil || !h.has(q.path) {
		return nil, nil
	}
	k := h.kept[q.path]
	if k == nil || k.context != q.context {
		k = &kept{path: q.path, context: q.context, passing: true}
		h.kept[q.path] = k
	}
	a, lines := q.recall(k)
	if a == nil && h.follow(q, k) {
		a, lines = q.recall(k)
	}
	return a, lines
}

// ownDiff reports whether the configuration has settings that a blame and a diff may apply differently.
func ownDiff(config refs.Config) bool {
	for key := range config.Entries() {
		if strings.HasPrefix(key, "diff.") && (strings.HasSuffix(key, "algorithm") || strings.HasSuffix(key, "heuristic")) {
			return true
		}
	}
	return false
}

// follow adds the answer for the commit in question to the kept ones. It starts from the nearest ancestor with a kept
// answer.
func (h *History) follow(q *inquiry, k *kept) bool {
	type step struct {
		of     *past
		change *change
	}
	var way []step
	var base *answer
	for at := q.commit; base == nil; {
		if base = k.find(at, func(a *answer) bool { return !a.pending }); base != nil {
			break
		}
		p := h.commits[at]
		parent, c, ok := p.before(q.path)
		if !ok {
			if base = h.begin(q, k, at); base == nil {
				base = h.asOf(q, k, at)
			}
			break
		}
		if c != nil {
			way = append(way, step{p, c})
		}
		at = parent
	}
	switch {
	case base == nil:
		return false
	case len(way) == 0:
		k.also(base, q.commit)
		return true
	}
	t := tableOf(k)
	runs := base.runs
	for _, s := range slices.Backward(way) {
		from := t.source(&Line{Commit: s.of.told, OrigPath: q.path, Previous: Origin{s.of.parents[0], q.path}})
		var ok bool
		if runs, ok = over(runs, s.change.hunks, from); !ok {
			return false
		}
	}
	here, err := h.objects.EntryAt(q.commit, q.path)
	if err != nil || !regular(here.Mode) {
		return false
	}
	k.put(&answer{commits: []refs.OID{q.commit}, content: here.OID, runs: runs})
	return true
}

// begin returns the answer for a commit before the history: all lines are its own. It returns nil for other commits.
func (h *History) begin(q *inquiry, k *kept, commit refs.OID) *answer {
	at := h.older[commit]
	if at == nil {
		return nil
	}
	here, err := h.objects.EntryAt(commit, q.path)
	if err != nil || !regular(here.Mode) {
		return nil
	}
	content, err := h.objects.Blob(here.OID)
	if err != nil {
		return nil
	}
	a := &answer{commits: []refs.OID{commit}, content: here.OID}
	if lines := splitLines(content); len(lines) > 0 {
		a.add(tableOf(k).source(&Line{Commit: at, OrigPath: q.path}), 1, len(lines))
	}
	k.put(a)
	return a
}

// asOf asks git for the answer for another commit, and stores it.
func (h *History) asOf(q *inquiry, k *kept, commit refs.OID) *answer {
	h.asked++
	older := *q
	older.pending, older.commit, older.since = false, commit, h.sinceOption()
	bases := k.bases()
	older.withoutNewer(bases)
	a, lines := older.compose(k, bases)
	if a == nil && len(bases) > 0 {
		a, lines = older.compose(k, nil)
	}
	if a == nil || !older.keep(k, a, lines) {
		return nil
	}
	return k.find(commit, func(a *answer) bool { return !a.pending })
}

// `over` applies the hunks of a commit to the origins of its parent's lines. It returns false if they do not fit.
func over(old []run, hunks []gitdiff.Hunk, from *source) ([]run, bool) {
	var out answer
	rest := slices.Clone(old)
	take := func(n int, keep bool) bool {
		for n > 0 && len(rest) > 0 {
			r := &rest[0]
			some := min(n, r.count)
			if keep {
				out.add(r.from, r.line, some)
			}
			r.line, r.count, n = r.line+some, r.count-some, n-some
			if r.count == 0 {
				rest = rest[1:]
			}
		}
		return n == 0
	}
	before, after := 0, 0 // number of lines of each side that are done
	for _, h := range hunks {
		first, line := h.OldStart-1, h.NewStart
		if h.OldCount == 0 {
			first++
		}
		if h.NewCount == 0 {
			line++
		}
		same := first - before
		if same < 0 || after+same != line-1 || !take(same, true) || !take(h.OldCount, false) {
			return nil, false
		}
		if h.NewCount > 0 {
			out.add(from, line, h.NewCount)
		}
		before, after = first+h.OldCount, line-1+h.NewCount
	}
	for _, r := range rest {
		out.add(r.from, r.line, r.count)
	}
	return out.runs, true
}
