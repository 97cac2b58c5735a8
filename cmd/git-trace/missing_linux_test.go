package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/terminal"
)

// pastGuest is a repository with a committed file, which a conversation wrote that only a session file tells of.
func pastGuest(t *testing.T) *guest {
	t.Helper()
	g := newGuest(t)
	const text = "walnuts that the squirrel had hidden well\nhazelnuts for the cake on sunday\n"
	g.write("nuts.txt", text)
	g.git("add", ".")
	g.git("commit", "-qm", "nuts", "--date", "2026-11-02T09:01:00Z")
	g.git("config", "trace.summary", "false") // init would ask about it first
	home := filepath.Dir(g.dir)
	key := regexp.MustCompile(`[^A-Za-z0-9]`).ReplaceAllString(g.dir, "-")
	name := filepath.Join(home, ".claude", "projects", key, "S9.jsonl")
	line := func(kind, uuid, parent, second, rest string) string {
		return fmt.Sprintf(`{"type":%q,"uuid":%q,"parentUuid":%s,"sessionId":"S9","cwd":%q,"timestamp":"2026-11-02T09:00:%sZ",%s}`+"\n",
			kind, uuid, parent, g.dir, second, rest)
	}
	session := line("user", "u1", "null", "00.000", `"message":{"role":"user","content":"add the nuts"}`) +
		line("assistant", "u2", `"u1"`, "03.000", fmt.Sprintf(`"message":{"id":"m2","role":"assistant","model":"claude-opus-4-5",`+
			`"content":[{"type":"tool_use","id":"toolu_w1","name":"Write","input":{"file_path":%q,"content":%q}}],`+
			`"usage":{"input_tokens":100,"output_tokens":20}}`, filepath.Join(g.dir, "nuts.txt"), text)) +
		line("user", "u3", `"u2"`, "04.000", fmt.Sprintf(`"message":{"role":"user","content":[{"type":"tool_result",`+
			`"tool_use_id":"toolu_w1","content":"ok"}]},"toolUseResult":{"type":"create","filePath":%q,"content":%q}`,
			filepath.Join(g.dir, "nuts.txt"), text))
	before := time.Now().Add(-48 * time.Hour)
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(session), 0o600),
		os.Chtimes(name, before, before)); err != nil {
		t.Fatal(err)
	}
	return g
}

// ends is the exit status of a command at a terminal.
func (c *onTty) ends(t *testing.T) int {
	t.Helper()
	select {
	case err := <-c.done:
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		return c.cmd.ProcessState.ExitCode()
	case <-time.After(time.Minute):
		_ = c.cmd.Process.Kill()
		t.Fatalf("it does not end: %q", c.shown())
	}
	return 0
}

// Claude Code deletes session files, so init offers to read them then and there. Whatever the answer is, and where nobody
// is there to ask, it records from then on.
func TestInitOffersToReadConversationsFromBefore(t *testing.T) {
	t.Parallel()
	const question = "read them now? [y/N] "
	for keys, want := range map[string]struct {
		status int
		read   bool
	}{
		"y\n": {0, true}, "YES\n": {0, true}, "n\n": {}, "\n": {}, "perhaps\n": {}, "\x04": {}, "\x03": {terminal.ExitInterrupted, false},
	} {
		t.Run(fmt.Sprintf("%q", keys), func(t *testing.T) {
			t.Parallel()
			g := pastGuest(t)
			c := g.onTty("init", "--agent", "claude-code")
			defer c.person.Close()
			if seen, ended := c.until(question, time.Minute); !seen {
				t.Fatalf("nothing is asked (ended: %v): %q", ended, c.shown())
			}
			if _, err := c.person.WriteString(keys); err != nil {
				t.Fatal(err)
			}
			if status := c.ends(t); status != want.status || crashed(c.shown()) || strings.Contains(c.shown(), "error") {
				t.Errorf("status %d, want %d: %q", status, want.status, c.shown())
			}
			if !strings.Contains(strings.Join(strings.Fields(c.shown()), " "), "1 conversation of Claude Code with this work tree is in session files alone") {
				t.Errorf("what is there is not said: %q", c.shown())
			}
			g.isRecorded(want.read)
		})
	}
	t.Run("not at a terminal", func(t *testing.T) {
		t.Parallel()
		g := pastGuest(t)
		if status := g.run("git-trace", "init", "--agent", "claude-code"); status != 0 || strings.Contains(g.out+g.err, question) {
			t.Errorf("status %d: %s%s", status, g.out, g.err)
		}
		if !strings.Contains(g.err, "git trace backfill keeps those whose lines were committed") {
			t.Errorf("what is there is not said: %s", g.err)
		}
		g.isRecorded(false)
	})
}

// isRecorded holds that the repository is recorded, and whether the conversation from before was read.
func (g *guest) isRecorded(read bool) {
	g.t.Helper()
	if g.run("git-trace", "status"); !strings.Contains(g.out, "recording   claude-code; git hooks ok") {
		g.t.Errorf("it is not recorded: %s%s", g.out, g.err)
	}
	if g.run("git-trace", "blame", "nuts.txt"); strings.Contains(g.out, "claude-code") != read {
		g.t.Errorf("read is to be %v: %s", read, g.out)
	}
}

// Of an agent that is not traced only session files tell, so the first blame that somebody watches says so: once,
// and again only when there is one more.
func TestBlameWarnsOnceOfAgentsThatAreNotTraced(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	g.write("a.txt", "one\n")
	g.git("add", ".")
	g.git("commit", "-qm", "one")
	if status := g.run("git-trace", "init", "--agent", "claude-code"); status != 0 {
		t.Fatal(g.out, g.err)
	}
	home, told := filepath.Dir(g.dir), filepath.Join(g.dir, ".git/traces/cache/untraced-told")
	appears := func(agent string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Join(home, agent), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	watched := func() string {
		t.Helper()
		c := g.onTty("blame", "a.txt")
		defer c.person.Close()
		if status := c.ends(t); status != 0 || !strings.Contains(c.shown(), "one") {
			t.Errorf("status %d: %q", status, c.shown())
		}
		return c.shown()
	}
	const warning = "git-trace: warning: "
	appears(".gemini")
	if status := g.run("git-trace", "blame", "a.txt"); status != 0 || strings.Contains(g.err, warning) {
		t.Errorf("where nobody watches: status %d: %s", status, g.err)
	}
	if said := watched(); strings.Count(said, warning) != 1 || !strings.Contains(said, "gemini-cli is on this machine and not traced") ||
		!strings.Contains(said, "git trace init --agent gemini-cli") {
		t.Errorf("the first time: %q", said)
	}
	aDayLater := func() {
		t.Helper()
		then := time.Now().Add(-untracedAsked - time.Hour)
		if err := os.Chtimes(told, then, then); err != nil {
			t.Fatal(err)
		}
	}
	for _, later := range []func(){func() {}, aDayLater} {
		later()
		if said := watched(); strings.Contains(said, warning) {
			t.Errorf("said again: %q", said)
		}
	}
	appears(".qwen")
	if said := watched(); strings.Contains(said, warning) {
		t.Errorf("agents are looked for more than once a day: %q", said)
	}
	aDayLater()
	if said := watched(); strings.Count(said, warning) != 1 || !strings.Contains(said, "qwen-code") {
		t.Errorf("one more agent is not told of: %q", said)
	}
}
