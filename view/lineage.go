package view

import (
	"cmp"
	"slices"

	"github.com/git-trace/git-trace/correlate/belief"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/refs"
)

// Anchored is a run of lines of a commit that an agent owns.
type Anchored struct {
	Commit refs.OID // the commit under which it counts
	Path   string   // path as raw bytes
	Start  int
	Lines  int
	Tier   string
	Owner  events.AnchorOwner
	Blob   refs.OID // blob of the path in the commit; zero if unknown
}

// Lineage finds the commits that hold lines of conversations. For a rewritten commit it returns the commit that
// replaced it.
type Lineage struct {
	reader   *index.Index
	replaced map[refs.OID]refs.OID
	found    *unheard // the results of a search; nil without one
	reached  func([]refs.OID) (map[refs.OID]bool, error)
	search   func([]refs.OID) ([]*belief.Commit, error)
	anchors  map[refs.OID]int                    // the number of events that anchor each requested commit
	lines    map[refs.OID]map[events.TraceID]int // the lines of each conversation, for commits with several anchors
}

func newLineage(reader *index.Index) *Lineage {
	return &Lineage{reader: reader, replaced: map[refs.OID]refs.OID{}, anchors: map[refs.OID]int{},
		lines: map[refs.OID]map[events.TraceID]int{}}
}

// `now` returns the newest replacement of a commit.
func (l *Lineage) now(commit refs.OID) (refs.OID, error) {
	const most = 1000 // a foreign log may contain a circle
	for range most {
		next, err := l.next(commit)
		if err != nil || next.IsZero() {
			return commit, err
		}
		commit = next
	}
	return commit, nil
}

// `next` returns the commit that replaced a commit: the last one in this clone's log, otherwise the first of the
// others; zero if there is none.
func (l *Lineage) next(commit refs.OID) (refs.OID, error) {
	next, asked := l.replaced[commit]
	if asked {
		return next, nil
	}
	heirs, err := l.reader.Heirs(commit)
	if err != nil {
		return next, err
	}
	for _, r := range heirs {
		if r.Voice == heirs[0].Voice {
			next = r.New
		}
	}
	l.replaced[commit] = next
	return next, nil
}

// Replaced reports whether another commit replaced this one; the id may be abbreviated.
func (l *Lineage) Replaced(id string) (bool, error) { return l.reader.HasHeir(id) }

// heir returns the commit under which a commit's lines count: the commit itself, or its replacement if that has no
// anchor. The result `ok` is false if the commit's anchor does not count: a search found the owners, or the replacement
// has its own.
func (l *Lineage) heir(commit refs.OID) (heir refs.OID, ok bool, err error) {
	if heir, err = l.now(commit); err != nil {
		return heir, false, err
	}
	if heir == commit {
		return heir, l.found == nil || l.found.lines[commit] == nil, nil
	}
	if n, err := l.anchorsOf(heir); err != nil || n > 0 || l.found == nil {
		return heir, n == 0, err
	}
	reached, err := l.reached([]refs.OID{heir})
	return heir, !reached[heir], err
}

// anchorsOf counts the events that anchor a commit.
func (l *Lineage) anchorsOf(commit refs.OID) (int, error) {
	n, asked := l.anchors[commit]
	if asked {
		return n, nil
	}
	n, err := l.reader.Anchors(commit)
	l.anchors[commit] = n
	return n, err
}

// Holding lists the commits that hold lines of a conversation, from its summary. The summary adds up single anchors. If
// a commit has several anchors, or a large one, the anchors are compared with each other.
func (l *Lineage) Holding(trace events.TraceID, held []index.Held) ([]CommitLines, error) {
	sum := map[refs.OID]int{}
	for i, h := range held { // sorted by commit
		heir, ok, err := l.heir(h.Commit)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		n, err := l.anchorsOf(h.Commit)
		switch {
		case err != nil:
			return nil, err
		case n == 1 && h.Lines <= belief.Unproved:
			sum[heir] += h.Lines
		case i == 0 || held[i-1].Commit != h.Commit:
			lines, err := l.believed(h.Commit)
			if err != nil {
				return nil, err
			}
			sum[heir] += lines[trace]
		}
	}
	for _, commit := range l.searched(trace) {
		sum[commit] = l.found.lines[commit][trace]
	}
	out := make([]CommitLines, 0, len(sum))
	for commit, lines := range sum {
		if lines > 0 {
			out = append(out, CommitLines{commit, lines})
		}
	}
	sortCommits(out)
	return out, nil
}

// `believed` returns the lines of a commit by conversation.
func (l *Lineage) believed(commit refs.OID) (map[events.TraceID]int, error) {
	if lines, asked := l.lines[commit]; asked {
		return lines, nil
	}
	known, err := belief.Of(l.reader, commit)
	if err != nil {
		return nil, err
	}
	lines := linesByTrace(known)
	l.lines[commit] = lines
	return lines, nil
}

// `searched` lists the commits in which a search found lines of a conversation, in order.
func (l *Lineage) searched(trace events.TraceID) []refs.OID {
	if l.found == nil {
		return nil
	}
	var out []refs.OID
	for commit, held := range l.found.lines {
		if held[trace] > 0 {
			out = append(out, commit)
		}
	}
	slices.SortFunc(out, refs.OID.Compare)
	return out
}

// Anchors returns the runs of a conversation's lines with an owner that the function `want` accepts, each with the
// commit under which it counts.
func (l *Lineage) Anchors(trace events.TraceID, want func(*events.AnchorOwner) bool) ([]Anchored, error) {
	sum, _, err := l.reader.Trace(trace)
	if err != nil {
		return nil, err
	}
	var out []Anchored
	for i, h := range sum.Held { // sorted by commit
		if i > 0 && h.Commit == sum.Held[i-1].Commit {
			continue
		}
		heir, ok, err := l.heir(h.Commit)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		known, err := belief.Of(l.reader, h.Commit)
		if err != nil {
			return nil, err
		}
		out = appendRuns(out, known, heir, trace, want)
	}
	list := l.searched(trace)
	if len(list) == 0 {
		return out, nil
	}
	known, err := l.search(list)
	if err != nil {
		return nil, err
	}
	for _, c := range known {
		out = appendRuns(out, c, c.ID, trace, want)
	}
	return out, nil
}

// appendRuns adds the runs of a commit that the function `want` accepts.
func appendRuns(out []Anchored, c *belief.Commit, under refs.OID, trace events.TraceID,
	want func(*events.AnchorOwner) bool) []Anchored {
	for i := range c.Files {
		f := &c.Files[i]
		for k := range f.Runs {
			if r := &f.Runs[k]; r.Owner.Trace == trace && !r.Elsewhere() && want(r.Owner) {
				out = append(out, Anchored{under, f.Path, r.Start, r.Count, r.Tier, *r.Owner, f.Blob})
			}
		}
	}
	return out
}

// CommitLines is the number of lines in a commit.
type CommitLines struct {
	Commit refs.OID `json:"commit"`
	Lines  int      `json:"lines"`
}

// SumCommits adds up lines by commit.
func SumCommits(list []Anchored) []CommitLines {
	at := map[refs.OID]int{}
	out := []CommitLines{}
	for _, a := range list {
		i, ok := at[a.Commit]
		if !ok {
			i = len(out)
			at[a.Commit] = i
			out = append(out, CommitLines{Commit: a.Commit})
		}
		out[i].Lines += a.Lines
	}
	sortCommits(out)
	return out
}

// sortCommits sorts the commits by number of lines, the largest first.
func sortCommits(list []CommitLines) {
	slices.SortFunc(list, func(a, b CommitLines) int {
		return cmp.Or(cmp.Compare(b.Lines, a.Lines), a.Commit.Compare(b.Commit))
	})
}

// SumLines adds up lines over all commits.
func SumLines(list []CommitLines) int {
	n := 0
	for _, c := range list {
		n += c.Lines
	}
	return n
}
