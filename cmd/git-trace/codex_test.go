package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/driver"
)

// newCodex is a repository whose Codex runs the hooks because its user allowed them, and for no other reason.
func newCodex(t *testing.T) *traced {
	t.Helper()
	return newTraced(t, "codex", "--agent", "codex-cli", "--trust-hooks")
}

func (r *traced) codex(script string, opts driver.Options) *driver.Result {
	r.t.Helper()
	opts.CheckTrust = true
	return r.run(script, opts)
}

func TestCodexEditsAreItsOwn(t *testing.T) {
	t.Parallel()
	r := newCodex(t)
	res := r.codex("codex", driver.Options{})
	r.want("a.txt", "unknown | line 1", "main_t1_0 | line 2 by patch", "main_t2_0 | line 3 by sed", "main_t3_0 | line 4 by patch", "human | line 5 by human")
	r.want("greet.py", "main_t1_0 | def greet(name):", `main_t1_0 |     print("hello", name)`)
	r.want("lib.py", "unknown | def f():", "main_t4_2 |     return 2")
	r.want("heredoc.txt", "main_t7_0 | by a here-document")
	r.want("long.txt", "main_t8_0 | one", "main_t8_0 | two")
	r.want("log.txt", "main_t5_0 | written before the failure", "main_t10_0 | after the commit")
	for _, file := range []string{"slow.txt", "fast.txt"} {
		for _, l := range r.blame(file) {
			if l.Contributor != "ai" || l.Session != res.Session {
				t.Errorf("%s is %+v", file, l)
			}
		}
	}
	for _, l := range r.blame("greet.py") {
		if l.Session != res.Session || l.Agent != "codex-cli" || l.Model != "gpt-5.5" || l.Prompt == nil || l.Prompt.Index != 1 || !strings.Contains(l.Prompt.Text, "[[script:main]]") {
			t.Errorf("line %q is %+v of session %s", l.Content, l, res.Session)
		}
	}
	r.Write("a.txt", r.Read("a.txt")+"line 6 between the turns\n")
	r.codex("codex", driver.Options{Prompt: "[[script:second]] go on", Args: resumeArgs(t, "codex-cli", res.Session), Model: "gpt-5.4"})
	r.commitAll()
	lines := r.blame("a.txt")
	if last := lines[len(lines)-1]; last.Contributor != "human" {
		t.Errorf("the person's line is %+v", last)
	}
	lines = r.blame("log.txt")
	if last := lines[len(lines)-1]; last.Prompt == nil || last.Prompt.Index != 2 || last.Session != res.Session || last.Model != "gpt-5.4" {
		t.Errorf("the second turn's line is %+v", last)
	}
	r.trace("verify")
}

// The other tool mode: the model writes a program, and hooks are called for each call that the program makes, with ids
// that say nothing of the turn.
func TestCodexEditsByProgramsAreItsOwn(t *testing.T) {
	t.Parallel()
	r := newCodex(t)
	res := r.codex("codex-code", driver.Options{Model: "gpt-6-sol"})
	calls := map[string]string{} // of each line
	note := func(file string, want ...string) {
		var got []string
		for _, l := range r.blame(file) {
			got = append(got, l.Contributor+" | "+l.Content)
			if l.Contributor == "ai" {
				calls[l.Content] = l.ToolCall
				if l.Session != res.Session || l.Model != "gpt-6-sol" || l.ToolCall != "" && (l.Prompt == nil || l.Prompt.Index != 1) {
					t.Errorf("%s: line %q is %+v of session %s", file, l.Content, l, res.Session)
				}
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s is %q, want %q", file, got, want)
		}
	}
	note("a.txt", "unknown | line 1", "ai | line 2 by patch", "ai | line 3 by sed", "ai | line 4 by patch", "human | line 5 by human")
	note("greet.py", "ai | def greet(name):", `ai |     print("hello", name)`)
	note("lib.py", "unknown | def f():", "ai |     return 2")
	note("heredoc.txt", "ai | by a here-document")
	note("log.txt", "ai | written before the failure", "ai | after the commit")
	note("note.txt", "human | note by human")
	if calls["line 2 by patch"] != calls["def greet(name):"] {
		t.Error("one patch is two calls")
	}
	one := []string{"line 2 by patch", "line 3 by sed", "line 4 by patch", "    return 2", "by a here-document", "written before the failure", "after the commit"}
	for i, line := range one {
		if calls[line] == "" || slices.ContainsFunc(one[:i], func(other string) bool { return calls[other] == calls[line] }) {
			t.Errorf("line %q is of call %q, of %v", line, calls[line], calls)
		}
	}
	for _, file := range []string{"slow.txt", "fast.txt"} { // of two shells at once nothing tells which of them wrote what
		for _, l := range r.blame(file) {
			if l.Contributor != "ai" || l.Session != res.Session {
				t.Errorf("%s is %+v", file, l)
			}
		}
	}
	r.Write("a.txt", r.Read("a.txt")+"line 6 between the turns\n")
	r.codex("codex-code", driver.Options{Prompt: "[[script:second]] go on", Args: resumeArgs(t, "codex-cli", res.Session), Model: "gpt-6-sol"})
	r.commitAll()
	if lines := r.blame("a.txt"); lines[len(lines)-1].Contributor != "human" {
		t.Errorf("the person's line is %+v", lines[len(lines)-1])
	}
	lines := r.blame("log.txt")
	if last := lines[len(lines)-1]; last.Prompt == nil || last.Prompt.Index != 2 || last.Session != res.Session {
		t.Errorf("the second turn's line is %+v", last)
	}
	r.trace("verify")
}

func TestCodexSubagentsKeepTheirCalls(t *testing.T) {
	t.Parallel()
	r := newCodex(t)
	res := r.codex("codex-subagents", driver.Options{Model: "gpt-6-sol"})
	r.commitAll()
	owners := map[string]string{} // sub-agent of each line
	for _, l := range r.blame("a.txt") {
		if strings.Contains(l.Content, " by ") && (l.Contributor != "ai" || l.Session != res.Session) {
			t.Errorf("line %q is %+v", l.Content, l)
		}
		owners[l.Content] = l.Subagent
	}
	// B wrote line 5 with the shell, while a shell of the main agent was open: both could have. On a busy machine the
	// other one may not have begun.
	a, b, shell := owners["line 1 by A"], owners["line 4 by B"], owners["line 5 by B"]
	if a == "" || a != owners["line 2 by A"] || b == "" || a == b || shell != "" && shell != b {
		t.Errorf("sub-agents are %v", owners)
	}
	for _, l := range r.blame("main.txt") {
		if l.Contributor != "ai" || l.Subagent != "" {
			t.Errorf("main.txt is %+v", l)
		}
	}
}

// Programs of a sub-agent, with a person at work beside them: while a command of it waits, between two calls
// of a program, and while its model thinks. A command that outlasts its call reports back under its own id.
func TestCodexSubagentsProgramsAndAPersonKeepTheirOwn(t *testing.T) {
	t.Parallel()
	r := newCodex(t)
	res := r.codex("codex-code-agents", driver.Options{Model: "gpt-6-sol"})
	r.commitAll()
	calls, subagents := map[string]string{}, map[string]string{} // of each line
	for file, want := range map[string]string{
		"loop1.txt": "ai | patch 1, ai | shell 1", "loop2.txt": "ai | patch 2, ai | shell 2", "waited.txt": "ai | waited",
		"first.txt": "ai | before the pause", "second.txt": "ai | after the pause", "main.txt": "ai | by the main agent",
		"go.txt": "ai | go", "late.txt": "ai | late",
		"beside.txt":  "unknown | committed beside a shell that waits",
		"between.txt": "human | between two calls of a program", "thinks.txt": "human | while the sub-agent thinks",
	} {
		var got []string
		for _, l := range r.blame(file) {
			got = append(got, l.Contributor+" | "+l.Content)
			if l.Contributor != "ai" {
				continue
			}
			calls[l.Content], subagents[l.Content] = l.ToolCall, l.Subagent
			if l.Session != res.Session || l.Model != "gpt-6-sol" {
				t.Errorf("%s: line %q is %+v of session %s", file, l.Content, l, res.Session)
			}
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s is %q, want %q", file, got, want)
		}
	}
	owner := map[string]string{} // line of each call
	for line, call := range calls {
		if owner[call] != "" || call == "" {
			t.Errorf("lines %q and %q are of one call, %q", line, owner[call], call)
		}
		owner[call] = line
		if main := line == "by the main agent"; main != (subagents[line] == "") {
			t.Errorf("line %q is of sub-agent %q", line, subagents[line])
		}
	}
	r.trace("verify")
}

func TestCodexHooksWaitForTheirUser(t *testing.T) {
	t.Parallel()
	r := newTraced(t, "codex", "--agent", "codex-cli")
	script := driver.Main(driver.Turn{Tools: []driver.Tool{{Name: "exec_command", Input: map[string]any{"cmd": "echo x > x.txt"}}}}, driver.Turn{})
	run := func() {
		driver.Run(t, "codex", r.Repo, script, driver.Options{CheckTrust: true, Path: []string{filepath.Dir(r.binary)}})
	}
	if _, err := os.Stat(filepath.Join(r.Home, ".codex", "config.toml")); err == nil {
		t.Error("init wrote config.toml without being told to")
	}
	run()
	if strings.Contains(r.trace("events", "--json"), `"codex-cli"`) {
		t.Error("hooks ran that nobody allowed")
	}
	if err := os.Remove(filepath.Join(r.Dir, "x.txt")); err != nil {
		t.Fatal(err)
	}
	r.trace("init", "--agent", "codex-cli", "--trust-hooks")
	run()
	r.commitAll()
	r.want("x.txt", "main_t0_0 | x")
}
