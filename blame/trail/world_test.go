package trail

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/blame"
	"github.com/git-trace/git-trace/blame/gitblame"
	"github.com/git-trace/git-trace/correlate/unseen"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/internal/testing/recording"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
)

func TestMain(m *testing.M) { os.Exit(testenv.Main(m)) }

// world is a recorded repository whose commits are called by their subjects.
type world struct {
	*recording.World
	t     *testing.T
	names map[refs.OID]string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{recording.New(t), t, map[refs.OID]string{}}
	w.names[w.Head()] = "base"
	return w
}

// commit commits everything, with the hook of it.
func (w *world) commit(subject string) refs.OID {
	w.t.Helper()
	w.Commit(subject)
	return w.heard(subject)
}

// heard gives the commit that git has just made a name and an anchor.
func (w *world) heard(subject string) refs.OID {
	w.t.Helper()
	w.Anchor()
	w.names[w.Head()] = subject
	return w.Head()
}

func (w *world) name(id refs.OID) string {
	if id.IsZero() {
		return "nobody"
	}
	if name, known := w.names[id]; known {
		return name
	}
	return "COMMIT " + id.String()
}

// tracker opens a tracker of what the log has now.
func (w *world) tracker() *Tracker {
	w.t.Helper()
	reader, err := index.Open(w.Repo)
	w.Check(err)
	w.t.Cleanup(reader.Close)
	searcher := unseen.New(w.Repo, reader)
	w.t.Cleanup(searcher.Close)
	tracker, err := New(w.t.Context(), w.Repo, reader, blame.NewEvidence(w.Repo, reader, searcher))
	w.Check(err)
	w.t.Cleanup(func() { w.Check(tracker.Close()) })
	return tracker
}

// history reads the changes of all files, as for many conversations.
func (w *world) history() *gitblame.History {
	w.t.Helper()
	const many = 100 // paths; then all are read
	paths := make([]string, many)
	for i := range paths {
		paths[i] = fmt.Sprint("none", i)
	}
	h, err := gitblame.ReadHistory(w.t.Context(), w.Repo, time.Unix(0, 0), paths, nil)
	w.Check(err)
	w.t.Cleanup(func() { w.Check(h.Close()) })
	return h
}

// trails follows the patches of a conversation, "human" for those of people, in the order of the log.
func (w *world) trails(session string) []*Trail {
	w.t.Helper()
	tracker, brief := w.tracker(), w.tracker().Briefly().Along(w.history())
	var out []*Trail
	for _, e := range w.Log() {
		d := events.DataOf[events.PatchData](e)
		if e.Type != events.PatchRecorded || e.Session != session && (session != "human" || d.Owner != events.OwnerHuman) {
			continue
		}
		tr, err := tracker.Patch(d.Patch, "")
		w.Check(err)
		out = append(out, tr)
		short, err := brief.Patch(d.Patch, "")
		w.Check(err)
		w.sameButForNames(tr, short)
	}
	return out
}

// sameButForNames holds a brief trail against the whole one: all but who took lines away is the same.
func (w *world) sameButForNames(whole, brief *Trail) {
	w.t.Helper()
	a, b := whole.Now, brief.Now
	if lost(a.Lost) != lost(b.Lost) {
		w.t.Errorf("%d lines are lost, briefly %d", lost(a.Lost), lost(b.Lost))
	}
	a.Lost, b.Lost = nil, nil
	if !reflect.DeepEqual(a, b) {
		w.t.Errorf("what is left is\n%+v\nbriefly\n%+v", a, b)
	}
}

// told writes trails, a line each: PATH +LINES -REMOVED, the steps, and what is left.
func (w *world) told(list ...*Trail) string {
	lines := make([]string, 0, len(list))
	for _, tr := range list {
		lines = append(lines, fmt.Sprintf("%s +%d -%d%s; %s", tr.Path, tr.Lines, tr.Removed, w.steps(tr), w.now(&tr.Now)))
	}
	return strings.Join(lines, "\n")
}

// expect holds trails against what they should tell.
func (w *world) expect(want string, list ...*Trail) {
	w.t.Helper()
	if got := w.told(list...); got != want {
		w.t.Errorf("the trail is\n%s\nwant\n%s", got, want)
	}
}

func (w *world) steps(tr *Trail) string {
	text := ""
	for i := range tr.Steps {
		s := &tr.Steps[i]
		text += fmt.Sprintf("; %s %s", s.Kind, w.name(s.Commit))
		if s.Kind == Carried {
			text += " for " + w.name(s.From) + " by " + s.By
		}
		text += fmt.Sprintf(" %d %s %s", s.Lines(), s.Tier, s.Confidence)
	}
	return text
}

func (w *world) now(n *Now) string {
	text := string(n.State)
	if n.Ref != "" {
		text += " on " + n.Ref
	}
	if n.Alive > 0 {
		text += fmt.Sprintf(" %d/%d", n.Alive, n.Moved)
	}
	for _, p := range n.Places {
		text += fmt.Sprintf(" %s:%d+%d@%s", p.Path, p.Start, p.Count, w.name(p.Commit))
		if p.Moved {
			text += "~"
		}
	}
	for _, list := range []struct {
		word string
		of   []Loss
	}{{"changed", n.Changed}, {"reverted", n.Reverted}, {"lost", n.Lost}} {
		for _, l := range list.of {
			text += fmt.Sprintf(", %s %d by %s", list.word, l.Lines, w.name(l.Commit))
			if l.Owner != nil {
				text += " of " + string(l.Owner.Kind) + l.Owner.Session
			}
			if l.Commit.IsZero() != (l.Author == "") {
				text += " AUTHOR " + l.Author
			}
		}
	}
	if n.Dropped > 0 {
		text += fmt.Sprintf(", dropped %d", n.Dropped)
	}
	if n.Stash != "" {
		text += " in " + n.Stash
	}
	if n.Worktree != nil {
		text += fmt.Sprintf(" ask %q", *n.Worktree)
	}
	if n.Uncommitted() {
		text += ", not committed"
	}
	return text
}

// lines is a text of these lines.
func lines(list ...string) string { return strings.Join(list, "\n") + "\n" }

const (
	one   = "the first line of the agent"
	two   = "the second line of the agent"
	three = "the third line of the agent"
	four  = "the fourth line of the agent"
)

func (w *world) remove(name string) { w.Check(os.Remove(filepath.Join(w.Repo.WorkTree, name))) }
