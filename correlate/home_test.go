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
		return Head(context.Background(), repo, engine, git, time.Now(), nil)
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
	for e, err := range events.OpenLog(h.repo).Walk(h.t.Context(), events.Range{}) {
		if err != nil {
			h.t.Fatal(err)
		}
		var data events.CommitData
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
