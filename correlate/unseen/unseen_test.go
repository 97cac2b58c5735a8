package unseen

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/correlate/later"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/internal/testing/recording"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
)

func TestMain(m *testing.M) { os.Exit(testenv.Main(m)) }

// world is a repository in which no git hook is heard of but where a test says so.
type world struct{ *recording.World }

func newWorld(t *testing.T) *world {
	t.Helper()
	return &world{recording.New(t)}
}

// ask gives "OWNER by TIER" for each line that a commit added to a file, without the tier where nobody is known.
func (w *world) ask(q Question) []string {
	w.T.Helper()
	reader, err := index.Open(w.Repo)
	w.Check(err)
	defer reader.Close()
	for _, note := range reader.Notes() {
		w.T.Error(note)
	}
	s := New(w.Repo, reader)
	answers, err := s.Ask(context.Background(), []Question{q})
	w.Check(err)
	s.Close()
	var out []string
	for _, run := range answers[0].File.Runs {
		owner := answers[0].Owners[run.Owner]
		text := string(owner.Kind)
		switch {
		case owner.Kind == events.OwnerAI:
			text = owner.Session + " by " + run.Tier
		case owner.Kind != events.OwnerUnknown:
			text += " by " + run.Tier
		}
		for range run.Count {
			out = append(out, text)
		}
	}
	return out
}

// want compares what is found with what there is to find, one line each.
func (w *world) want(q Question, want ...string) {
	w.T.Helper()
	if got := w.ask(q); strings.Join(got, "\n") != strings.Join(want, "\n") {
		w.T.Errorf("%s of %.7s:\n%s\nwant:\n%s", q.Path, q.Commit, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

const (
	byFirst  = "a line that the first one wrote\n"
	bySecond = "another one by the second\n"
	byHand   = "typed by a person's hand\n"
	common   = "}\n"
)

// A content that was seen in the work tree says it all, under whatever name; what is left of it when the cache is gone
// are the lines, and of those only the ones that say something.
func TestEvidenceGoesFromStrongToWeak(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Edit("S1", "a.txt", byFirst+common)
	c := w.Commit("unseen")
	w.want(Question{Commit: c, Path: "a.txt"}, "S1 by exact_blob", "S1 by exact_blob")
	w.Git("mv", "a.txt", "b.txt")
	w.Git("commit", "-q", "--amend", "-m", "under another name")
	w.want(Question{Commit: w.Head(), Path: "b.txt"}, "S1 by exact_blob", "S1 by exact_blob")
	w.Forget()
	w.want(Question{Commit: c, Path: "a.txt"}, "S1 by line_fingerprint", "S1 by line_fingerprint")
	w.Write("a.txt", common+byFirst+byHand+common)
	w.want(Question{Commit: w.Commit("typed"), Path: "a.txt"}, "unknown", "S1 by line_fingerprint", "unknown", "unknown")
}

// A line that two conversations wrote is nobody's, and one that says nothing belongs to nobody alone.
func TestNothingIsGuessed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Edit("S1", "one.txt", byFirst)
	w.Edit("S2", "two.txt", byFirst)
	w.Edit("S2", "three.txt", bySecond+common)
	w.Forget()
	w.Write("one.txt", "")
	w.Write("two.txt", "")
	w.Write("three.txt", common+"x\n"+common)
	w.Write("four.txt", byFirst+bySecond)
	c := w.Commit("both")
	w.want(Question{Commit: c, Path: "four.txt"}, "unknown", "unknown")
	w.want(Question{Commit: c, Path: "three.txt"}, "unknown", "unknown", "unknown")
}

// What was there before a conversation wrote the same is not its work.
func TestACauseComesFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Write("old.txt", byFirst+bySecond)
	old := w.Commit("older")
	w.Edit("S1", "new.txt", byFirst+bySecond)
	young := w.Commit("younger")
	for range 2 { // with what the timeline knows, and with the log alone
		w.want(Question{Commit: young, Path: "new.txt"}, w.both(young)...)
		for _, got := range w.ask(Question{Commit: old, Path: "old.txt"}) {
			if strings.HasPrefix(got, "S1") {
				t.Errorf("an older line is said to be %s", got)
			}
		}
		w.Anchor()
		w.Forget()
	}
}

// both is what is found of the younger commit: the same owner, on the evidence that is left.
func (w *world) both(c refs.OID) []string {
	w.T.Helper()
	got := w.ask(Question{Commit: c, Path: "new.txt"})
	for _, one := range got {
		if !strings.HasPrefix(one, "S1 by ") {
			w.T.Errorf("a line of the younger commit is %s", one)
		}
	}
	return got
}

// An anchored commit that changed the file in the same way speaks for one that was picked elsewhere.
func TestAnEqualChangeCounts(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		end, ai string // of base.txt, before and after the agent
		want    []string
	}{
		"between lines":                {"base three\n", byFirst + common + "base three\n", []string{"S1 by same_patch", "S1 by same_patch"}},
		"behind a line without an end": {"base three", "base three\n" + byFirst, []string{"human by same_patch", "S1 by same_patch"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.Write("base.txt", "base one\nbase two\n"+tt.end)
			w.Commit("end")
			w.Anchor()
			w.Edit("S1", "base.txt", "base one\nbase two\n"+tt.ai)
			picked := w.Commit("ai")
			w.Anchor()
			w.Git("switch", "-q", "-c", "other", "HEAD~1")
			w.Write("base.txt", common+common+"base one\nbase two\n"+tt.end)
			w.Commit("other")
			w.Git("cherry-pick", picked.String())
			w.Forget()
			w.want(Question{Commit: w.Head(), Path: "base.txt"}, tt.want...)
		})
	}
}

// Where the log says which commit took the place of which, or a rebase that stands still has noted it, short lines
// count as well.
func TestACommitThatTookThePlaceOfAnother(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"log", "note"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.Edit("S1", "base.txt", "base one\nx = 1\nbase two\nbase three\n")
			older := w.Commit("ai")
			w.Anchor()
			w.Git("switch", "-q", "-c", "other", "HEAD~1")
			w.Write("base.txt", "above\nbase one\nx = 1\nbase two\nbelow\nbase three\n")
			newer := w.Commit("ai, and more")
			w.Forget()
			before := Question{Commit: newer, Path: "base.txt"}
			w.want(before, "unknown", "unknown", "unknown")
			switch how {
			case "log":
				w.Append(events.CommitRewritten, events.PostRewrite,
					events.RewriteData{Kind: "rebase", Pairs: []events.RewritePair{{Old: older, New: newer}}})
			case "note":
				w.Check(later.Open(w.Repo).Add(later.Job{Hook: "post-commit", Commit: newer, From: older, Time: time.Now()}))
			}
			w.Forget()
			w.want(before, "unknown", "S1 by rewritten", "unknown")
		})
	}
}

// What another clone recorded counts once its log is here, and where only others are asked the own log has no say,
// though it knows somebody who wrote the same line.
func TestTheLogsOfOtherClones(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	theirs := w.Clone()
	theirs.Edit("S1", "base.txt", "base one\nbase two\n"+byFirst+"base three\n")
	theirs.Commit("ai")
	theirs.Anchor()
	w.Git("fetch", "-q", theirs.Repo.WorkTree, "HEAD")
	w.Git("merge", "-q", "--ff-only", "FETCH_HEAD")
	q := Question{Commit: w.Head(), Path: "base.txt"}
	elsewhere := Question{Commit: w.Head(), Path: "base.txt", Elsewhere: true}
	if got := strings.Join(w.ask(q), ""); strings.Contains(got, "S1") {
		t.Errorf("nothing can be known yet, and it is %s", got)
	}
	w.want(elsewhere)
	w.Edit("S2", "other.txt", byFirst) // younger, and not theirs
	testenv.FetchLog(t, w.Repo.WorkTree, theirs.Repo.WorkTree, "theirs")
	w.want(elsewhere, "S1 by same_patch")
}
