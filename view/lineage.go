package view

import (
	"cmp"
	"slices"

	"github.com/git-trace/git-trace/correlate"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/refs"
)

// Anchored is a run of lines of a commit that an agent owns.
type Anchored struct {
	Commit refs.OID // in which it counts
	Path   string   // as raw bytes
	Run    events.AnchorRun
	Owner  events.AnchorOwner
}

// Lineage finds the commits that hold lines of conversations. Where a commit was rewritten, what counts is the commit that
// took its place.
type Lineage struct {
	reader   *index.Index
	replaced map[refs.OID]refs.OID
	anchored map[refs.OID]bool // commits that were asked for, and whether they have an anchor
}

func NewLineage(reader *index.Index) (*Lineage, error) {
	rewritten, err := reader.ByType(events.CommitRewritten)
	if err != nil {
		return nil, err
	}
	l := &Lineage{reader: reader, replaced: map[refs.OID]refs.OID{}, anchored: map[refs.OID]bool{}}
	for _, e := range rewritten {
		for _, pair := range events.DataOf[events.RewriteData](e).Pairs {
			if pair.Old != pair.New && !pair.New.IsZero() {
				l.replaced[pair.Old] = pair.New
			}
		}
	}
	return l, nil
}

// now is the commit that a commit has become.
func (l *Lineage) now(commit refs.OID) refs.OID {
	const most = 1000 // a foreign log may go in circles
	for range most {
		next, ok := l.replaced[commit]
		if !ok {
			return commit
		}
		commit = next
	}
	return commit
}

// heir is the commit under which lines count that a commit holds: itself, or, where it was rewritten and the new one has
// no anchor of its own, the new one. ok is false where the new one's own anchor speaks for the lines.
func (l *Lineage) heir(commit refs.OID) (heir refs.OID, ok bool, err error) {
	heir = l.now(commit)
	if heir == commit {
		return heir, true, nil
	}
	has, asked := l.anchored[heir]
	if !asked {
		named, err := l.reader.ByCommit(heir)
		if err != nil {
			return heir, false, err
		}
		has = slices.ContainsFunc(named, func(e events.Event) bool { return e.Type == events.CommitAnchored })
		l.anchored[heir] = has
	}
	return heir, !has, nil
}

// Holding lists the commits that hold lines of a conversation, by what its summary says.
func (l *Lineage) Holding(held []index.Held) ([]CommitLines, error) {
	sum := map[refs.OID]int{}
	for _, h := range held {
		heir, ok, err := l.heir(h.Commit)
		if err != nil {
			return nil, err
		}
		if ok && h.Lines > 0 { // a revision may have taken them away
			sum[heir] += h.Lines
		}
	}
	out := make([]CommitLines, 0, len(sum))
	for commit, lines := range sum {
		out = append(out, CommitLines{commit, lines})
	}
	sortCommits(out)
	return out, nil
}

// Anchors gives the runs of lines of a conversation whose owner is wanted, each under the commit in which it counts.
func (l *Lineage) Anchors(trace events.TraceID, want func(*events.AnchorOwner) bool) ([]Anchored, error) {
	sum, _, err := l.reader.Trace(trace)
	if err != nil {
		return nil, err
	}
	c := runCollector{trace: trace, want: want, seen: map[anchorPlace]bool{}}
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
		named, err := l.reader.ByCommit(h.Commit)
		if err != nil {
			return nil, err
		}
		for _, e := range named {
			if data := events.DataOf[events.CommitData](e); e.Type == events.CommitAnchored && data.Commit == h.Commit {
				c.take(&data, heir, slices.Contains(e.Method, events.Backfill))
			}
		}
	}
	return c.out, nil
}

// anchorPlace is where a run begins. A commit that was anchored twice counts once.
type anchorPlace struct {
	commit refs.OID
	path   string
	start  int
}

// runCollector gathers runs of anchors.
type runCollector struct {
	trace events.TraceID
	want  func(*events.AnchorOwner) bool
	seen  map[anchorPlace]bool
	out   []Anchored
}

// take gathers the runs of an anchor. What backfill calls moved was committed before: the commit only put it elsewhere, and does not
// count as one that holds the work of the conversation.
func (c *runCollector) take(data *events.CommitData, heir refs.OID, backfilled bool) {
	for _, f := range data.Files {
		path := events.RawPath(f.Path)
		for _, run := range f.Runs {
			if run.Owner < 0 || run.Owner >= len(data.Owners) || run.Count <= 0 {
				continue // foreign, and not what it says it is
			}
			if backfilled && run.Tier == correlate.TierMovedLines {
				continue
			}
			place := anchorPlace{data.Commit, f.Path, run.Start}
			if o := &data.Owners[run.Owner]; o.Trace == c.trace && c.want(o) && !c.seen[place] {
				c.seen[place] = true
				c.out = append(c.out, Anchored{heir, path, run, *o})
			}
		}
	}
}

// CommitLines is how many lines a commit holds.
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
		out[i].Lines += a.Run.Count
	}
	sortCommits(out)
	return out
}

// sortCommits puts the commit with most lines first.
func sortCommits(list []CommitLines) {
	slices.SortFunc(list, func(a, b CommitLines) int {
		return cmp.Or(cmp.Compare(b.Lines, a.Lines), cmp.Compare(a.Commit.String(), b.Commit.String()))
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
