package trails

import (
	"fmt"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/gitfacts"
	"github.com/git-trace/git-trace/trails/ledger"
	"github.com/git-trace/git-trace/trails/origin"
	"github.com/git-trace/git-trace/trails/snapshot"
	"github.com/git-trace/git-trace/trails/vector"
)

// Two looks in a row are one: what changed back is no change.
func TestTwoLooksAreJoined(t *testing.T) {
	t.Parallel()
	change := func(path string, from, to int) snapshot.Change {
		c := snapshot.Change{Path: path}
		if from > 0 {
			c.Old, c.OldMode = numbered(t, from), 0o100644
		}
		if to > 0 {
			c.New, c.NewMode = numbered(t, to), 0o100644
		}
		return c
	}
	mode := change("m", 1, 1)
	mode.NewMode = 0o100755
	passed := change("p", 1, 2)
	passed.PassedOver = true
	for name, tt := range map[string]struct {
		first, second []snapshot.Change
		want          string
	}{
		"of two paths":               {[]snapshot.Change{change("b", 1, 2)}, []snapshot.Change{change("a", 3, 4)}, "a 3→4 b 1→2"},
		"of one path":                {[]snapshot.Change{change("a", 1, 2)}, []snapshot.Change{change("a", 2, 3)}, "a 1→3"},
		"changed back":               {[]snapshot.Change{change("a", 1, 2), change("b", 1, 2)}, []snapshot.Change{change("a", 2, 1)}, "b 1→2"},
		"came and went":              {[]snapshot.Change{change("a", 0, 2)}, []snapshot.Change{change("a", 2, 0)}, ""},
		"the mode alone":             {nil, []snapshot.Change{mode}, "m 1→1"},
		"passed over in the first":   {[]snapshot.Change{passed}, []snapshot.Change{change("p", 2, 3)}, "p 1→3!"},
		"passed over in the second":  {[]snapshot.Change{change("p", 4, 1)}, []snapshot.Change{passed}, "p 4→2!"},
		"passed over by neither one": {[]snapshot.Change{change("p", 4, 1)}, []snapshot.Change{change("p", 1, 3)}, "p 4→3"},
	} {
		var got []string
		for _, c := range chain(tt.first, tt.second) {
			short := func(oid refs.OID) string { return strings.TrimLeft(oid.String(), "0") }
			got = append(got, fmt.Sprintf("%s %s→%s%s", c.Path, short(c.Old), short(c.New), map[bool]string{true: "!"}[c.PassedOver]))
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: %v, want %s", name, got, tt.want)
		}
	}
}

// Whether a path that came or went makes everything be looked at, for its other name.
func TestWhatMayBeARename(t *testing.T) {
	t.Parallel()
	sc := newScene(t)
	sc.commit()
	a, b := sc.text("a", "a\n"), sc.text("b", "b\n")
	came, went := snapshot.Change{Path: "f", New: a.OID}, snapshot.Change{Path: "f", Old: a.OID}
	restored := func(s *step) {
		s.tree.asks.Whole = &origin.Work{Work: s.tree.origins.workAfter(s.tree.now), Restored: true}
	}
	for name, tt := range map[string]struct {
		change snapshot.Change
		before func(*step)
		want   bool
	}{
		"a change of content":               {snapshot.Change{Path: "f", Old: a.OID, New: b.OID}, nil, false},
		"a new file":                        {came, nil, true},
		"a file that is gone":               {went, nil, true},
		"an announced one":                  {came, func(s *step) { s.tree.state.Notes.Expected = map[string]refs.OID{"f": a.OID} }, false},
		"announced with other content":      {came, func(s *step) { s.tree.state.Notes.Expected = map[string]refs.OID{"f": b.OID} }, true},
		"made by an edit call":              {came, func(s *step) { s.tree.state.Windows = []*Window{window("S", "c", events.ToolEdits, "f")} }, false},
		"an edit call of another path":      {came, func(s *step) { s.tree.state.Windows = []*Window{window("S", "c", events.ToolEdits, "g")} }, true},
		"a command may have moved it":       {came, func(s *step) { s.tree.state.Windows = []*Window{window("S", "c", events.ToolRuns)} }, true},
		"git wrote, and it was there once":  {came, func(s *step) { restored(s); s.tree.store.known.Put("f", a.OID, vector.Uniform(1, vector.Unknown)) }, false},
		"git wrote, and it was never there": {came, restored, true},
		"git wrote, and deleted it":         {went, restored, false},
	} {
		here := sc.step.tree
		store := *here.store
		store.known = ledger.NewKnown(here.repo)
		tree := workTreeOf(&store, here.time, &state{Interval: 9, LastFull: 5})
		tree.now, tree.interval, tree.asks.Head, tree.asks.Whole = here.now, here.interval, here.asks.Head, here.asks.Whole
		s := New(here.repo, nil, nil).newStep(tree, newPage(""), "")
		if tt.before != nil {
			tt.before(s)
		}
		if got := s.looks.mayBeRenamed([]snapshot.Change{tt.change}); got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

// What is known of git since a look: whether it wrote files, or may have applied a stash.
func TestWhatGitDidSinceALook(t *testing.T) {
	t.Parallel()
	sc := newScene(t)
	sc.commit()
	const odd = 5e9 + 1
	mark := sc.step.tree.now
	for name, tt := range map[string]struct {
		interval, restoredAt int64
		change               func(now *gitfacts.Mark)
		restored, doubtful   bool
	}{
		"nothing":                              {9, 0, func(*gitfacts.Mark) {}, false, false},
		"a hook said that git wrote":           {9, 7, func(*gitfacts.Mark) {}, true, false},
		"a hook said so before the look":       {9, 6, func(*gitfacts.Mark) {}, false, false},
		"git took a step":                      {9, 0, func(m *gitfacts.Mark) { m.Done++ }, true, false},
		"a new index, and there are stashes":   {9, 0, func(m *gitfacts.Mark) { m.Index = odd }, true, true},
		"git wrote, and there are stashes":     {9, 7, func(m *gitfacts.Mark) { m.Index = odd }, true, false},
		"nothing is compared at the beginning": {0, 7, func(m *gitfacts.Mark) { m.Done++ }, false, false},
	} {
		s := workTreeOf(sc.step.tree.store, sc.step.tree.time, &state{Interval: tt.interval, RestoredAt: tt.restoredAt})
		before := mark
		before.Stashes = []refs.OID{numbered(t, 1)}
		s.now = before
		tt.change(&s.now)
		w := s.origins.workSince(before, 6)
		if w.Restored != tt.restored || w.Doubtful != tt.doubtful || w.Elsewhere {
			t.Errorf("%s: wrote %v, doubtful %v, elsewhere %v; want %v, %v", name, w.Restored, w.Doubtful, w.Elsewhere, tt.restored, tt.doubtful)
		}
	}
}
