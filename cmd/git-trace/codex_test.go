package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/agents/driver"
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
	// B wrote line 5 with the shell, while a shell of the main agent was open: both could have.
	if owners["line 1 by A"] == "" || owners["line 1 by A"] != owners["line 2 by A"] ||
		owners["line 4 by B"] == "" || owners["line 1 by A"] == owners["line 4 by B"] || owners["line 5 by B"] != "" {
		t.Errorf("sub-agents are %v", owners)
	}
	for _, l := range r.blame("main.txt") {
		if l.Contributor != "ai" || l.Subagent != "" {
			t.Errorf("main.txt is %+v", l)
		}
	}
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
