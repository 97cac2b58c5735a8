package unseen

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/correlate"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails"
)

func TestMain(m *testing.M) { os.Exit(testenv.Main(m)) }

// world is a repository with a timeline, in which conversations write and no git hook is ever heard of.
type world struct {
	t      *testing.T
	repo   *refs.Repo
	engine *trails.Engine
	clock  time.Time
	calls  int
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := openWorld(t, t.TempDir(), "init", "-q", "-b", "main", ".")
	w.write("base.txt", "base one\nbase two\nbase three\n")
	w.commit("base")
	w.anchor()
	return w
}

// clone is another clone, with a log of its own.
func (w *world) clone() *world {
	w.t.Helper()
	return openWorld(w.t, w.t.TempDir(), "clone", "-q", w.repo.WorkTree, ".")
}

func openWorld(t *testing.T, dir string, make ...string) *world {
	t.Helper()
	w := &world{t: t, repo: &refs.Repo{WorkTree: dir}, clock: time.Now().Add(-time.Hour)}
	w.git(make...)
	repo, err := refs.DiscoverHook(dir)
	w.check(err)
	w.check(os.MkdirAll(repo.TracesDir(), 0o755))
	w.repo, w.engine = repo, trails.New(repo, events.OpenLog(repo), nil)
	w.check(w.engine.Origin(context.Background(), w.now()))
	return w
}

func (w *world) check(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) now() time.Time {
	w.clock = w.clock.Add(time.Second)
	return w.clock
}

func (w *world) git(args ...string) string {
	w.t.Helper()
	cmd := exec.Command("git", args...)
	date := w.now().UTC().Format(time.RFC3339)
	cmd.Dir = w.repo.WorkTree
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date, "GIT_AUTHOR_NAME=a",
		"GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("git %v: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (w *world) write(name, text string) {
	w.t.Helper()
	w.check(os.WriteFile(filepath.Join(w.repo.WorkTree, name), []byte(text), 0o644))
}

// edit is an edit call of a conversation that leaves a file with a text.
func (w *world) edit(session, name, text string) {
	w.t.Helper()
	w.calls++
	path := filepath.Join(w.repo.WorkTree, name)
	b := events.Boundary{
		Kind: events.ToolBefore, Agent: "claude-code", Session: session, Cwd: w.repo.WorkTree,
		Tool: &events.ToolUse{CallID: fmt.Sprint("call-", w.calls), Name: "Edit", Class: events.ToolEdits, Paths: []string{path}},
	}
	b.Time = w.now()
	w.check(w.engine.Handle(context.Background(), b))
	w.write(name, text)
	b.Kind, b.Time = events.ToolAfter, w.now()
	w.check(w.engine.Handle(context.Background(), b))
}

// commit makes a commit of everything and returns it.
func (w *world) commit(subject string) refs.OID {
	w.t.Helper()
	w.git("add", "-A")
	w.git("commit", "-q", "--allow-empty", "-m", subject)
	return w.head()
}

func (w *world) head() refs.OID {
	w.t.Helper()
	head, err := refs.ParseOID(w.git("rev-parse", "HEAD"))
	w.check(err)
	return head
}

// anchor is what the commit hook does.
func (w *world) anchor() {
	w.t.Helper()
	w.check(correlate.Head(context.Background(), w.repo, w.engine, 0, w.now()))
}

// forget leaves of everything but the log nothing.
func (w *world) forget() {
	w.t.Helper()
	for _, dir := range []string{"cache", "objects"} {
		w.check(os.RemoveAll(filepath.Join(w.repo.TracesDir(), dir)))
	}
}

// ask gives "OWNER by TIER" for each line that a commit added to a file, without the tier where nobody is known.
func (w *world) ask(q Question) []string {
	w.t.Helper()
	reader, err := index.Open(w.repo)
	w.check(err)
	defer reader.Close()
	for _, note := range reader.Notes() {
		w.t.Error(note)
	}
	s := New(w.repo, reader)
	answers, err := s.Ask(context.Background(), []Question{q})
	w.check(err)
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
	w.t.Helper()
	if got := w.ask(q); strings.Join(got, "\n") != strings.Join(want, "\n") {
		w.t.Errorf("%s of %.7s:\n%s\nwant:\n%s", q.Path, q.Commit, strings.Join(got, "\n"), strings.Join(want, "\n"))
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
	w.edit("S1", "a.txt", byFirst+common)
	c := w.commit("unseen")
	w.want(Question{Commit: c, Path: "a.txt"}, "S1 by exact_blob", "S1 by exact_blob")
	w.git("mv", "a.txt", "b.txt")
	w.git("commit", "-q", "--amend", "-m", "under another name")
	w.want(Question{Commit: w.head(), Path: "b.txt"}, "S1 by exact_blob", "S1 by exact_blob")
	w.forget()
	w.want(Question{Commit: c, Path: "a.txt"}, "S1 by line_fingerprint", "S1 by line_fingerprint")
	w.write("a.txt", common+byFirst+byHand+common)
	w.want(Question{Commit: w.commit("typed"), Path: "a.txt"}, "unknown", "S1 by line_fingerprint", "unknown", "unknown")
}

// A line that two conversations wrote is nobody's, and one that says nothing belongs to nobody alone.
func TestNothingIsGuessed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.edit("S1", "one.txt", byFirst)
	w.edit("S2", "two.txt", byFirst)
	w.edit("S2", "three.txt", bySecond+common)
	w.forget()
	w.write("one.txt", "")
	w.write("two.txt", "")
	w.write("three.txt", common+"x\n"+common)
	w.write("four.txt", byFirst+bySecond)
	c := w.commit("both")
	w.want(Question{Commit: c, Path: "four.txt"}, "unknown", "unknown")
	w.want(Question{Commit: c, Path: "three.txt"}, "unknown", "unknown", "unknown")
}

// What was there before a conversation wrote the same is not its work.
func TestACauseComesFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("old.txt", byFirst+bySecond)
	old := w.commit("older")
	w.edit("S1", "new.txt", byFirst+bySecond)
	young := w.commit("younger")
	for range 2 { // with what the timeline knows, and with the log alone
		w.want(Question{Commit: young, Path: "new.txt"}, w.both(young)...)
		for _, got := range w.ask(Question{Commit: old, Path: "old.txt"}) {
			if strings.HasPrefix(got, "S1") {
				t.Errorf("an older line is said to be %s", got)
			}
		}
		w.anchor()
		w.forget()
	}
}

// both is what is found of the younger commit: the same owner, on the evidence that is left.
func (w *world) both(c refs.OID) []string {
	w.t.Helper()
	got := w.ask(Question{Commit: c, Path: "new.txt"})
	for _, one := range got {
		if !strings.HasPrefix(one, "S1 by ") {
			w.t.Errorf("a line of the younger commit is %s", one)
		}
	}
	return got
}

// An anchored commit that changed the file in the same way speaks for one that was picked elsewhere.
func TestAnEqualChangeCounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.edit("S1", "base.txt", "base one\nbase two\n"+byFirst+common+"base three\n")
	picked := w.commit("ai")
	w.anchor()
	w.git("switch", "-q", "-c", "other", "HEAD~1")
	w.write("base.txt", common+common+"base one\nbase two\nbase three\n")
	w.commit("other")
	w.git("cherry-pick", picked.String())
	w.forget()
	w.want(Question{Commit: w.head(), Path: "base.txt"}, "S1 by same_patch", "S1 by same_patch")
}

// Where the log says which commit took the place of which, or a rebase that stands still has noted it, short lines
// count as well.
func TestACommitThatTookThePlaceOfAnother(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"log", "note"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.edit("S1", "base.txt", "base one\nx = 1\nbase two\nbase three\n")
			older := w.commit("ai")
			w.anchor()
			w.git("switch", "-q", "-c", "other", "HEAD~1")
			w.write("base.txt", "above\nbase one\nx = 1\nbase two\nbelow\nbase three\n")
			newer := w.commit("ai, and more")
			w.forget()
			before := Question{Commit: newer, Path: "base.txt"}
			w.want(before, "unknown", "unknown", "unknown")
			switch how {
			case "log":
				raw, err := events.Encode(events.RewriteData{Kind: "rebase", Pairs: []events.RewritePair{{Old: older, New: newer}}})
				w.check(err)
				_, err = events.OpenLog(w.repo).Append(context.Background(), []events.Draft{{
					Type: events.CommitRewritten, Time: w.now(), Method: []events.Method{events.PostRewrite}, Data: raw,
				}})
				w.check(err)
			case "note":
				w.check(os.WriteFile(filepath.Join(w.repo.WorktreeTracesDir(), "deferred"), []byte(newer.String()+" "+older.String()+"\n"), 0o600))
			}
			w.forget()
			w.want(before, "unknown", "S1 by rewritten", "unknown")
		})
	}
}

// What another clone recorded counts once its log is here, and where only others are asked the own log has no say,
// though it knows somebody who wrote the same line.
func TestTheLogsOfOtherClones(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	theirs := w.clone()
	theirs.clock = w.now()
	theirs.edit("S1", "base.txt", "base one\nbase two\n"+byFirst+"base three\n")
	theirs.commit("ai")
	theirs.anchor()
	w.git("fetch", "-q", theirs.repo.WorkTree, "HEAD")
	w.git("merge", "-q", "--ff-only", "FETCH_HEAD")
	q := Question{Commit: w.head(), Path: "base.txt"}
	elsewhere := Question{Commit: w.head(), Path: "base.txt", Elsewhere: true}
	if got := strings.Join(w.ask(q), ""); strings.Contains(got, "S1") {
		t.Errorf("nothing can be known yet, and it is %s", got)
	}
	w.want(elsewhere)
	w.edit("S2", "other.txt", byFirst) // younger, and not theirs
	writer, err := events.OpenLog(theirs.repo).Writer()
	w.check(err)
	w.git("fetch", "-q", theirs.repo.WorkTree, refs.EventsRef+":refs/traces/remotes/theirs/"+writer+"/events")
	w.want(elsewhere, "S1 by same_patch")
}
