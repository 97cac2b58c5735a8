package correlate

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/git-trace/git-trace/correlate/later"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails"
)

// What git's hooks put down of commits that are made, missed, merged, amended, picked and rebased.
func TestWhatHooksSayOfCommits(t *testing.T) {
	t.Parallel()
	base := []string{"base one", "base two", "base three", "base four", "base five"}
	with := func(lines ...string) []string { return append(slices.Clone(base), lines...) }
	stopped := func(h *home) { // a rebase that made one commit by itself, and stands at a conflict
		h.git("switch", "-q", "-c", "topic")
		h.edit("S1", "free.txt", "not in anybody's way")
		h.git("add", "-A")
		h.git("commit", "-q", "-m", "free")
		h.edit("S1", "a.txt", with("the agent's line 1")...)
		h.git("commit", "-q", "-a", "-m", "in the way")
		h.git("switch", "-q", "main")
		h.write("a.txt", with("a person's line")...)
		h.git("commit", "-q", "-a", "-m", "person")
		h.git("rebase", "main", "topic")
	}
	topic := func(h *home) { // three commits of an agent on a branch, one of a person on main
		h.git("switch", "-q", "-c", "topic")
		for i := range 3 {
			lines := []string{"the agent's line 1", "the agent's line 2", "the agent's line 3"}[:i+1]
			h.edit("S1", "a.txt", with(lines...)...)
			h.git("commit", "-q", "-a", "-m", fmt.Sprint("ai ", i+1))
		}
		h.git("switch", "-q", "main")
		h.write("a.txt", append([]string{"a person's line"}, base...)...)
		h.git("commit", "-q", "-a", "-m", "person")
		h.git("switch", "-q", "topic")
	}
	tests := map[string]struct {
		do    func(h *home)
		since string
		want  string
	}{
		"a commit, and one that no hook was called for before it": {func(h *home) {
			h.edit("S1", "a.txt", with("by the agent")...)
			h.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-a", "-m", "missed")
			h.edit("S2", "a.txt", with("by the agent", "by the other one")...)
			h.git("commit", "-q", "-a", "-m", "heard")
		}, "HEAD~2", "missed: a.txt 6+1 S1 exact_blob by post_commit\nheard: a.txt 7+1 S2 exact_blob by post_commit"},
		"a part of a file, staged": {func(h *home) {
			h.edit("S1", "a.txt", with("staged by the agent")...)
			h.git("add", "a.txt")
			h.write("a.txt", with("staged by the agent", "not staged")...)
			h.git("commit", "-q", "-m", "part")
		}, "HEAD~1", "part: a.txt 6+1 S1 exact_blob by post_commit"},
		"a part that nobody saw as it is": {func(h *home) {
			h.edit("S1", "a.txt", with("the first of the agent", "the second of the agent")...)
			h.write("b.txt", with("the second of the agent")...)
			blob := h.git("hash-object", "-w", "b.txt")
			h.git("update-index", "--cacheinfo", "100644,"+blob+",a.txt")
			h.git("commit", "-q", "-m", "part")
		}, "HEAD~1", "part: a.txt 6+1 S1 exact_lines by post_commit"},
		"an amended commit": {func(h *home) {
			h.edit("S1", "a.txt", with("by the agent")...)
			h.git("commit", "-q", "-a", "-m", "ai")
			h.write("a.txt", with("by the agent", "and by a person")...)
			h.git("commit", "-q", "-a", "--amend", "-m", "amended")
		}, "HEAD~1", "amended: a.txt 6+1 S1 exact_blob by post_commit, a.txt 7+1 human exact_blob by post_commit\namend amended"},
		"a merge adds what no parent has": {func(h *home) {
			topic(h)
			h.git("switch", "-q", "main")
			h.git("merge", "-q", "--no-commit", "topic")
			h.edit("S2", "a.txt", append([]string{"a person's line"}, with("the agent's line 1", "the agent's line 2", "the agent's line 3", "added in the merge")...)...)
			h.git("commit", "-q", "-a", "-m", "merge")
		}, "HEAD^1", "ai 1: a.txt 6+1 S1 exact_blob by post_commit\nai 2: a.txt 7+1 S1 exact_blob by post_commit\nai 3: a.txt 8+1 S1 exact_blob by post_commit\nmerge: a.txt 10+1 S2 exact_blob by post_commit"},
		"a rebase of three commits": {func(h *home) {
			topic(h)
			h.git("rebase", "-q", "main")
		}, "main", "ai 1: a.txt 7+1 S1 rewritten by post_rewrite\nai 2: a.txt 8+1 S1 rewritten by post_rewrite\nai 3: a.txt 9+1 S1 rewritten by post_rewrite\nrebase ai 1\nrebase ai 2\nrebase ai 3"},
		"a rebase that applies patches": {func(h *home) {
			topic(h)
			h.git("rebase", "-q", "--apply", "main")
		}, "main", "ai 1: a.txt 7+1 S1 exact_blob by post_commit\nai 2: a.txt 8+1 S1 rewritten by post_rewrite\nai 3: a.txt 9+1 S1 rewritten by post_rewrite\nrebase ai 1\nrebase ai 2\nrebase ai 3"},
		"a rebase onto a renamed file": {func(h *home) {
			h.git("switch", "-q", "-c", "topic")
			h.edit("S1", "a.txt", with("the agent's line 1")...)
			h.git("commit", "-q", "-a", "-m", "ai 1")
			h.git("switch", "-q", "main")
			h.git("mv", "a.txt", "b.txt")
			h.git("commit", "-q", "-m", "renamed")
			h.git("rebase", "-q", "main", "topic")
		}, "main", "ai 1: b.txt 6+1 S1 exact_blob by post_rewrite\nrebase ai 1"},
		"a merge that git makes by itself hears of what no hook heard of": {func(h *home) {
			h.git("switch", "-q", "-c", "side")
			h.write("b.txt", "by a person")
			h.git("add", "-A")
			h.git("commit", "-q", "-m", "side")
			h.git("switch", "-q", "main")
			h.edit("S1", "a.txt", with("by the agent")...)
			h.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-a", "-m", "missed")
			h.git("merge", "-q", "--no-edit", "side")
		}, "HEAD~2", "side: b.txt 1+1 human exact_blob by post_commit\nmissed: a.txt 6+1 S1 exact_blob by post_commit\nMerge branch 'side':"},
		"a merge that only moves the branch does not": {func(h *home) {
			h.git("switch", "-q", "-c", "side")
			h.edit("S1", "a.txt", with("by the agent")...)
			h.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-a", "-m", "missed")
			h.git("switch", "-q", "main")
			h.git("merge", "-q", "side")
		}, "HEAD~1", "missed:"},
		"a renamed file of which a part is staged": {func(h *home) {
			h.edit("S1", "a.txt", with("the first of the agent", "the second of the agent")...)
			h.git("mv", "a.txt", "b.txt")
			h.write("c.txt", with("the second of the agent")...)
			blob := h.git("hash-object", "-w", "c.txt")
			h.git("update-index", "--cacheinfo", "100644,"+blob+",b.txt")
			h.git("commit", "-q", "-m", "part")
		}, "HEAD~1", "part: b.txt 6+1 S1 exact_lines by post_commit"},
		"a part in another form, and a line that nobody saw": {func(h *home) {
			h.edit("S1", "a.txt", with("the first of the agent", "the second of the agent")...)
			h.write("b.txt", with("\tthe first  of the agent", "from somewhere else")...)
			blob := h.git("hash-object", "-w", "b.txt")
			h.git("rm", "-q", "--cached", "a.txt")
			h.git("update-index", "--add", "--cacheinfo", "100644,"+blob+",a.txt")
			h.git("commit", "-q", "-m", "part")
		}, "HEAD~1", "part: a.txt 6+1 S1 reformatted by post_commit, a.txt 7+1 human exact_lines by post_commit"},
		"a rebase onto a renamed file that has changed": {func(h *home) {
			h.git("switch", "-q", "-c", "topic")
			h.edit("S1", "a.txt", with("the agent's line 1")...)
			h.git("commit", "-q", "-a", "-m", "ai 1")
			h.git("switch", "-q", "main")
			h.git("mv", "a.txt", "b.txt")
			h.write("b.txt", append([]string{"a person's line"}, base...)...)
			h.git("commit", "-q", "-a", "-m", "renamed")
			h.git("rebase", "-q", "main", "topic")
		}, "main", "ai 1: b.txt 7+1 S1 rewritten by post_rewrite\nrebase ai 1"},
		"a rebase whose command amends what was picked": {func(h *home) {
			topic(h)
			h.git("rebase", "-q", "-x", "git commit -q --amend -m amended", "main")
		}, "main", "amended: a.txt 7+1 S1 exact_blob by post_commit\namended: a.txt 8+1 S1 exact_blob by post_commit\n" +
			"amended: a.txt 9+1 S1 exact_blob by post_commit\namend amended\nrebase ai 1\nrebase ai 2\nrebase ai 3"},
		"a rebase that is given up: what it had picked is forgotten": {func(h *home) {
			stopped(h)
			if picked := Picked(h.repo); len(picked) != 1 {
				h.t.Errorf("%d commits were put off, want one", len(picked))
			}
			h.git("rebase", "--abort")
			h.edit("S2", "a.txt", with("the agent's line 1", "by the other")...)
			h.git("commit", "-q", "-a", "-m", "more")
			if picked := Picked(h.repo); len(picked) != 0 {
				h.t.Errorf("%d commits are still put off", len(picked))
			}
		}, "HEAD~3", "free: free.txt 1+1 S1 exact_blob by post_commit\nin the way: a.txt 6+1 S1 exact_blob by post_commit\n" +
			"more: a.txt 7+1 S2 exact_blob by post_commit"},
		"a rebase at whose end there is no time": {func(h *home) {
			stopped(h)
			queue := later.Open(h.repo)
			head, _, err := h.repo.Head()
			if err = errors.Join(err, takePicks(h.t.Context(), h.repo, h.engine, head, time.Now(), time.Now())); err != nil || queue.Len() != 1 {
				h.t.Fatalf("%d are left for later, %v", queue.Len(), err)
			}
			do := func(job later.Job) error {
				return Later(h.t.Context(), h.repo, h.engine, job.Commit, job.From, time.Now())
			}
			nothing := func() error { return nil }
			if err := queue.Work(h.t.Context(), do, nothing, func() bool { return false }); err != nil {
				h.t.Fatal(err)
			}
		}, "main", "free: free.txt 1+1 S1 exact_blob by post_rewrite"},
		"a commit that is anchored later on": {func(h *home) {
			h.edit("S1", "a.txt", with("by the agent")...)
			h.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-a", "-m", "put off")
			h.write("a.txt", with("by the agent", "by a person")...)
			h.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-a", "-m", "not asked for")
			first, err := refs.ParseOID(h.git("rev-parse", "HEAD~1"))
			if err != nil {
				h.t.Fatal(err)
			}
			for range 2 { // once
				if err := Later(h.t.Context(), h.repo, h.engine, first, refs.OID{}, time.Now()); err != nil {
					h.t.Fatal(err)
				}
			}
		}, "HEAD~2", "put off: a.txt 6+1 S1 exact_blob by post_commit\nnot asked for:"},
		"a commit of a submodule and of a file without new lines": {func(h *home) {
			h.git("update-index", "--add", "--cacheinfo", "160000,"+h.git("rev-parse", "HEAD")+",sub")
			h.edit("S1", "a.txt", base[1:]...)
			h.git("add", "a.txt")
			h.git("commit", "-q", "-m", "odd")
		}, "HEAD~1", "odd:"},
		"a rebase that stops at a conflict": {func(h *home) {
			topic(h)
			h.git("switch", "-q", "main")
			h.write("a.txt", append([]string{"a person's line"}, with("in the way")...)...)
			h.git("commit", "-q", "-a", "-m", "in the way")
			h.git("switch", "-q", "topic")
			h.git("rebase", "main")
			h.write("a.txt", append([]string{"a person's line"}, with("in the way", "the agent's line 1")...)...)
			h.git("add", "-A")
			h.git("rebase", "--continue")
		}, "main", "ai 1: a.txt 8+1 S1 exact_blob by post_commit\nai 2: a.txt 9+1 S1 rewritten by post_rewrite\nai 3: a.txt 10+1 S1 rewritten by post_rewrite\nrebase ai 1\nrebase ai 2\nrebase ai 3"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			tt.do(h)
			if got := h.anchors(tt.since); got != tt.want {
				t.Errorf("the anchors say\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// Where there is no commit there is nothing to anchor, and a merge that made none has nothing to tell.
func TestABranchWithoutACommit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	repo, err := refs.DiscoverHook(dir)
	if err != nil {
		t.Fatal(err)
	}
	engine := trails.New(repo, events.OpenLog(repo), nil)
	if err := errors.Join(Head(t.Context(), repo, engine, 0, time.Now(), nil), Merged(t.Context(), repo, engine, time.Now())); err != nil {
		t.Error(err)
	}
	if _, err := repo.ReadRef(refs.EventsRef); !errors.Is(err, refs.ErrRefMissing) {
		t.Errorf("the log is there: %v", err)
	}
	if made := JustMade(repo); !made.IsZero() {
		t.Errorf("%s was made", made)
	}
}

// A history that was rewritten as a whole is told by several events, each pair once.
func TestManyRewrittenCommitsAreSpreadOverEvents(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	pairs := make([]events.RewritePair, pairsPerEvent+1)
	for i := range pairs {
		pairs[i] = events.RewritePair{Old: oid(t, 1000+i), New: oid(t, 9000+i)}
	}
	if err := Rewritten(t.Context(), events.OpenLog(h.repo), h.repo, h.engine, "rebase", pairs, time.Now()); err != nil {
		t.Fatal(err)
	}
	var got []events.RewritePair
	var sizes []int
	for e, err := range events.OpenLog(h.repo).Walk(t.Context(), events.Range{}) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Type == events.CommitRewritten {
			d := events.DataOf[events.RewriteData](e)
			if d.Kind != "rebase" || !slices.Equal(e.Method, []events.Method{events.PostRewrite}) {
				t.Errorf("the event is of %s by %v", d.Kind, e.Method)
			}
			got, sizes = append(got, d.Pairs...), append(sizes, len(d.Pairs))
		}
	}
	if !slices.Equal(got, pairs) || !slices.Equal(sizes, []int{pairsPerEvent, 1}) {
		t.Errorf("events of %v pairs, the same pairs: %v", sizes, slices.Equal(got, pairs))
	}
}
