package belief

import (
	"fmt"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/recording"
	"github.com/git-trace/git-trace/refs"
)

// placedLog is a log that knows where the commits are.
type placedLog struct {
	repo *refs.Repo
	list []events.Event
}

func (l placedLog) ByCommit(refs.OID) ([]events.Event, error) { return l.list, nil }
func (placedLog) OwnWriter() (string, error)                  { return "own", nil }
func (l placedLog) Repo() *refs.Repo                          { return l.repo }

// unplacedLog does not know it.
type unplacedLog struct{ log placedLog }

func (l unplacedLog) ByCommit(id refs.OID) ([]events.Event, error) { return l.log.ByCommit(id) }
func (unplacedLog) OwnWriter() (string, error)                     { return "own", nil }

// claim is what a writer says of a commit: that an agent wrote runs of a file, of so many added lines.
func claim(t *testing.T, writer string, commit refs.OID, path string, added int, runs ...events.AnchorRun) events.Event {
	t.Helper()
	raw, err := events.Encode(events.CommitData{
		Commit: commit, Added: added, Owners: []events.AnchorOwner{{Kind: events.OwnerAI, Session: writer}},
		Files: []events.AnchorFile{{Path: path, Runs: runs}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return events.Event{Type: events.CommitAnchored, Writer: writer, Method: []events.Method{events.Backfill}, Data: raw}
}

func TestWhatOthersSayOfALargeCommitIsHeldAgainstIt(t *testing.T) {
	t.Parallel()
	w := recording.New(t)
	var text strings.Builder
	for i := range 6000 {
		fmt.Fprintf(&text, "line %d\n", i)
	}
	w.Write("f", text.String())
	w.Git("add", "f")
	w.Git("commit", "-qm", "base")
	base := w.Head()
	w.Git("mv", "f", "g")
	w.Write("g", "first\n"+text.String()+"last\n")
	w.Git("commit", "-qam", "two lines, under another name")
	two := w.Head()
	w.Git("checkout", "-q", "-b", "side", base.String())
	w.Write("h", text.String())
	w.Git("add", "h")
	w.Git("commit", "-qm", "side")
	w.Git("merge", "-q", "--no-edit", two.String())
	merge := w.Head()
	run := func(start, count int) events.AnchorRun { return events.AnchorRun{Start: start, Count: count} }
	for name, tt := range map[string]struct {
		commit refs.OID
		said   []events.Event
		added  int
		ai     int
	}{
		"more lines than the file has":             {base, []events.Event{claim(t, "x", base, "f", 6000, run(5001, 1_000_000))}, 6000, 1000},
		"lines that are older than the commit":     {two, []events.Event{claim(t, "x", two, "g", 6002, run(1, 6002))}, 2, 2},
		"under the name of before":                 {two, []events.Event{claim(t, "x", two, "f", 6002, run(1, 6002))}, 2, 0},
		"as many as are not asked about":           {two, []events.Event{claim(t, "x", two, "g", 5000, run(1, 5000))}, 5000, 5000},
		"one more, of two clones together":         {two, []events.Event{claim(t, "x", two, "g", 1, run(1, 2500)), claim(t, "y", two, "g", 1, run(2501, 2501))}, 2, 1},
		"a size alone":                             {two, []events.Event{claim(t, "x", two, "g", 1<<31-1, run(1, 1))}, 2, 1},
		"what the own log says, large as it is":    {two, []events.Event{claim(t, "own", two, "g", 6002, run(1, 6002))}, 6002, 6002},
		"others beside the own log":                {two, []events.Event{claim(t, "own", two, "g", 2, run(1, 1)), claim(t, "x", two, "g", 6002, run(1, 6002))}, 2, 2},
		"of a merge nothing":                       {merge, []events.Event{claim(t, "x", merge, "g", 6002, run(1, 6002))}, 0, 0},
		"of a commit that is not here nothing":     {commitID(7), []events.Event{claim(t, "x", commitID(7), "g", 6002, run(1, 6002))}, 0, 0},
		"of one that is not here, as hooks saw it": {commitID(7), []events.Event{claim(t, "own", commitID(7), "g", 6002, run(1, 6002))}, 6002, 6002},
	} {
		log := placedLog{w.Repo, tt.said}
		c, err := Of(log, tt.commit)
		if err != nil || c.Added != tt.added || c.AI != tt.ai || c.Human != 0 || c.Unknown != tt.added-tt.ai {
			t.Errorf("%s: %d added, %d by agents (%v)", name, c.Added, c.AI, err)
		}
		all, err := All(t.Context(), log, nil, []refs.OID{tt.commit})
		if err != nil || all[0].Added != tt.added || all[0].AI != tt.ai {
			t.Errorf("%s, among others: %d added, %d by agents (%v)", name, all[0].Added, all[0].AI, err)
		}
	}
	c, err := Of(unplacedLog{placedLog{w.Repo, []events.Event{claim(t, "x", two, "g", 6002, run(1, 6002))}}}, two)
	if err != nil || c.AI != 6002 {
		t.Errorf("where nobody knows the commits: %d lines (%v)", c.AI, err)
	}
}
