package correlate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails"
	"github.com/git-trace/git-trace/trails/linediff"
)

// hookEnv makes this program the hook of git that it names.
const hookEnv = "CORRELATE_TEST_HOOK"

func TestMain(m *testing.M) {
	if name := os.Getenv(hookEnv); name != "" {
		if err := asHook(name); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(testenv.Main(m))
}

// asHook does what git-trace's hook of that name does, as far as this package goes.
func asHook(name string) error {
	repo, err := refs.DiscoverHook(".")
	if err != nil {
		return err
	}
	log := events.OpenLog(repo)
	engine := trails.New(repo, log, nil)
	switch name {
	case "post-commit", "post-applypatch":
		git, err := strconv.Atoi(os.Getenv("CORRELATE_TEST_GIT"))
		if err != nil {
			return err
		}
		return Head(context.Background(), repo, engine, git, time.Now())
	case "post-merge":
		return Merged(context.Background(), repo, engine, time.Now())
	case "post-rewrite":
		var pairs []events.RewritePair
		raw, err := os.ReadFile(os.Getenv("CORRELATE_TEST_PAIRS"))
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(raw)) {
			fields := strings.Fields(line)
			older, err1 := refs.ParseOID(fields[0])
			newer, err2 := refs.ParseOID(fields[1])
			if err := errors.Join(err1, err2); err != nil {
				return err
			}
			pairs = append(pairs, events.RewritePair{Old: older, New: newer})
		}
		return Rewritten(context.Background(), log, repo, engine, os.Args[1], pairs, time.Now())
	}
	return nil
}

// home is a repository in which an agent writes and git's hooks are this program.
type home struct {
	t       *testing.T
	repo    *refs.Repo
	engine  *trails.Engine
	minutes int
	calls   int
}

func newHome(t *testing.T) *home {
	t.Helper()
	dir := t.TempDir()
	h := &home{t: t, repo: &refs.Repo{WorkTree: dir}}
	h.git("init", "-q", "-b", "main", ".")
	repo, err := refs.DiscoverHook(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(repo.TracesDir(), 0o755); err != nil {
		t.Fatal(err)
	}
	h.repo, h.engine = repo, trails.New(repo, events.OpenLog(repo), nil)
	h.write("a.txt", "base one", "base two", "base three", "base four", "base five")
	h.git("add", "-A")
	h.git("commit", "-q", "-m", "base")
	if err := h.engine.Origin(t.Context(), time.Now()); err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, script := range map[string]string{
		"post-commit":     `CORRELATE_TEST_GIT=$PPID`,
		"post-applypatch": `CORRELATE_TEST_GIT=$PPID`,
		"post-merge":      "",
		"post-rewrite":    `cat >"$GIT_DIR/pairs"; CORRELATE_TEST_PAIRS="$GIT_DIR/pairs"`,
	} {
		text := "#!/bin/sh\n[ -n \"$GIT_DIR\" ] || GIT_DIR=$(git rev-parse --absolute-git-dir)\n" +
			script + "\nexport CORRELATE_TEST_GIT CORRELATE_TEST_PAIRS\n" + hookEnv + "=" + name + " exec '" + program + "' \"$@\"\n"
		file := filepath.Join(repo.CommonDir, "hooks", name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	h.edit("S1", "a.txt", "base one", "base two", "base three", "base four", "base five") // the log begins
	h.git("commit", "-q", "--allow-empty", "-m", "begin")
	return h
}

func (h *home) git(args ...string) string {
	h.t.Helper()
	h.minutes++
	return testenv.GitAt(h.t, h.repo.WorkTree, h.minutes, args...)
}

func (h *home) write(name string, lines ...string) {
	h.t.Helper()
	if err := os.WriteFile(filepath.Join(h.repo.WorkTree, name), []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
		h.t.Fatal(err)
	}
}

// edit is an edit call that leaves a file with some lines.
func (h *home) edit(session, name string, lines ...string) {
	h.t.Helper()
	h.calls++
	b := events.Boundary{
		Kind: events.ToolBefore, Agent: "claude-code", Session: session, Cwd: h.repo.WorkTree, Time: time.Now(),
		Tool: &events.ToolUse{CallID: fmt.Sprint("call-", h.calls), Name: "Edit", Class: events.ToolEdits, Paths: []string{filepath.Join(h.repo.WorkTree, name)}},
	}
	if err := h.engine.Handle(h.t.Context(), b); err != nil {
		h.t.Fatal(err)
	}
	h.write(name, lines...)
	b.Kind, b.Time = events.ToolAfter, time.Now()
	if err := h.engine.Handle(h.t.Context(), b); err != nil {
		h.t.Fatal(err)
	}
}

// anchors tells, for each commit from the first after a revision up to HEAD, what its anchors say: "SUBJECT: PATH
// START+COUNT WHO TIER", and what took the place of what.
func (h *home) anchors(since string) string {
	h.t.Helper()
	said := map[string][]string{}
	rewrites := map[string]bool{}
	for line := range strings.Lines(h.git("log", "--reverse", "--format=%B", refs.EventsRef)) {
		var e events.Event
		var data events.CommitData
		if json.Unmarshal([]byte(line), &e) != nil {
			continue // not of an event
		}
		switch e.Type {
		case events.CommitRewritten:
			var pairs events.RewriteData
			if err := json.Unmarshal(e.Data, &pairs); err != nil {
				h.t.Fatal(err)
			}
			for _, pair := range pairs.Pairs {
				rewrites[pairs.Kind+" "+h.git("log", "-1", "--format=%s", pair.New.String())] = pair.Old != pair.New
			}
			continue
		case events.CommitAnchored:
			if err := json.Unmarshal(e.Data, &data); err != nil {
				h.t.Fatal(err)
			}
		default:
			continue
		}
		text := ""
		for _, file := range data.Files {
			for _, run := range file.Runs {
				owner := data.Owners[run.Owner]
				who := string(owner.Kind)
				if owner.Kind == events.OwnerAI {
					who = owner.Session
				}
				text += fmt.Sprintf(" %s %d+%d %s %s by %s,", file.Path, run.Start, run.Count, who, run.Tier, e.Method[0])
			}
		}
		said[data.Commit.String()] = append(said[data.Commit.String()], strings.TrimSuffix(text, ","))
	}
	var out []string
	for line := range strings.Lines(h.git("log", "--reverse", "--format=%H %s", since+"..HEAD")) {
		id, subject, _ := strings.Cut(strings.TrimSpace(line), " ")
		out = append(out, subject+":"+strings.Join(said[id], " AND"))
	}
	out = append(out, slices.Sorted(maps.Keys(rewrites))...)
	return strings.Join(out, "\n")
}

// What git's hooks put down of commits that are made, missed, merged, amended, picked and rebased.
func TestWhatHooksSayOfCommits(t *testing.T) {
	t.Parallel()
	base := []string{"base one", "base two", "base three", "base four", "base five"}
	with := func(lines ...string) []string { return append(slices.Clone(base), lines...) }
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
				if err := Later(h.t.Context(), h.repo, h.engine, first, time.Now()); err != nil {
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

// What git has of a commit, without a hook: of a merge only what no parent has.
func TestWhatCommitsChanged(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.git("switch", "-q", "-c", "topic")
	h.write("a.txt", "topic's", "base one", "base two", "base three", "base four", "base five")
	h.git("commit", "-q", "-a", "-m", "topic")
	h.git("switch", "-q", "main")
	h.write("a.txt", "base one", "base two", "base three", "base four", "base five", "main's")
	h.write("gone.txt", "x")
	h.git("add", "-A")
	h.git("commit", "-q", "-m", "main")
	h.git("merge", "-q", "--no-commit", "topic")
	h.write("a.txt", "topic's", "base one", "in the merge", "base two", "base three", "base four", "base five", "main's")
	h.git("rm", "-q", "-f", "gone.txt")
	h.git("update-index", "--add", "--cacheinfo", "160000,"+h.git("rev-parse", "HEAD")+",sub")
	h.git("commit", "-q", "-a", "-m", "merge")
	var commits []refs.OID
	for _, rev := range []string{"HEAD", "HEAD^1", "HEAD^2", "HEAD^2^"} {
		oid, err := refs.ParseOID(h.git("rev-parse", rev))
		if err != nil {
			t.Fatal(err)
		}
		commits = append(commits, oid)
	}
	unheard, err := refs.ParseOID(strings.Repeat("ab", 20))
	if err != nil {
		t.Fatal(err)
	}
	found, err := Changed(t.Context(), h.repo, append(commits, unheard, commits[0]))
	if err != nil {
		t.Fatal(err)
	}
	objects := h.repo.Objects()
	defer objects.Close()
	var got []string
	for _, c := range commits {
		for _, file := range found[c] {
			raw, err := objects.Blob(file.New)
			if err != nil {
				t.Fatal(err)
			}
			added, id, err := file.Hunks(objects, raw)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprintf("%s %v %d parents, named %v", file.Path, added, len(file.Old), id != ""))
		}
	}
	want := []string{
		"a.txt [{2 3}] 2 parents, named false", "a.txt [{5 6}] 1 parents, named true", "gone.txt [{0 1}] 1 parents, named true",
		"a.txt [{0 1}] 1 parents, named true",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the commits changed\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if none, err := Changed(t.Context(), h.repo, nil); err != nil || len(none) > 0 {
		t.Errorf("no commits changed %v, %v", none, err)
	}
}

// ranges are those between pairs of numbers.
func ranges(ends ...int) []linediff.Range {
	var out []linediff.Range
	for pair := range slices.Chunk(ends, 2) {
		out = append(out, linediff.Range{Start: pair[0], End: pair[1]})
	}
	return out
}

func TestLinesThatLieInBothLists(t *testing.T) {
	t.Parallel()
	tests := map[string][3][]linediff.Range{
		"apart":             {ranges(0, 2), ranges(2, 4), nil},
		"one in the other":  {ranges(0, 9), ranges(2, 4, 5, 6), ranges(2, 4, 5, 6)},
		"over each other":   {ranges(0, 4, 7, 11), ranges(2, 8), ranges(2, 4, 7, 8)},
		"the same":          {ranges(1, 4, 6, 7), ranges(1, 4, 6, 7), ranges(1, 4, 6, 7)},
		"an end in common":  {ranges(0, 3, 5, 7), ranges(1, 3, 5, 6), ranges(1, 3, 5, 6)},
		"nothing in either": {nil, ranges(0, 2), nil},
	}
	for name, tt := range tests {
		for _, swap := range []bool{false, true} {
			a, b := tt[0], tt[1]
			if swap {
				a, b = b, a
			}
			if got := overlapOf(a, b); !slices.Equal(got, tt[2]) {
				t.Errorf("%s: %v, want %v", name, got, tt[2])
			}
		}
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
	if err := errors.Join(Head(t.Context(), repo, engine, 0, time.Now()), Merged(t.Context(), repo, engine, time.Now())); err != nil {
		t.Error(err)
	}
	if _, err := repo.ReadRef(refs.EventsRef); !errors.Is(err, refs.ErrRefMissing) {
		t.Errorf("the log is there: %v", err)
	}
	if made := JustMade(repo); !made.IsZero() {
		t.Errorf("%s was made", made)
	}
}

// The move of HEAD that made a commit names it; others name none.
func TestTheCommitThatWasJustMade(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	git(t, dir, "init", "-q", "-b", "main")
	repo, err := refs.DiscoverHook(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		args  string
		makes bool
	}{
		{"commit -q --allow-empty -m one", true}, {"switch -q -c side", false}, {"commit -q --allow-empty -m two", true},
		{"commit -q --amend --allow-empty -m three", true}, {"switch -q main", false}, {"merge -q side", false},
		{"merge -q --no-ff --no-edit -s ours HEAD~1", false}, {"commit -q --allow-empty -m four", true},
		{"reset -q --hard HEAD~1", false}, {"cherry-pick --allow-empty HEAD@{1}", true},
	} {
		git(t, dir, strings.Fields(step.args)...)
		head, _, err := repo.Head()
		if err != nil {
			t.Fatal(err)
		}
		if made := JustMade(repo); !made.IsZero() != step.makes || step.makes && made != head {
			t.Errorf("git %s: %s was made, HEAD is %s", step.args, made, head)
		}
	}
}

// A commit of more files than are looked at is put off, a merge by what no parent has.
func TestHowManyFilesAreLookedAt(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write("b.txt", "b")
	h.write("c.txt", "c")
	h.git("add", "-A")
	h.git("commit", "-q", "-m", "two files")
	h.git("switch", "-q", "-c", "side", "HEAD~1")
	h.write("d.txt", "d")
	h.git("add", "-A")
	h.git("commit", "-q", "-m", "side")
	h.git("merge", "-q", "--no-commit", "main")
	h.write("e.txt", "e")
	h.write("f.txt", "f")
	h.git("add", "-A")
	h.git("commit", "-q", "-m", "merge")
	objects := h.repo.Objects()
	defer objects.Close()
	for _, tt := range []struct {
		rev   string
		most  int
		files int
		large bool
	}{
		{"main", 0, 2, false}, {"main", 2, 2, false}, {"main", 1, 0, true},
		{"HEAD", 0, 2, false}, {"HEAD", 2, 2, false}, {"HEAD", 1, 0, true},
	} {
		id, err := refs.ParseOID(h.git("rev-parse", tt.rev))
		if err != nil {
			t.Fatal(err)
		}
		c, err := objects.Commit(id)
		if err != nil {
			t.Fatal(err)
		}
		files, err := changed(t.Context(), h.repo, id, c.Parents, tt.most)
		if len(files) != tt.files || errors.Is(err, ErrLarge) != tt.large || err != nil != tt.large {
			t.Errorf("of %s, most %d: %d files, %v", tt.rev, tt.most, len(files), err)
		}
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
	for line := range strings.Lines(h.git("log", "--reverse", "--format=%B", refs.EventsRef)) {
		var e events.Event
		if json.Unmarshal([]byte(line), &e) == nil && e.Type == events.CommitRewritten {
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
