package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/refs"
)

// TestWatchTellsAConversationOnceHoweverManyThereAre has more conversations than a watcher remembers.
func TestWatchTellsAConversationOnceHoweverManyThereAre(t *testing.T) {
	t.Parallel()
	r, repo, write := sessionsFolder(t)
	now := time.Now()
	for i := range maxSessionMarks + 100 {
		write(fmt.Sprintf("old-%d", i), now.Add(-time.Hour))
	}
	write("just-before", now.Add(-time.Second))
	said := func(at time.Time) string {
		var out bytes.Buffer
		w := &watcher{repo: repo, out: &out, err: &out, agents: claudeOf(agents.Env{Home: r.Home})}
		if err := w.load(); err != nil {
			t.Fatal(err)
		}
		if err := w.tick(t.Context(), at); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	for i := range 3 {
		if text := said(now.Add(time.Duration(i) * time.Minute)); text != "" {
			t.Fatalf("look %d tells of what is old: %.300s", i+1, text)
		}
	}
	write("just-before", now.Add(3*time.Minute))
	write("old-7", now.Add(3*time.Minute-time.Second)) // behind the last look, as another clock may have it
	text := said(now.Add(3 * time.Minute))
	if strings.Count(text, "is not reported by hooks") != 2 || !strings.Contains(text, "just-before") || !strings.Contains(text, "old-7 ") {
		t.Errorf("what goes on is not told: %q", text)
	}
	for i := range 3 {
		if text := said(now.Add(time.Duration(4+i) * time.Minute)); text != "" {
			t.Errorf("it is told again: %q", text)
		}
	}
	if n := strings.Count(r.trace("events", "--json", "--type", "capture_incomplete"), "not_reported"); n != 2 {
		t.Errorf("the log tells of %d", n)
	}
}

// TestWatchKnowsAConversationWhenItsEditsAreSeen looks at the work tree more often than for session files.
func TestWatchKnowsAConversationWhenItsEditsAreSeen(t *testing.T) {
	t.Parallel()
	r, repo, write := sessionsFolder(t)
	r.Write("w.txt", "before\n")
	now := time.Now()
	w := &watcher{repo: repo, out: io.Discard, err: io.Discard, agents: claudeOf(agents.Env{Home: r.Home})}
	if err := w.load(); err != nil {
		t.Fatal(err)
	}
	for _, look := range []struct {
		after time.Duration
		line  string
		talks bool // the session file was written to
	}{
		{0, "a person's first", false},
		{2 * time.Second, "the agent's first", true},
		{4 * time.Second, "the agent's second", true},
		{6 * time.Second, "behind its last answer", false},
		{watchSessions + 5*time.Second, "nothing happens", false},
		{watchSessions + 7*time.Second, "a person's last", false},
	} {
		at := now.Add(look.after)
		if look.talks {
			write("0b1c2d3e-0000-4000-8000-000000000001", at)
		}
		r.Write("w.txt", r.Read("w.txt")+look.line+"\n")
		if err := w.tick(t.Context(), at); err != nil {
			t.Fatal(err)
		}
	}
	r.commitAll()
	r.want("w.txt", "human | before", "human | a person's first", "unknown | the agent's first", "unknown | the agent's second",
		"human | behind its last answer", "human | nothing happens", "human | a person's last")
}

// claudeOf is Claude Code alone.
func claudeOf(env agents.Env) []agents.Agent {
	agent, _ := agents.Lookup(env, "claude-code")
	return []agents.Agent{agent}
}

// sessionsFolder is a repository with hooks, and writes session files of its work tree, at times.
func sessionsFolder(t *testing.T) (r *traced, repo *refs.Repo, write func(session string, at time.Time)) {
	t.Helper()
	r = hooked(t)
	repo, err := refs.Discover(r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	name := regexp.MustCompile("[^A-Za-z0-9]").ReplaceAllString(repo.WorkTree, "-")
	folder := filepath.Join(r.Home, ".claude", "projects", name)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	return r, repo, func(session string, at time.Time) {
		path := filepath.Join(folder, session+".jsonl")
		const form = `{"type":"user","uuid":"u","sessionId":%q,"cwd":%q,"message":{"role":"user","content":"x"}}` + "\n"
		if err := os.WriteFile(path, fmt.Appendf(nil, form, session, repo.WorkTree), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
}
