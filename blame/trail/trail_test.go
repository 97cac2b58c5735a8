package trail

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/blame"
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

// trails follows the patches of a conversation, "human" for those of people, in the order of the log.
func (w *world) trails(session string) []*Trail {
	w.t.Helper()
	tracker := w.tracker()
	var out []*Trail
	for _, e := range w.Log() {
		d := events.DataOf[events.PatchData](e)
		if e.Type != events.PatchRecorded || e.Session != session && (session != "human" || d.Owner != events.OwnerHuman) {
			continue
		}
		tr, err := tracker.Patch(d.Patch, "")
		w.Check(err)
		out = append(out, tr)
	}
	return out
}

// told writes trails, a line each: PATH +LINES -REMOVED, the steps, and what is left.
func (w *world) told(list ...*Trail) string {
	lines := make([]string, 0, len(list))
	for _, tr := range list {
		lines = append(lines, fmt.Sprintf("%s +%d -%d%s; %s", tr.Path, tr.Lines, tr.Removed, w.steps(tr), w.now(&tr.Now)))
	}
	return strings.Join(lines, "\n")
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

// What became of a patch, in each way that a patch can go.
func TestWhatBecameOfAPatch(t *testing.T) {
	t.Parallel()
	written := func(w *world) refs.OID { // three lines in a file of their own, committed
		w.Edit("S1", "a.txt", lines(one, two, three))
		return w.commit("ai")
	}
	inBase := func(w *world) refs.OID { // two lines between a person's, committed
		w.Edit("S1", "base.txt", lines("base one", one, two, "base two", "base three"))
		return w.commit("ai")
	}
	tests := map[string]struct {
		do   func(w *world)
		want string
	}{
		"not committed": {func(w *world) {
			w.Edit("S1", "a.txt", lines(one, two))
		}, "a.txt +2 -0; alive 2/0 a.txt:1+2@nobody, not committed"},
		"committed, and what stands above it has grown": {func(w *world) {
			inBase(w)
			w.Write("base.txt", lines("above", "base one", one, two, "base two", "base three"))
			w.commit("shift")
		}, "base.txt +2 -0; anchored ai 2 exact_blob high; alive 2/0 base.txt:3+2@ai"},
		"a person's line between: two places": {func(w *world) {
			inBase(w)
			w.Write("base.txt", lines("base one", one, "between", two, "base two", "base three"))
			w.commit("between")
		}, "base.txt +2 -0; anchored ai 2 exact_blob high; alive 2/0 base.txt:2+1@ai base.txt:4+1@ai"},
		"a part committed, the rest not yet": {func(w *world) {
			inBase(w)
			w.Edit("S1", "base.txt", lines("base one", one, two, three, "base two", "base three"))
		}, "base.txt +2 -0; anchored ai 2 exact_blob high; alive 2/0 base.txt:2+2@ai\n" +
			"base.txt +1 -0; alive 1/0 base.txt:4+1@nobody, not committed"},
		"indented": {func(w *world) {
			inBase(w)
			w.Write("base.txt", lines("base one", "  "+one, "  "+two, "base two", "base three"))
			w.commit("indent")
		}, "base.txt +2 -0; anchored ai 2 exact_blob high; anchored indent 2 reformatted medium; alive 2/0 base.txt:2+2@indent"},
		"two lines put into one, by their form": {func(w *world) {
			inBase(w)
			w.Write("base.txt", lines("base one", one+" "+two, "base two", "base three"))
			w.commit("join")
		}, "base.txt +2 -0; anchored ai 2 exact_blob high; anchored join 1 reformatted medium; alive 1/0 base.txt:2+1@join"},
		"a line changed by a person, not committed": {func(w *world) {
			inBase(w)
			w.Write("base.txt", lines("base one", one, "mine", "base two", "base three"))
		}, "base.txt +2 -0; anchored ai 2 exact_blob high; changed 1/0 base.txt:2+1@ai, changed 1 by nobody of human"},
		"changed by a person and by another conversation": {func(w *world) {
			w.Edit("S1", "base.txt", lines("base one", one, two, three, "base two", "base three"))
			w.commit("ai")
			w.Write("base.txt", lines("base one", one, "mine", three, "base two", "base three"))
			w.commit("mine")
			w.Edit("S2", "base.txt", lines("base one", "theirs 1", "mine", "theirs 2", "base two", "base three"))
			w.commit("theirs")
		}, "base.txt +3 -0; anchored ai 3 exact_blob high; changed, changed 2 by theirs of aiS2, changed 1 by mine of human"},
		"one line put in the place of two": {func(w *world) {
			inBase(w)
			w.Write("base.txt", lines("base one", "mine", "base two", "base three"))
			w.commit("mine")
		}, "base.txt +2 -0; anchored ai 2 exact_blob high; changed, changed 1 by mine of human, lost 1 by mine"},
		"five lines in the place of two": {func(w *world) {
			inBase(w)
			w.Write("base.txt", lines("base one", "1", "2", "3", "4", "5", "base two", "base three"))
			w.commit("mine")
		}, "base.txt +2 -0; anchored ai 2 exact_blob high; changed, changed 2 by mine of human"},
		"copied by a command, which is a patch of its own": {func(w *world) {
			written(w)
			w.Call("S1", "Bash", events.ToolRuns, nil, func() { w.Write("b.txt", lines(one, two, three)) })
			w.commit("copy")
		}, "a.txt +3 -0; anchored ai 3 exact_blob high; alive 3/0 a.txt:1+3@ai\n" +
			"b.txt +3 -0; anchored copy 3 exact_blob medium; alive 3/0 b.txt:1+3@copy"},
		"in a file that git renamed": {func(w *world) {
			written(w)
			w.Git("mv", "a.txt", "b.txt")
			w.commit("rename")
		}, "a.txt +3 -0; anchored ai 3 exact_blob high; moved 3/3 b.txt:1+3@ai~"},
		"moved into another file, committed": {func(w *world) {
			written(w)
			w.Write("base.txt", lines("base one", "base two", "base three", one, two, three))
			w.remove("a.txt")
			w.commit("move")
		}, "a.txt +3 -0; anchored ai 3 exact_blob high; anchored move 3 exact_blob high; moved 3/3 base.txt:4+3@move~"},
		"moved, not committed": {func(w *world) {
			w.Edit("S1", "a.txt", lines(one, two, three, four))
			w.commit("ai")
			w.Write("base.txt", lines("base one", "base two", "base three", one, two, three, four))
			w.Write("a.txt", "")
			w.Edit("S2", "other.txt", lines("a look at everything"))
		}, "a.txt +4 -0; anchored ai 4 exact_blob high; moved 4/4 base.txt:4+4@nobody~, not committed"},
		"a line deleted in the work tree": {func(w *world) {
			written(w)
			w.Write("a.txt", lines(one, three))
		}, "a.txt +3 -0; anchored ai 3 exact_blob high; changed 2/0 a.txt:1+2@ai, lost 1 by nobody"},
		"a line deleted by a commit, and two by the next": {func(w *world) {
			w.Edit("S1", "a.txt", lines(one, two, three, four))
			w.commit("ai")
			w.Write("a.txt", lines(one, three, four))
			w.commit("first")
			w.Write("a.txt", lines(one))
			w.commit("second")
		}, "a.txt +4 -0; anchored ai 4 exact_blob high; changed 1/0 a.txt:1+1@ai, lost 2 by second, lost 1 by first"},
		"the file deleted": {func(w *world) {
			written(w)
			w.Git("rm", "-q", "a.txt")
			w.commit("gone")
		}, "a.txt +3 -0; anchored ai 3 exact_blob high; lost, lost 3 by gone"},
		"reverted": {func(w *world) {
			written(w)
			w.Git("revert", "--no-edit", "HEAD")
			w.heard("revert")
		}, "a.txt +3 -0; anchored ai 3 exact_blob high; reverted, reverted 3 by revert"},
		"reverted, and the revert reverted": {func(w *world) {
			written(w)
			w.Git("revert", "--no-edit", "HEAD")
			w.heard("revert")
			w.Git("revert", "--no-edit", "HEAD")
			w.heard("back")
		}, "a.txt +3 -0; anchored ai 3 exact_blob high; anchored back 3 exact_blob high; alive 3/0 a.txt:1+3@back"},
		"another commit reverted, which says so": {func(w *world) {
			before := w.Head()
			written(w)
			w.remove("a.txt")
			w.Git("commit", "-q", "-a", "-m", "Clean up\n\nThis reverts commit "+before.String()+".")
			w.heard("clean")
		}, "a.txt +3 -0; anchored ai 3 exact_blob high; lost, lost 3 by clean"},
		"taken away by the other side of a merge": {func(w *world) {
			written(w)
			w.Git("switch", "-q", "-c", "side")
			w.Write("a.txt", lines(one, three))
			w.commit("side")
			w.Git("switch", "-q", "main")
			w.Write("m.txt", "m\n")
			w.commit("m")
			w.Git("merge", "-q", "--no-edit", "side")
			w.heard("merge")
		}, "a.txt +3 -0; anchored ai 3 exact_blob high; changed 2/0 a.txt:1+2@ai, lost 1 by side"},
		"taken away in a merge itself": {func(w *world) {
			written(w)
			w.Git("switch", "-q", "-c", "side")
			w.Write("s.txt", "s\n")
			w.commit("side")
			w.Git("switch", "-q", "main")
			w.Write("m.txt", "m\n")
			w.commit("m")
			w.Git("merge", "-q", "--no-commit", "side")
			w.Write("a.txt", lines(one, three))
			w.Git("commit", "-q", "-a", "-m", "merge")
			w.heard("merge")
		}, "a.txt +3 -0; anchored ai 3 exact_blob high; changed 2/0 a.txt:1+2@ai, lost 1 by merge"},
		"a line gone before the commit": {func(w *world) {
			w.Edit("S1", "a.txt", lines(one, two, three))
			w.Write("a.txt", lines(one, three))
			w.commit("part")
		}, "a.txt +3 -0; anchored part 2 exact_blob high; changed 2/0 a.txt:1+2@part, dropped 1"},
		"never committed": {func(w *world) {
			w.Edit("S1", "a.txt", lines(one, two))
			w.remove("a.txt")
			w.commit("other")
		}, "a.txt +2 -0; never_committed, dropped 2"},
		"only a deletion": {func(w *world) {
			w.Edit("S1", "base.txt", lines("base one", "base three"))
		}, "base.txt +0 -1; no_lines"},
		"in a stash": {func(w *world) {
			w.Edit("S1", "base.txt", lines("base one", one, "base two", "base three"))
			w.Git("stash", "-q")
			w.Write("base.txt", lines("base one", "base two", "base three", "a person's"))
			w.Git("stash", "-q")
		}, "base.txt +1 -0; stashed in stash@{1}"},
		"an untracked file in a stash": {func(w *world) {
			w.Edit("S1", "a.txt", lines(one))
			w.Git("stash", "-q", "-u")
		}, "a.txt +1 -0; stashed in stash@{0}"},
		"a stash of others": {func(w *world) {
			w.Edit("S1", "a.txt", lines(one))
			w.remove("a.txt")
			w.Write("base.txt", lines("base one"))
			w.Git("stash", "-q")
		}, "a.txt +1 -0; never_committed, dropped 1"},
		"amended": {func(w *world) {
			older := written(w)
			w.Git("commit", "-q", "--amend", "-m", "amended")
			w.Rewritten("amend", older, w.heard("amended"))
		}, "a.txt +3 -0; anchored ai 3 exact_blob high; carried amended for ai by amend 3 exact_blob high; alive 3/0 a.txt:1+3@amended"},
		"amended where no hook anchored it": {func(w *world) {
			older := written(w)
			w.Git("commit", "-q", "--amend", "-m", "amended")
			w.names[w.Head()] = "amended"
			w.Append(events.CommitRewritten, events.PostRewrite,
				events.RewriteData{Kind: "amend", Pairs: []events.RewritePair{{Old: older, New: w.Head()}}})
		}, "a.txt +3 -0; anchored ai 3 exact_blob high; carried amended for ai by amend 0 rewritten high; alive 3/0 a.txt:1+3@amended"},
		"lost when its commit was amended": {func(w *world) {
			older := written(w)
			w.Git("rm", "-q", "a.txt")
			w.Git("commit", "-q", "--amend", "--allow-empty", "-m", "without")
			w.Rewritten("amend", older, w.heard("without"))
		}, "a.txt +3 -0; anchored ai 3 exact_blob high; lost, lost 3 by without"},
		"on another branch": {func(w *world) {
			w.Git("switch", "-q", "-c", "topic")
			written(w)
			w.Git("switch", "-q", "main")
		}, "a.txt +3 -0; anchored ai 3 exact_blob high; alive on refs/heads/topic 3/0 a.txt:1+3@ai"},
		"on a branch where a part of it was taken away": {func(w *world) {
			w.Git("switch", "-q", "-c", "topic")
			written(w)
			w.Write("a.txt", lines(one))
			w.commit("less")
			w.Git("switch", "-q", "main")
		}, "a.txt +3 -0; anchored ai 3 exact_blob high; changed on refs/heads/topic 1/0 a.txt:1+1@ai, lost 2 by less"},
		"under a tag alone": {func(w *world) {
			w.Git("switch", "-q", "-c", "topic")
			written(w)
			w.Git("tag", "v1")
			w.Git("switch", "-q", "main")
			w.Git("branch", "-q", "-D", "topic")
		}, "a.txt +3 -0; anchored ai 3 exact_blob high; alive on refs/tags/v1 3/0 a.txt:1+3@ai"},
		"on no ref": {func(w *world) {
			w.Git("switch", "-q", "-c", "topic")
			written(w)
			w.Git("switch", "-q", "main")
			w.Git("branch", "-q", "-D", "topic")
		}, "a.txt +3 -0; anchored ai 3 exact_blob high; orphaned"},
		"on no ref, and its objects are gone": {func(w *world) {
			w.Git("switch", "-q", "-c", "topic")
			written(w)
			w.Git("switch", "-q", "main")
			w.Git("branch", "-q", "-D", "topic")
			w.Git("reflog", "expire", "--expire=now", "--all")
			w.Git("gc", "-q", "--prune=now")
		}, "a.txt +3 -0; anchored ai 3 exact_blob high; orphaned"},
		"in the other work tree": {func(w *world) {
			there := w.Linked("there")
			there.Edit("S1", "a.txt", lines(one))
		}, "a.txt +1 -0; unknown ask \"there\""},
		"committed in the other work tree": {func(w *world) {
			there := w.Linked("there")
			there.Edit("S1", "a.txt", lines(one))
			there.Commit("over there")
			there.Anchor()
			w.names[there.Head()] = "over there"
		}, "a.txt +1 -0; anchored over there 1 exact_blob high; alive on refs/heads/there 1/0 a.txt:1+1@over there"},
		"as two commits of two branches have it": {func(w *world) {
			w.Edit("S1", "a.txt", lines(one, two))
			w.commit("ai")
			w.Git("switch", "-q", "-c", "topic", "HEAD~1")
			w.Git("cherry-pick", "main")
			w.heard("pick")
			w.Git("switch", "-q", "main")
			w.Write("a.txt", lines(two))
			w.commit("less")
		}, "a.txt +2 -0; anchored ai 2 exact_blob high; anchored pick 2 exact_blob high; changed 1/0 a.txt:1+1@ai, lost 1 by less"},
		"only on the branch that it was picked to": {func(w *world) {
			w.Git("switch", "-q", "-c", "topic")
			written(w)
			w.Git("switch", "-q", "-c", "other", "main")
			w.Git("cherry-pick", "topic")
			w.heard("pick")
			w.Git("switch", "-q", "main")
			w.Git("branch", "-q", "-D", "topic")
		}, "a.txt +3 -0; anchored ai 3 exact_blob high; anchored pick 3 exact_blob high; alive on refs/heads/other 3/0 a.txt:1+3@pick"},
		"rewritten twice": {func(w *world) {
			first := written(w)
			w.Git("commit", "-q", "--amend", "-m", "second")
			second := w.heard("second")
			w.Rewritten("amend", first, second)
			w.Git("commit", "-q", "--amend", "-m", "third")
			w.Rewritten("rebase", second, w.heard("third"))
		}, "a.txt +3 -0; anchored ai 3 exact_blob high; carried second for ai by amend 3 exact_blob high; " +
			"carried third for second by rebase 3 exact_blob high; alive 3/0 a.txt:1+3@third"},
		"the content of its commit is gone": {func(w *world) {
			written(w)
			w.Git("rm", "-q", "a.txt")
			w.commit("gone")
			blob := w.OID("HEAD~1:a.txt").String()
			w.remove(filepath.Join(".git", "objects", blob[:2], blob[2:]))
		}, "a.txt +3 -0; anchored ai 3 exact_blob high; unknown"},
		"two runs of a commit, the weaker evidence counts": {func(w *world) {
			w.Edit("S1", "base.txt", lines("base one", one, two, three, "base two", "base three"))
			w.Write("base.txt", lines("base one", one, "  "+two, three, "base two", "base three"))
			blob := w.Git("hash-object", "-w", "base.txt")
			w.Write("base.txt", lines("base one", one, two, three, "base two", "base three"))
			w.Git("update-index", "--cacheinfo", "100644,"+blob+",base.txt")
			w.Git("commit", "-q", "-m", "part")
			w.heard("part")
		}, "base.txt +3 -0; anchored part 3 reformatted medium; alive 3/0 base.txt:2+1@part base.txt:3+1@nobody base.txt:4+1@part"},
		"on no ref, and in a stash": {func(w *world) {
			w.Git("switch", "-q", "-c", "topic")
			written(w)
			w.Git("switch", "-q", "main")
			w.Write("a.txt", lines(one, two, three))
			w.Edit("S2", "other.txt", lines("a look at everything"))
			w.Git("stash", "-q", "-u")
			w.Git("branch", "-q", "-D", "topic")
		}, "a.txt +3 -0; anchored ai 3 exact_blob high; stashed in stash@{0}"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			tt.do(w)
			if got := w.told(w.trails("S1")...); got != tt.want {
				t.Errorf("the trail is\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// People's patches have trails, too; they are found through the path, since no conversation holds them.
func TestAPersonsPatchHasATrail(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Write("base.txt", lines("base one", "by hand", "base two", "base three"))
	w.Edit("S1", "a.txt", lines(one)) // its first look sees what was typed
	w.commit("both")
	w.Git("mv", "base.txt", "renamed.txt")
	w.commit("renamed")
	want := "base.txt +3 -0; anchored base 3 exact_blob high; moved 3/3 renamed.txt:1+1@base~ renamed.txt:3+2@base~\n" +
		"base.txt +1 -0; anchored both 1 exact_blob high; moved 1/1 renamed.txt:2+1@both~"
	if got := w.told(w.trails("human")...); got != want {
		t.Errorf("the trail is\n%s\nwant\n%s", got, want)
	}
}

// A commit that has both names of a file is asked once what it holds of a patch.
func TestACommitWithTwoNamesOfAFileIsOneStep(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Git("mv", "base.txt", "renamed.txt")
	w.Edit("S1", "a.txt", lines(one))
	w.commit("renamed")
	w.Write("renamed.txt", lines("base one", "by hand", "base two", "base three"))
	w.Write("base.txt", lines("another file of the old name"))
	w.Call("S1", "Bash", events.ToolRuns, nil, func() {}) // its first look sees what was typed
	w.commit("both")
	found := 0
	for _, tr := range w.trails("human") {
		if tr.Path == "renamed.txt" {
			found++
			want := "renamed.txt +1 -0; anchored both 1 exact_blob high; alive 1/0 renamed.txt:2+1@both"
			if got := w.told(tr); got != want {
				t.Errorf("the trail is\n%s\nwant\n%s", got, want)
			}
		}
	}
	if found != 1 {
		t.Errorf("%d trails, want one", found)
	}
}

// Lines that were found afterwards have no patch: they are followed by their call and their file.
func TestLinesWithoutAPatchAreFollowed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Write("a.txt", lines(one, two, three))
	w.Write("b.txt", lines(one, "of the other file"))
	old := w.commit("old")
	w.Write("c.txt", lines("later"))
	later := w.commit("later")
	owner := events.AnchorOwner{Kind: events.OwnerAI, Trace: "4f2a9c01-1111-5111-8111-111111111111", Agent: "pi", Session: "S9", ToolCall: "c1"}
	other := owner
	other.ToolCall = "c2"
	claim := func(commit refs.OID, owners []events.AnchorOwner, files ...events.AnchorFile) {
		w.Append(events.CommitAnchored, events.Backfill, events.CommitData{Commit: commit, Owners: owners, Files: files})
	}
	run := func(start, count, owner int) events.AnchorRun {
		return events.AnchorRun{Start: start, Count: count, Owner: owner, Tier: "exact_lines"}
	}
	at := func(path string) refs.OID { return w.OID("HEAD:" + path) }
	claim(old, []events.AnchorOwner{owner, other},
		events.AnchorFile{Path: "a.txt", Blob: at("a.txt"), Runs: []events.AnchorRun{run(1, 2, 0), run(3, 1, 1)}},
		events.AnchorFile{Path: "b.txt", Blob: at("b.txt"), Runs: []events.AnchorRun{run(1, 1, 0)}})
	claim(later, []events.AnchorOwner{owner}, events.AnchorFile{Path: "c.txt", Blob: at("c.txt"), Runs: []events.AnchorRun{run(1, 1, 0)}})
	w.Write("a.txt", lines("above", one, three))
	w.commit("less")
	w.Git("mv", "b.txt", "d.txt")
	w.commit("renamed")
	w.Write("e.txt", lines("of the one file"))
	w.Write("f.txt", lines("and of the other one"))
	pair := w.commit("pair")
	claim(pair, []events.AnchorOwner{owner}, events.AnchorFile{Path: "e.txt", Blob: at("e.txt"), Runs: []events.AnchorRun{run(1, 1, 0)}},
		events.AnchorFile{Path: "f.txt", Blob: at("f.txt"), Runs: []events.AnchorRun{run(1, 1, 0)}})
	w.Git("rm", "-q", "f.txt")
	w.commit("gone")
	w.Git("mv", "e.txt", "f.txt")
	w.commit("called like the other")
	tracker := w.tracker()
	for _, tt := range []struct {
		owner events.AnchorOwner
		path  string
		want  string
	}{
		{owner, "a.txt", "a.txt +2 -0; anchored old 2 exact_lines high; changed 1/0 a.txt:2+1@old, lost 1 by less"},
		{other, "a.txt", "a.txt +1 -0; anchored old 1 exact_lines high; alive 1/0 a.txt:3+1@old"},
		{owner, "b.txt", "b.txt +1 -0; anchored old 1 exact_lines high; moved 1/1 d.txt:1+1@old~"},
		{owner, "c.txt", "c.txt +1 -0; anchored later 1 exact_lines high; alive 1/0 c.txt:1+1@later"},
		{owner, "e.txt", "e.txt +1 -0; anchored pair 1 exact_lines high; moved 1/1 f.txt:1+1@pair~"},
		{owner, "f.txt", "f.txt +1 -0; anchored pair 1 exact_lines high; lost, lost 1 by gone"},
		{owner, "nowhere.txt", "nowhere.txt +0 -0; never_committed"},
	} {
		tr, err := tracker.Claim(&tt.owner, tt.path)
		w.Check(err)
		if got := w.told(tr); got != tt.want {
			t.Errorf("the trail of %s of %s is\n%s\nwant\n%s", tt.owner.ToolCall, tt.path, got, tt.want)
		}
		if len(tr.Steps) > 0 {
			if c, err := tracker.objects.Commit(tr.Steps[0].Commit); err != nil || !tr.Steps[0].Time.Equal(c.Committer.When) {
				t.Errorf("the step of %s is of %v, and was claimed later (%v)", tt.path, tr.Steps[0].Time, err)
			}
		}
	}
}

// A patch of which the log has no event is what its anchor says.
func TestAPatchThatTheLogDoesNotHave(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Write("a.txt", lines(one, two))
	c := w.commit("elsewhere")
	const id = "0123456789abcdef0123456789abcdef"
	w.Append(events.CommitAnchored, events.PostCommit, events.CommitData{
		Commit: c, Owners: []events.AnchorOwner{{Kind: events.OwnerAI, Patch: id, Session: "S7", Trace: "t"}},
		Files: []events.AnchorFile{{Path: "a.txt", Blob: w.OID("HEAD:a.txt"), Runs: []events.AnchorRun{{Start: 1, Count: 2, Tier: "exact_blob"}}}},
	})
	for _, hint := range []string{"a.txt", "base.txt"} {
		tr, err := w.tracker().Patch(id, hint)
		w.Check(err)
		if tr.Created != nil {
			t.Errorf("it was created %v", tr.Created)
		}
		want := "base.txt +0 -0; never_committed"
		if hint == "a.txt" {
			want = "a.txt +2 -0; anchored elsewhere 2 exact_blob high; alive 2/0 a.txt:1+2@elsewhere"
		}
		if got := w.told(tr); got != want {
			t.Errorf("by way of %s the trail is\n%s\nwant\n%s", hint, got, want)
		}
	}
}

// A bare repository has no work tree: what is left is what HEAD has.
func TestABareRepositoryIsAskedForHEAD(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Edit("S1", "a.txt", lines(one, two))
	w.commit("ai")
	w.Write("a.txt", lines(one))
	w.commit("less")
	patch := w.trails("S1")[0].Patch
	dir := t.TempDir()
	w.Git("clone", "-q", "--bare", w.Repo.WorkTree, dir)
	w.Git("--git-dir="+dir, "fetch", "-q", w.Repo.WorkTree, refs.EventsRef+":"+refs.EventsRef)
	bare, err := refs.Discover(dir)
	w.Check(err)
	w.Repo = bare
	tr, err := w.tracker().Patch(patch, "")
	w.Check(err)
	want := "a.txt +2 -0; anchored ai 2 exact_blob high; changed 1/0 a.txt:1+1@ai, lost 1 by less"
	if got := w.told(tr); got != want {
		t.Errorf("the trail is\n%s\nwant\n%s", got, want)
	}
}

// Where a shallow clone ends, git does not tell whether a ref leads further.
func TestWhatGitDoesNotTellIsLeftOpen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Edit("S1", "a.txt", lines(one, two))
	w.commit("ai")
	w.Write("a.txt", lines(one))
	w.commit("less")
	w.Write("m.txt", "m\n")
	w.commit("more")
	patch := w.trails("S1")[0].Patch
	w.Check(os.WriteFile(filepath.Join(w.Repo.CommonDir, "shallow"), []byte(w.OID("HEAD~1").String()+"\n"), 0o644))
	tr, err := w.tracker().Patch(patch, "")
	w.Check(err)
	want := "a.txt +2 -0; anchored ai 2 exact_blob high; unknown"
	if got := w.told(tr); got != want {
		t.Errorf("the trail is\n%s\nwant\n%s", got, want)
	}
}

func TestTheOwnerOfALine(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Edit("S1", "base.txt", lines("base one", one, "base two", "base three"))
	tracker := w.tracker()
	for line, want := range map[int]string{0: "", 1: "human", 2: "ai S1", 4: "human", 5: ""} {
		owner, count, err := tracker.Line("base.txt", line)
		if got := strings.TrimSpace(string(owner.Kind) + " " + owner.Session); err != nil || got != want || count != 4 {
			t.Errorf("line %d of %d is %q, want %q (%v)", line, count, got, want, err)
		}
	}
	if _, count, err := tracker.Line("nowhere.txt", 1); err != nil || count != 0 {
		t.Errorf("a file that is not there has %d lines, %v", count, err)
	}
}

// What makes lines those of one trail.
func TestKeysOfTrails(t *testing.T) {
	t.Parallel()
	call := events.AnchorOwner{Trace: "t", Subagent: "s", ToolCall: "c", Prompt: 3}
	if a, b := KeyOf(&events.AnchorOwner{Patch: "p", Trace: "t"}, "x"), KeyOf(&events.AnchorOwner{Patch: "p"}, "y"); a != b || a != "p" {
		t.Errorf("a patch is %q and %q", a, b)
	}
	if key := KeyOf(&events.AnchorOwner{Kind: events.OwnerHuman, ToolCall: "c"}, "x"); key != "" {
		t.Errorf("without a conversation the key is %q", key)
	}
	seen := map[Key]string{KeyOf(&call, "x"): "the call"}
	for what, change := range map[string]func(*events.AnchorOwner){
		"conversation": func(o *events.AnchorOwner) { o.Trace = "u" }, "sub-agent": func(o *events.AnchorOwner) { o.Subagent = "" },
		"call": func(o *events.AnchorOwner) { o.ToolCall = "d" }, "prompt": func(o *events.AnchorOwner) { o.Prompt = 4 },
	} {
		other := call
		change(&other)
		if had, twice := seen[KeyOf(&other, "x")]; twice {
			t.Errorf("another %s has the key of %s", what, had)
		}
		seen[KeyOf(&other, "x")] = "another " + what
	}
	if KeyOf(&call, "y") == KeyOf(&call, "x") {
		t.Error("two files of a call have one key")
	}
}

// The figures of what is left stay within the lines that a patch has, and a word says what they say.
func TestFiguresAndTheirWord(t *testing.T) {
	t.Parallel()
	loss := func(n int) []Loss { return []Loss{{Lines: n}} }
	step := []Step{{Kind: Anchored}}
	tests := map[string]struct {
		now   Now
		steps []Step
		want  State
	}{
		"all of it":                            {Now{Alive: 2}, step, Alive},
		"all of it, a part elsewhere":          {Now{Alive: 2, Moved: 1}, step, Moved},
		"some, a part elsewhere":               {Now{Alive: 2, Moved: 1, Lost: loss(1)}, step, Changed},
		"some, the rest dropped":               {Now{Alive: 2, Dropped: 1}, step, Changed},
		"some, the rest reverted":              {Now{Alive: 2, Reverted: loss(1)}, step, Changed},
		"none, and others stand there":         {Now{Changed: loss(1), Reverted: loss(5)}, step, Changed},
		"more reverted than lost":              {Now{Reverted: loss(2), Lost: loss(1)}, step, Reverted},
		"as much reverted as lost":             {Now{Reverted: loss(2), Lost: loss(2)}, step, Reverted},
		"more lost than reverted":              {Now{Reverted: loss(1), Lost: loss(2)}, step, Lost},
		"lost":                                 {Now{Lost: loss(1)}, step, Lost},
		"nothing is known, and never anchored": {Now{}, nil, Dropped},
		"nothing is known of what was":         {Now{}, step, Unsettled},
	}
	for name, tt := range tests {
		if got := tt.now.state(&Trail{Steps: tt.steps}); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
	owner := func(n int) *Loss { return &Loss{Lines: n} }
	id := func(n byte) refs.OID {
		oid, err := refs.ParseOID(strings.Repeat(string(n), 40))
		if err != nil {
			t.Fatal(err)
		}
		return oid
	}
	for name, tt := range map[string]struct {
		lines, alive, moved int
		changed             map[refs.OID]*Loss
		noEvent             bool
		want                string // LINES ALIVE/MOVED, then what was changed
	}{
		"as it is":                       {5, 3, 1, map[refs.OID]*Loss{id('a'): owner(2)}, false, "5 3/1 2"},
		"copied":                         {2, 4, 4, nil, false, "2 2/2"},
		"copied lines of which none has": {2, 4, 1, nil, true, "4 4/1"},
		"more stand there than were":     {4, 1, 0, map[refs.OID]*Loss{id('a'): owner(2), id('b'): owner(5)}, false, "4 1/0 3"},
		"the larger first":               {9, 1, 0, map[refs.OID]*Loss{id('a'): owner(2), id('b'): owner(5)}, false, "9 1/0 5 2"},
		"nothing is left for others":     {2, 2, 0, map[refs.OID]*Loss{id('a'): owner(2)}, false, "2 2/0"},
	} {
		tr := &Trail{Lines: tt.lines, Created: &Created{}}
		if tt.noEvent {
			tr.Created = nil
		}
		l := looker{tr: tr, now: &Now{Alive: tt.alive, Moved: tt.moved}, changed: tt.changed}
		for c, loss := range tt.changed {
			loss.Commit = c
		}
		l.tidy()
		got := fmt.Sprintf("%d %d/%d", tr.Lines, l.now.Alive, l.now.Moved)
		for _, c := range l.now.Changed {
			got += fmt.Sprintf(" %d", c.Lines)
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

// What a patch kept of older owners is not counted as its own, and what cannot be read says nothing.
func TestWhatTheEventOfAPatchSays(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ data, want string }{
		"its own lines alone": {`{"patch":"p","path":"a","new_start":3,"new_count":5,"old_count":2,"kept":[{"start":3,"count":1},{"start":5,"count":2}]}`, "a +2 -2 at 3+5"},
		"more kept than new":  {`{"patch":"p","path":"a","new_start":1,"new_count":1,"kept":[{"start":1,"count":2}]}`, "a +0 -0 at 1+1"},
		"no numbers at all":   {`{"patch":"p","path":"a","new_count":-3,"old_count":-1}`, "a +0 -0 at 0+-3"},
		"no event of a patch": {`[]`, " +0 -0 at nowhere"},
	} {
		var tr Trail
		tr.created(&events.Event{Data: []byte(tt.data)})
		place := "nowhere"
		if tr.Created != nil {
			place = fmt.Sprintf("%d+%d", tr.Created.Start, tr.Created.Count)
		}
		if got := fmt.Sprintf("%s +%d -%d at %s", tr.Path, tr.Lines, tr.Removed, place); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}
