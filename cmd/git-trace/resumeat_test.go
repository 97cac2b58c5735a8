package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/driver"
)

// onward is what a client plays before it goes on from a step: three calls that write, and the arguments and names that
// only it has.
type onward struct {
	client, agent string
	init          []string
	tool          func(command string) driver.Tool
	opts          driver.Options
}

func onwardShell(name, member string) func(string) driver.Tool {
	return func(command string) driver.Tool {
		return driver.Tool{Name: name, Input: map[string]any{member: command, "description": "work"}}
	}
}

// A conversation goes on from its second call: the client itself reads the copy, its model hears what was said before
// and nothing of what was said after, and works in the new work tree with the files as they were.
func TestAConversationGoesOnFromAStep(t *testing.T) {
	t.Parallel()
	for _, c := range []onward{
		{"claude", "claude-code", nil, onwardShell("Bash", "command"), driver.Options{}},
		{"codex", "codex-cli", []string{"--global", "--trust-hooks"}, onwardShell("exec_command", "cmd"), driver.Options{CheckTrust: true}},
		{"pi", "pi", []string{"--global"}, onwardShell("bash", "command"), driver.Options{}},
	} {
		t.Run(c.client, func(t *testing.T) {
			t.Parallel()
			c.play(t)
		})
	}
}

func (c onward) play(t *testing.T) {
	r := newTraced(t, c.client, append([]string{"--agent", c.agent}, c.init...)...)
	work := func(text, command string) driver.Turn {
		return driver.Turn{Text: text, Thinking: "about " + r.Dir, Tools: []driver.Tool{c.tool(command)}}
	}
	script := driver.Main(
		work("First words.", "echo one > one.txt; cat "+r.Dir+"/a.txt"),
		work("Second words.", "echo two > two.txt; rm one.txt"),
		work("Third words.", "echo three > three.txt; echo changed > a.txt"),
		driver.Turn{Text: "Last words."})
	script.Scripts["onward"] = []driver.Turn{work("Other words.", "cat one.txt two.txt; echo other > other.txt"), {Text: "Other end."}}
	first := r.played(script, c.opts)
	before, err := os.ReadFile(first.Transcripts[0])
	if err != nil {
		t.Fatal(err)
	}
	r.trace("record")
	status := r.Git("status", "--porcelain") + r.Git("for-each-ref", "refs/heads")
	step := stepWith(t, r, first.Session, "three.txt")
	var out resumed
	if err := json.Unmarshal([]byte(r.trace("resume", "--json", "--at-step", first.Session+":"+step)), &out); err != nil {
		t.Fatal(err)
	}
	if got := filesIn(t, out.Worktree); got != "README.md a.txt b.py two.txt" {
		t.Errorf("the new work tree has %s", got)
	}
	if raw, _ := os.ReadFile(filepath.Join(out.Worktree, "a.txt")); strings.Contains(string(raw), "changed") {
		t.Errorf("a.txt is as it was later: %s", raw)
	}
	opts := c.opts
	opts.Prompt, opts.Dir = "[[script:onward]] go another way", out.Directory
	opts.Args = append(opts.Args, resumeArgs(t, c.agent, out.Session)...)
	second := r.played(script, opts)
	c.heard(t, r, second, out.Worktree)
	if raw, _ := os.ReadFile(filepath.Join(out.Worktree, "other.txt")); string(raw) != "other\n" {
		t.Errorf("the client did not work in the new work tree: %q", raw)
	}
	after, err := os.ReadFile(first.Transcripts[0])
	if err != nil || string(after) != string(before) {
		t.Errorf("the session file changed: %v", err)
	}
	if now := r.Git("status", "--porcelain") + r.Git("for-each-ref", "refs/heads"); now != status {
		t.Errorf("the living work tree changed:\n%s\nwas\n%s", now, status)
	}
	c.counted(t, r, out)
}

// heard holds for what the model is told: what came before the step, in the new work tree.
func (c onward) heard(t *testing.T, r *traced, res *driver.Result, tree string) {
	t.Helper()
	var asked string
	for _, q := range res.Requests {
		if q.Script == "onward" && q.Turn == 0 {
			asked = string(q.Body)
		}
	}
	for _, want := range []string{"First words.", "Second words.", "cat " + tree + "/a.txt", "go another way"} {
		if !strings.Contains(asked, want) {
			t.Errorf("the model does not hear %q", want)
		}
	}
	for _, never := range []string{"Third words.", "three.txt", "Last words."} {
		if strings.Contains(asked, never) {
			t.Errorf("the model hears %q, which was said later", never)
		}
	}
}

// counted holds for the new conversation: it is its own, and what was copied counts once.
func (c onward) counted(t *testing.T, r *traced, out resumed) {
	t.Helper()
	r.trace("record")
	var shown struct {
		Conversations []struct {
			Session string
			Prompts int
		}
	}
	if err := json.Unmarshal([]byte(r.trace("log", "--json")), &shown); err != nil {
		t.Fatal(err)
	}
	steps := r.trace("show", "--json", out.Session)
	if len(shown.Conversations) != 2 || strings.Contains(steps, "First words.") || !strings.Contains(steps, "go another way") {
		t.Errorf("conversations %+v; the new one:\n%s", shown.Conversations, steps)
	}
}

// stepWith is the first step of a conversation whose call names a file.
func stepWith(t *testing.T, r *traced, session, file string) string {
	t.Helper()
	for n := 1; n < 30; n++ {
		step := session + ":" + string(rune('0'+n%10))
		if n > 9 {
			step = session + ":" + string(rune('0'+n/10)) + string(rune('0'+n%10))
		}
		cmd := exec.CommandContext(t.Context(), r.binary, "show", step)
		cmd.Dir, cmd.Env = r.Dir, r.Env(filepath.Dir(r.binary))
		said, err := cmd.Output()
		if err == nil && strings.Contains(string(said), file) {
			return strings.TrimPrefix(step, session+":")
		}
	}
	t.Fatalf("no step of %s names %s", session, file)
	return ""
}

// filesIn names the files of a directory, without what begins with a dot.
func filesIn(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	return strings.Join(names, " ")
}
