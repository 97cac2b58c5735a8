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
			added, id, err := file.Hunks(objects, linediff.Split(raw))
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

func TestLinesThatLieInBothLists(t *testing.T) {
	t.Parallel()
	tests := map[string][3][]lineRange{
		"apart":             {{{1, 2}}, {{3, 2}}, nil},
		"one in the other":  {{{1, 9}}, {{3, 2}, {6, 1}}, {{3, 2}, {6, 1}}},
		"over each other":   {{{1, 4}, {8, 4}}, {{3, 6}}, {{3, 2}, {8, 1}}},
		"the same":          {{{2, 3}, {7, 1}}, {{2, 3}, {7, 1}}, {{2, 3}, {7, 1}}},
		"an end in common":  {{{1, 3}, {6, 2}}, {{2, 2}, {6, 1}}, {{2, 2}, {6, 1}}},
		"nothing in either": {nil, {{1, 2}}, nil},
	}
	for name, tt := range tests {
		for _, swap := range []bool{false, true} {
			a, b := tt[0], tt[1]
			if swap {
				a, b = b, a
			}
			if got := intersectRanges(a, b); !slices.Equal(got, tt[2]) {
				t.Errorf("%s: %v, want %v", name, got, tt[2])
			}
			var got []lineRange
			for _, r := range overlapOf(halfOpen(a), halfOpen(b)) {
				got = append(got, lineRange{r.Start, r.Len()})
			}
			if !slices.Equal(got, tt[2]) {
				t.Errorf("%s, half open: %v, want %v", name, got, tt[2])
			}
		}
	}
}

func halfOpen(list []lineRange) []linediff.Range {
	var out []linediff.Range
	for _, r := range list {
		out = append(out, linediff.Range{Start: r.start, End: r.start + r.count})
	}
	return out
}
