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
// It passes lines from a commit to its parents by the hunks of the commit, as git does (descend.go). Git still answers
// for a file that may have had another name. A line that is older than the history has the last commit before it, a
// boundary, as with the option --since. Answers are never stored.
type History struct {
	notes
	since   time.Time
	commits map[refs.OID]*past
	order   []*past              // the commits in the order of git-log(1)
	older   map[refs.OID]*Commit // parents of the commits that are older than since
	kept    map[string]*kept
	objects *refs.Objects
	asked   int // number of times that git had to blame
}

// notes collects changes of files.
type notes struct {
	paths   map[string]bool     // nil for all paths
	renamed map[string][]string // new names of files by old ones
	names   map[string]string   // each path that was seen
}

func newNotes() notes { return notes{renamed: map[string][]string{}, names: map[string]string{}} }

// Known holds the changes of commits that a caller has read for another purpose.
type Known struct {
	notes
	of map[refs.OID]map[string]*change
}

// NewKnown returns an empty collection.
func NewKnown() *Known {
	return &Known{newNotes(), map[refs.OID]map[string]*change{}}
}

// Add adds the changes of a commit without several parents: all its records, and a function that repeats its patch.
func (k *Known) Add(commit refs.OID, records []gitdiff.Record, patch func(gitdiff.Lines) error) error {
	read := make(changes, len(records))
	err := patch(read)
	k.of[commit] = k.changesOf(records, read)
	return err
}

type past struct {
	parents []refs.OID
	told    *Commit              // nil if the commit changed none of the paths
	changes []map[string]*change // changes by path, for each parent; nil for a parent without changes
	number  int                  // index in the order of the history
	before  []*past              // the parents; nil for one outside of the history
	pieces  []piece              // lines of the current question that this commit has
}

// change is the diff of one path between a commit and its parent.
type change struct {
	hunks []hunk
	odd   bool // the change is not only lines of one file
	fresh bool // the file is new, and had no other name before
}

// hunk is a hunk without context: the first line of both sides, and the first one after them. Lines count from 1.
type hunk struct{ old, oldEnd, new, newEnd int32 }

func hunkOf(h gitdiff.Hunk) hunk {
	if h.OldCount == 0 {
		h.OldStart++
	}
	if h.NewCount == 0 {
		h.NewStart++
	}
	return hunk{int32(h.OldStart), int32(h.OldStart + h.OldCount), int32(h.NewStart), int32(h.NewStart + h.NewCount)}
}

// learn adds the changes from one parent, the next one. Changes from all parents have the last one's at the end, and
// replace others.
func (p *past) learn(found []map[string]*change) {
	last := len(found) - 1
	for i, byPath := range found[:last] {
		maps.Copy(p.changes[i], byPath)
	}
	p.changes = append(p.changes, found[last])
}

// ReadHistory reads the changes of paths in the commits of all branches and tags since a time. Paths are raw bytes. If
// there are many, it reads the changes of all paths. Commits in `known` are not read again; it may be nil.
func ReadHistory(ctx context.Context, repo *refs.Repo, since time.Time, paths []string, known *Known) (
	*History, error) {
	if len(paths) > fewPaths && known == nil {
		known = NewKnown()
	}
	h := &History{
		since: since, commits: map[refs.OID]*past{}, older: map[refs.OID]*Commit{},
		kept: map[string]*kept{}, objects: repo.Objects(),
	}
	if known != nil {
		h.notes, paths = known.notes, nil
	} else {
		known, h.notes = &Known{}, newNotes()
		h.paths = map[string]bool{}
	}
	for _, path := range paths {
		h.paths[path] = true
	}
	var lost []refs.OID
	ask := func(of *questions, read func(*gitdiff.Reader) ([]map[string]*change, error), args ...string) error {
		args = append(append(args, "--root", "--"), paths...)
		skipped, err := gitdiff.Each(ctx, repo, args, of.lines, func(i int, r *gitdiff.Reader) (func() error, error) {
			r.MaxLine = 1 << 10 // the texts of lines are not needed
			found, err := read(r)
			p := h.commits[of.commits[i]]
			return func() error { p.learn(found); return nil }, err
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
	h.without(single, known)
	err = ask(single, h.readChanges, gitdiff.Patch()...)
	if err == nil {
		err = ask(firsts, h.readChanges, gitdiff.Raw()...)
	}
	if err == nil {
		err = ask(merges, h.readCombined, append(gitdiff.Patch(), "--no-renames", "-c", "-U1")...)
	}
	if err != nil {
		return nil, fmt.Errorf("read changes: %w", err)
	}
	for _, id := range lost { // git must find where its lines went
		delete(h.commits, id)
	}
	for _, p := range h.commits {
		for _, parent := range p.parents {
			p.before = append(p.before, h.commits[parent])
		}
		if !slices.ContainsFunc(p.changes, func(of map[string]*change) bool { return len(of) > 0 }) {
			p.told = nil
		}
	}
	return h, nil
}

// without takes known commits from the questions.
func (h *History) without(single *questions, known *Known) {
	all := *single
	*single = questions{}
	for i, commit := range all.commits {
		if byPath, is := known.of[commit]; is {
			h.commits[commit].learn([]map[string]*change{byPath})
		} else {
			single.add(commit, all.lines[i])
		}
	}
}

func (n *notes) has(path string) bool { return n.paths == nil || n.paths[path] }

// Commits returns the commits of the history and the last ones before it, in any order.
func (h *History) Commits() []refs.OID {
	return slices.AppendSeq(slices.Collect(maps.Keys(h.commits)), maps.Keys(h.older))
}

// Renamed returns the names that a file of a commit got in any later commit. The result `known` is false if the history
// does not cover the commit or all paths.
func (h *History) Renamed(commit refs.OID, path string) (names []string, known bool) {
	if h.commits[commit] == nil || h.paths != nil {
		return nil, false
	}
	open := []string{path}
	for len(open) > 0 {
		for _, name := range h.renamed[open[0]] {
			if name != path && !slices.Contains(names, name) {
				names, open = append(names, name), append(open, name)
			}
		}
		open = open[1:]
	}
	return names, true
}

// Close ends the processes that the history started.
func (h *History) Close() error { return h.objects.Close() }

// `Between` lists commits that were made in a period and changed one of some paths. It leaves out merges. The parameter
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
