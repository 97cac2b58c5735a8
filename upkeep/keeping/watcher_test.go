package keeping

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
	"github.com/git-trace/git-trace/blame"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/recording"
	"github.com/git-trace/git-trace/view"
)

// TestWatchTellsAConversationOnceHoweverManyThereAre has more conversations than a watcher remembers.
func TestWatchTellsAConversationOnceHoweverManyThereAre(t *testing.T) {
	t.Parallel()
	world, home, write := sessionsFolder(t)
	now := time.Now()
	for i := range maxSessionMarks + 100 {
		write(fmt.Sprintf("old-%d", i), now.Add(-time.Hour))
	}
	write("just-before", now.Add(-time.Second))
	said := func(at time.Time) string {
		var out bytes.Buffer
		w := &Watcher{repo: world.Repo, out: &out, err: &out, agents: claudeOf(home)}
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
	n := 0
	for _, e := range world.Log() {
		if e.Type == events.CaptureIncomplete && strings.Contains(string(e.Data), "not_reported") {
			n++
		}
	}
	if n != 2 {
		t.Errorf("the log tells of %d", n)
	}
}

// TestWatchKnowsAConversationWhenItsEditsAreSeen looks at the work tree more often than for session files.
func TestWatchKnowsAConversationWhenItsEditsAreSeen(t *testing.T) {
	t.Parallel()
	world, home, write := sessionsFolder(t)
	text := "before\n"
	world.Write("w.txt", text)
	now := time.Now()
	w := &Watcher{repo: world.Repo, out: io.Discard, err: io.Discard, agents: claudeOf(home)}
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
		text += look.line + "\n"
		world.Write("w.txt", text)
		if err := w.tick(t.Context(), at); err != nil {
			t.Fatal(err)
		}
	}
	world.Commit("all")
	world.Anchor()
	reader, err := view.Open(t.Context(), world.Repo, view.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	lines, err := blame.Lines(t.Context(), world.Repo, "HEAD", "w.txt", reader.Owners())
	if err != nil {
		t.Fatal(err)
	}
	var owners []string
	for i := range lines {
		owners = append(owners, string(lines[i].Owner.Kind))
	}
	if got := strings.Join(owners, " "); got != "human human unknown unknown human human human" {
		t.Errorf("the lines are of %s", got)
	}
}

// claudeOf is Claude Code alone.
func claudeOf(home string) []agents.Agent {
	agent, _ := agents.Lookup(agents.Env{Home: home}, "claude-code")
	return []agents.Agent{agent}
}

// sessionsFolder is a repository with a timeline, and writes session files of its work tree, at times.
func sessionsFolder(t *testing.T) (world *recording.World, home string, write func(session string, at time.Time)) {
	t.Helper()
	world, home = recording.New(t), t.TempDir()
	name := regexp.MustCompile("[^A-Za-z0-9]").ReplaceAllString(world.Repo.WorkTree, "-")
	folder := filepath.Join(home, ".claude", "projects", name)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	return world, home, func(session string, at time.Time) {
		path := filepath.Join(folder, session+".jsonl")
		const form = `{"type":"user","uuid":"u","sessionId":%q,"cwd":%q,"message":{"role":"user","content":"x"}}` + "\n"
		if err := os.WriteFile(path, fmt.Appendf(nil, form, session, world.Repo.WorkTree), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
}
