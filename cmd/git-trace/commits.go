package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/refs"
)

// anchored is a run of lines of a commit that an agent owns.
type anchored struct {
	commit refs.OID
	path   string // as stored
	run    events.AnchorRun
	owner  events.AnchorOwner
}

// lineage finds the commits that hold lines of conversations. Where a commit was rewritten, what counts is the commit that
// took its place.
type lineage struct {
	reader   *index.Index
	replaced map[refs.OID]refs.OID
}

func newLineage(reader *index.Index) (*lineage, error) {
	rewritten, err := reader.ByType(events.CommitRewritten)
	if err != nil {
		return nil, err
	}
	l := &lineage{reader: reader, replaced: map[refs.OID]refs.OID{}}
	for _, e := range rewritten {
		for _, pair := range dataOf[events.RewriteData](e).Pairs {
			if pair.Old != pair.New && !pair.New.IsZero() {
				l.replaced[pair.Old] = pair.New
			}
		}
	}
	return l, nil
}

// now is the commit that a commit has become.
func (l *lineage) now(commit refs.OID) refs.OID {
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

// anchors gives the runs of lines whose owner is wanted. Only anchors whose bytes hold the needle are looked into; an
// empty one is in all. Of a commit that was rewritten and that took its anchor along, only the new one counts; where the
// new one has no anchor of its own, the old one's lines count as the new one's.
func (l *lineage) anchors(needle string, want func(*events.AnchorOwner) bool) ([]anchored, error) {
	recorded, err := l.reader.ByType(events.CommitAnchored)
	if err != nil {
		return nil, err
	}
	has := map[refs.OID]bool{}
	seen := map[anchorPlace]bool{}
	var out []anchored
	for _, e := range recorded {
		wanted := bytes.Contains(e.Data, []byte(needle))
		if !wanted && len(l.replaced) == 0 {
			continue
		}
		var data events.CommitData
		if json.Unmarshal(e.Data, &data) != nil {
			continue // foreign, and not what it says it is
		}
		has[data.Commit] = true
		if wanted {
			out = appendRuns(out, &data, want, seen)
		}
	}
	out = slices.DeleteFunc(out, func(a anchored) bool {
		now := l.now(a.commit)
		return now != a.commit && has[now]
	})
	for i := range out {
		out[i].commit = l.now(out[i].commit)
	}
	return out, nil
}

// anchorPlace is where a run begins. A commit that was anchored twice counts once.
type anchorPlace struct {
	commit refs.OID
	path   string
	start  int
}

func appendRuns(
	out []anchored, data *events.CommitData, want func(*events.AnchorOwner) bool, seen map[anchorPlace]bool,
) []anchored {
	for _, f := range data.Files {
		for _, run := range f.Runs {
			if run.Owner < 0 || run.Owner >= len(data.Owners) || run.Count <= 0 {
				continue // foreign, and not what it says it is
			}
			place := anchorPlace{data.Commit, f.Path, run.Start}
			if o := &data.Owners[run.Owner]; want(o) && !seen[place] {
				seen[place] = true
				out = append(out, anchored{data.Commit, f.Path, run, *o})
			}
		}
	}
	return out
}

// commitLines is how many lines a commit holds.
type commitLines struct {
	Commit refs.OID `json:"commit"`
	Lines  int      `json:"lines"`
}

// sumCommits adds up lines by commit, the one with most lines first.
func sumCommits(list []anchored) []commitLines {
	at := map[refs.OID]int{}
	out := []commitLines{}
	for _, a := range list {
		i, ok := at[a.commit]
		if !ok {
			i = len(out)
			at[a.commit] = i
			out = append(out, commitLines{Commit: a.commit})
		}
		out[i].Lines += a.run.Count
	}
	slices.SortStableFunc(out, func(a, b commitLines) int { return cmp.Compare(b.Lines, a.Lines) })
	return out
}

// sumLines adds up lines over all commits.
func sumLines(list []commitLines) int {
	n := 0
	for _, c := range list {
		n += c.Lines
	}
	return n
}
