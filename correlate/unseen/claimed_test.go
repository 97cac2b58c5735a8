package unseen

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/correlate/belief"
	"github.com/git-trace/git-trace/correlate/later"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/internal/testing/recording"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
)

// with runs something with a search.
func (w *world) with(do func(s *Search, reader *index.Index)) {
	w.T.Helper()
	reader, err := index.Open(w.Repo)
	w.Check(err)
	defer reader.Close()
	s := New(w.Repo, reader)
	defer s.Close()
	do(s, reader)
}

// claim says, as a backfill does, that a conversation wrote lines of a file of the commit: START+COUNT TIER.
func (w *world) claim(commit refs.OID, session, path string, runs ...string) {
	w.T.Helper()
	blob, err := refs.ParseOID(w.Git("rev-parse", commit.String()+":"+path))
	w.Check(err)
	file := events.AnchorFile{Path: path, Blob: blob}
	for _, text := range runs {
		var run events.AnchorRun
		_, err := fmt.Sscanf(text, "%d+%d %s", &run.Start, &run.Count, &run.Tier)
		w.Check(err)
		file.Runs = append(file.Runs, run)
	}
	owner := events.AnchorOwner{Kind: events.OwnerAI, Trace: events.NewTraceID("pi", session), Agent: "pi", Session: session, ToolCall: "c"}
	w.Append(events.CommitAnchored, events.Backfill,
		events.CommitData{Commit: commit, Owners: []events.AnchorOwner{owner}, Files: []events.AnchorFile{file}})
}

// amended gives HEAD another content and takes its place in the log.
func (w *world) amended(name, text string) refs.OID {
	w.T.Helper()
	older := w.Head()
	w.Write(name, text)
	w.Git("commit", "-q", "-a", "--amend", "-m", fmt.Sprint("after ", older))
	w.Anchor()
	w.Rewritten("amend", older, w.Head())
	return w.Head()
}

// What was said later of a commit goes on to those that take its place: the lines that still stand there.
func TestClaimsGoOnToTheCommitThatTakesThePlace(t *testing.T) {
	t.Parallel()
	const a, b, c, d = "claimed line number one\n", "claimed line number two\n", "claimed line number three\n", "claimed line number four\n"
	dir := t.TempDir() // the first commit was there before git-trace came
	script := "git init -q -b main .; printf '" + strings.ReplaceAll(a+b+c+d, "\n", `\n`) + "' >a.txt; git add .; git commit -q -m first"
	made := exec.Command("sh", "-ec", script)
	made.Dir = dir
	if out, err := made.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	w := &world{recording.Open(t, dir, time.Now().Add(-time.Hour), "status")}
	first := w.Head()
	w.claim(first, "S9", "a.txt", "1+2 exact_lines", "3+1 line_fingerprint", "4+1 exact_blob")
	second := w.amended("a.txt", "above\n"+a+b+c+d)
	want := []string{"unknown", "S9 by exact_lines", "S9 by exact_lines", "S9 by rewritten", "S9 by exact_lines"}
	later := Question{Commit: second, Path: "a.txt", Elsewhere: true, Carried: true}
	w.want(later, want...)
	w.want(Question{Commit: second, Path: "a.txt", Elsewhere: true}, want...)
	w.want(Question{Commit: second, Path: "none.txt", Elsewhere: true, Carried: true})
	w.claim(second, "S8", "a.txt", "2+1 exact_lines")
	third := w.amended("a.txt", "above\n"+a+"changed\n"+c+d)
	later.Commit = third
	w.want(later, "unknown", "S8 by exact_lines", "unknown", "S9 by rewritten", "S9 by exact_lines")
	w.with(func(s *Search, _ *index.Index) {
		for range 2 { // asked of the log, and remembered
			found, err := s.Carried(context.Background(), []refs.OID{first, second, third})
			w.Check(err)
			if got := slices.Sorted(maps.Keys(counted(found))); !slices.Equal(got, []string{
				"5 added, 3 by agents, 0 by people, 2 unknown", "5 added, 4 by agents, 0 by people, 1 unknown",
			}) {
				t.Errorf("carried is %q", got)
			}
			if _, own := found[first]; own {
				t.Error("a commit that took nobody's place carries a claim")
			}
		}
	})
	blob := w.Git("rev-parse", first.String()+":a.txt")
	w.Check(os.Remove(filepath.Join(w.Repo.CommonDir, "objects", blob[:2], blob[2:])))
	w.Check(os.RemoveAll(filepath.Join(w.Repo.TracesDir(), "objects")))
	w.want(later, "unknown", "S8 by exact_lines", "unknown", "unknown", "unknown") // only what the nearer one says
}

func counted(found map[refs.OID]events.CommitData) map[string]bool {
	out := map[string]bool{}
	for _, d := range found {
		out[fmt.Sprintf("%d added, %d by agents, %d by people, %d unknown", d.Added, d.AI, d.Human, d.Unknown)] = true
	}
	return out
}

// names are the subjects of commits.
func (w *world) names(list []refs.OID) string {
	out := make([]string, 0, len(list))
	for _, c := range list {
		out = append(out, w.Git("log", "-1", "--format=%s", c.String()))
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// Listed are the commits that were made since the log began, without those of which nothing can be found any more.
func TestCommitsOfWhichASearchCouldTell(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	listed := func(want string) {
		t.Helper()
		w.with(func(s *Search, _ *index.Index) {
			list, err := s.Unheard(context.Background())
			w.Check(err)
			if got := w.names(list); got != want {
				t.Errorf("listed are %q, want %q", got, want)
			}
		})
	}
	listed("") // what was there before is not
	w.Edit("S1", "c.txt", bySecond)
	heard := w.Commit("heard")
	w.Anchor()
	w.Edit("S1", "a.txt", byFirst)
	unseen := w.Commit("unseen")
	w.Git("switch", "-q", "-c", "side")
	w.Write("b.txt", byHand)
	typed := w.Commit("typed")
	w.Git("switch", "-q", "main")
	listed("heard typed unseen")
	if found := w.commits(unseen, typed); len(found) != 1 {
		t.Errorf("%d commits are found", len(found))
	}
	listed("heard unseen") // of what was typed it is known that there is nothing
	settle := func(commit refs.OID) {
		w.with(func(s *Search, reader *index.Index) {
			known, err := belief.Of(reader, commit)
			w.Check(err)
			w.Check(s.prepare(context.Background()))
			w.Check(s.Settle(known))
			if s.Passing() {
				t.Error("nothing of it is passing")
			}
		})
	}
	settle(unseen) // no hook was heard of it: a search may find more
	listed("heard unseen")
	settle(heard)
	listed("unseen")
	settle(heard)
	listed("unseen")
	w.claim(heard, "S9", "c.txt", "1+1 exact_lines") // the log speaks of it again
	listed("heard unseen")
	w.Check(later.Open(w.Repo).Add(later.Job{Hook: "post-commit", Commit: heard, From: unseen, Time: time.Now()}))
	w.with(func(s *Search, _ *index.Index) {
		if !s.Passing() {
			t.Error("a rebase is under way, and what is found may be another thing afterwards")
		}
	})
}

// Where a log began elsewhere, what both found is left out; where nobody knows where it began, nothing is.
func TestLogsThatBeganApart(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Git("switch", "-q", "-c", "theirs", "main")
	theirs := w.Clone()
	w.Git("switch", "-q", "main")
	theirs.Git("switch", "-q", "-C", "main")
	w.Edit("S1", "a.txt", byFirst)
	w.Commit("ours")
	theirs.Edit("S2", "b.txt", bySecond)
	theirs.Commit("begun")
	theirs.Anchor()
	w.Git("fetch", "-q", theirs.Repo.WorkTree, "HEAD:refs/heads/theirs")
	testenv.FetchLog(t, w.Repo.WorkTree, theirs.Repo.WorkTree, "theirs")
	w.with(func(s *Search, _ *index.Index) {
		list, err := s.Unheard(context.Background())
		w.Check(err)
		if got := w.names(list); got != "begun ours" {
			t.Errorf("listed are %q", got)
		}
		found, err := s.Elsewhere(context.Background(), list)
		w.Check(err)
		if got := slices.Sorted(maps.Keys(counted(found))); !slices.Equal(got, []string{"1 added, 1 by agents, 0 by people, 0 unknown"}) {
			t.Errorf("what theirs tell is %q", got)
		}
	})
	nobody := &world{theirs}
	nobody.with(func(s *Search, _ *index.Index) {
		if found, err := s.Elsewhere(context.Background(), []refs.OID{theirs.Head()}); err != nil || found != nil {
			t.Errorf("of no other log there is %v, %v", found, err)
		}
	})
}

// It may turn out after a patch was recorded that its call had ended before, or never ran: then it wrote nothing. The
// answer that was kept ends with that.
func TestAPatchWhoseCallNeverRan(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Edit("S1", "a.txt", byFirst)
	w.Edit("S2", "b.txt", bySecond)
	c := w.Commit("unseen")
	w.Forget()
	both := func(a, b string) {
		t.Helper()
		w.want(Question{Commit: c, Path: "a.txt"}, a)
		w.want(Question{Commit: c, Path: "b.txt"}, b)
	}
	both("S1 by line_fingerprint", "S2 by line_fingerprint")
	raw, err := events.Encode(events.WindowData{Tool: "Edit", Class: "edit", Status: events.StatusRejected})
	w.Check(err)
	_, err = events.OpenLog(w.Repo).Append(t.Context(), []events.Draft{{
		Time: w.Now(), Type: events.WindowAbandoned, Trace: events.NewTraceID("claude-code", "S1"), Agent: "claude-code", Session: "S1",
		ToolCall: "call-1", Method: []events.Method{events.Manual}, Data: raw,
	}, {
		Time: w.Now(), Type: events.WindowAbandoned, Trace: events.NewTraceID("claude-code", "S3"), Agent: "claude-code", Session: "S3",
		ToolCall: "call-2", Method: []events.Method{events.Manual}, Data: raw,
	}})
	w.Check(err)
	both("unknown", "S2 by line_fingerprint") // a call of that name of another conversation is not meant
}

// Of a merge only what no parent has is looked at, beside commits that git told of at once.
func TestAMergeAmongWholeCommits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Git("switch", "-q", "-c", "side")
	w.Write("base.txt", "side\nbase one\nbase two\nbase three\n")
	w.Commit("side")
	w.Git("switch", "-q", "main")
	w.Edit("S1", "a.txt", byFirst)
	plain := w.Commit("plain")
	w.Git("merge", "-q", "--no-commit", "side")
	w.Edit("S2", "base.txt", "side\nbase one\n"+bySecond+"base two\nbase three\n")
	merge := w.Commit("merge")
	w.Forget()
	var gone refs.OID
	gone, err := refs.ParseOID(strings.Repeat("ab", 20))
	w.Check(err)
	found := w.commits(plain, merge, gone)
	if len(found) != 2 || found[merge].AI != 1 || found[merge].Added != 1 || len(found[merge].Parents) != 2 || found[plain].AI != 1 {
		t.Errorf("found %+v", found)
	}
}

// What was found where the history ends elsewhere does not hold.
func TestAKeptAnswerHoldsForOneEndOfHistory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Edit("S1", "a.txt", byFirst)
	c := w.Commit("unseen")
	searched := func() (asked bool) {
		w.with(func(s *Search, _ *index.Index) {
			_, err := s.Commits(context.Background(), []refs.OID{c})
			w.Check(err)
			asked = len(s.ages) > 0
		})
		return asked
	}
	for i, want := range []bool{true, false, true, false, true} {
		switch i {
		case 2:
			w.Check(os.WriteFile(filepath.Join(w.Repo.CommonDir, "shallow"), []byte(c.String()+"\n"), 0o600))
		case 4:
			w.Check(os.Remove(filepath.Join(w.Repo.CommonDir, "shallow")))
		}
		if got := searched(); got != want {
			t.Errorf("step %d: searched %v, want %v", i, got, want)
		}
	}
}

// A path that was seen is looked into though no log speaks of the lines that are asked about: a formatter may have
// written them anew on the way to the commit.
func TestALineOfAPathThatWasSeen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Edit("S1", "base.txt", "base one\nbase two\nbase three\n"+common)
	w.Edit("S1", "other.txt", byFirst)
	w.Git("checkout", "-q", "--orphan", "apart")
	c := w.Commit("apart")
	telling, dull := []byte("base-one-that-nobody-wrote"), []byte("}")
	for _, texts := range [][][]byte{{telling}, {telling, dull}} {
		w.want(Question{Commit: c, Path: "base.txt", Lines: []int{1, 4}[:len(texts)], Texts: texts},
			"human by exact_blob", "human by exact_blob", "human by exact_blob", "S1 by exact_blob")
	}
	w.Write("base.txt", "base one\nbase two\nbase three\nmore\n"+common)
	d := w.Commit("not seen")
	w.want(Question{Commit: d, Path: "base.txt", Lines: []int{4, 5}, Texts: [][]byte{telling, dull}}, "unknown")
}

// A commit that no hook saw has what a formatter made of the last content of a path.
func TestWhatAFormatterMadeOfAContentThatWasSeen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Edit("S1", "new.js", "const first = 'one', second = callOf(first)\nexport function run( a,b ) { return a+b }\n")
	w.Write("new.js", "const first = \"one\",\n  second = callOf(first);\nconst typed = \"by hand\";\n"+
		"export function run(a, b) {\n  return a + b;\n}\n")
	c := w.Commit("formatted")
	w.want(Question{Commit: c, Path: "new.js", Lines: []int{1}, Texts: [][]byte{[]byte("constfirst=\"one\",")}},
		"S1 by reformatted", "S1 by reformatted", "unknown", "S1 by reformatted", "S1 by reformatted", "S1 by reformatted")
}

// A content that was seen is looked into though none of its lines says anything.
func TestAWholeCommitOfLinesThatSayNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Edit("S1", "a.txt", common+common)
	c := w.Commit("unseen")
	if found := w.commits(c); found[c].AI != 2 {
		t.Errorf("found %+v", found)
	}
}

// An anchored commit that changed a file in the same way, and of whose lines nobody knows the owner, contradicts nobody.
func TestAnEqualChangeOfWhichNobodyKnowsTheOwner(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Edit("S1", "base.txt", "base one\nbase two\n"+byFirst+"base three\n")
	ai := w.Commit("ai")
	w.Anchor()
	w.Git("switch", "-q", "-c", "other", "HEAD~1")
	w.Write("other.txt", "x\n")
	w.Commit("apart")
	w.Git("cherry-pick", ai.String())
	for _, e := range w.Log() {
		if d := events.DataOf[events.CommitData](e); e.Type == events.CommitAnchored && d.Commit == ai {
			d.Commit, d.Owners, d.AI, d.Unknown = w.Head(), []events.AnchorOwner{{Kind: events.OwnerUnknown}}, 0, d.AI
			w.Append(events.CommitAnchored, events.Manual, d)
		}
	}
	w.Git("switch", "-q", "-c", "third", "HEAD~2")
	w.Write("third.txt", "y\n")
	w.Commit("apart again")
	w.Git("cherry-pick", ai.String())
	w.Forget()
	w.want(Question{Commit: w.Head(), Path: "base.txt"}, "S1 by same_patch")
}
