package trail

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
)

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
	w.expect(want, w.trails("human")...)
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
			w.expect(want, tr)
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
	tracker, along := w.tracker(), w.tracker().Along(w.history())
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
		same, err := along.Claim(&tt.owner, tt.path)
		if w.Check(err); w.told(same) != tt.want {
			t.Errorf("along a history the trail of %s is\n%s\nwant\n%s", tt.path, w.told(same), tt.want)
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
	testenv.SealLog(w.T, w.Repo.WorkTree)
	w.Git("--git-dir="+dir, "fetch", "-q", w.Repo.WorkTree, refs.EventsRef+":"+refs.EventsRef)
	bare, err := refs.Discover(dir)
	w.Check(err)
	w.Repo = bare
	tr, err := w.tracker().Patch(patch, "")
	w.Check(err)
	want := "a.txt +2 -0; anchored ai 2 exact_blob high; changed 1/0 a.txt:1+1@ai, lost 1 by less"
	w.expect(want, tr)
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
	w.expect(want, tr)
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

// The commits of a conversation tell of its patches, of each one, also where the lines went to another file before they
// were committed.
func TestLinesThatWentToAnotherFileAreFoundByTheirConversation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	block := func(name string) string {
		return lines("the first line of block "+name, "the second line of block "+name, "the third line of block "+name)
	}
	w.Edit("S1", "a.txt", block("a"))
	w.Edit("S1", "b.txt", block("b"))
	w.Check(os.Remove(filepath.Join(w.Repo.WorkTree, "a.txt")))
	w.Check(os.Remove(filepath.Join(w.Repo.WorkTree, "b.txt")))
	w.Write("c.txt", lines("of a person")+block("b")+lines("and between them")+block("a"))
	w.commit("both")
	w.expect("a.txt +3 -0; anchored both 3 exact_blob high; moved 3/3 c.txt:6+3@both~\n"+
		"b.txt +3 -0; anchored both 3 exact_blob high; moved 3/3 c.txt:2+3@both~", w.trails("S1")...)
}
