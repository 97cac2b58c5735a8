package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/driver"
)

func TestGeminiEditsAreItsOwn(t *testing.T) {
	t.Parallel()
	r := newTraced(t, "gemini", "--agent", "gemini-cli", "--global")
	res := r.run("gemini", driver.Options{})
	r.want("a.txt", "call 5 | line 1 in parallel", "call 1 | line 2 by edit", "call 3 | line 3 by sed", "unknown | line 4", "human | line 5 by human")
	r.want("docs/guide.md", "call 2 | # Guide", "call 2 | ", "call 2 | Call greet.")
	r.want("slow.txt", "call 4 | slow")
	r.want("par.txt", "call 6 | beside a shell")
	r.want("log.txt", "call 7 | written before the failure", "call 8 | written before the failure", "call 10 | after the commit")
	r.want("b.py", "unknown | def f():", "unknown |     return 1", "human | # by human")
	r.checkCalls("docs/guide.md", res, "gemini-cli", "gemini-2.5-pro", 1)
	if log := r.trace("events", "--json"); !strings.Contains(log, "tool_call_id_missing") || strings.Contains(log, "missing_after_boundary") {
		t.Error("the log does not say that the calls were paired, or some were not")
	}
	r.Write("a.txt", strings.Replace(r.Read("a.txt"), "line 2 by edit", "line 2 between the turns", 1))
	r.run("gemini", driver.Options{Prompt: "[[script:second]] go on", Args: resumeArgs(t, "gemini-cli", res.Session), Model: "gemini-2.5-flash"})
	r.commitAll()
	if l := r.blame("a.txt")[1]; l.Contributor != "human" {
		t.Errorf("the person's line is %+v", l)
	}
	if l := r.blame("docs/guide.md")[2]; l.Contributor != "ai" || l.Prompt.Index != 2 || l.Session != res.Session || l.Model != "gemini-2.5-flash" {
		t.Errorf("the second turn's line is %+v", l)
	}
	r.trace("verify")
}

// Hooks do not tell sub-agents; the files of the session do, unless two of them are busy with a call at once.
func TestGeminiSubagentsKeepTheirCalls(t *testing.T) {
	t.Parallel()
	r := newTraced(t, "gemini", "--agent", "gemini-cli", "--global")
	res := r.run("gemini-subagents", driver.Options{})
	r.commitAll()
	const model = "gemini-2.5-pro"
	helper := r.subagentOf(res, "README.md", "# scratch by helper", model)
	a := r.subagentOf(res, "from-a.txt", "by A", model)
	b := r.subagentOf(res, "from-b.txt", "by B", model)
	if helper == "" || a == "" || b == "" || helper == a || a == b || helper == b {
		t.Errorf("sub-agents are %q, %q, %q", helper, a, b)
	}
	if r.subagentOf(res, "helper.txt", "helper", model) != helper || r.subagentOf(res, "a.txt", "line 1 by A", model) != a {
		t.Error("a sub-agent lost a call")
	}
	if r.subagentOf(res, "main.txt", "by the main agent", model) != "" || r.subagentOf(res, "whose.txt", "by one of two", model) != "" {
		t.Error("a sub-agent was given what it did not do, or what two could have done")
	}
	for _, file := range []string{"beside.txt", "slow.txt"} { // of two shells that ran beside each other: either may be named, or both
		for _, l := range r.blame(file) {
			if l.Contributor != "ai" || l.Session != res.Session {
				t.Errorf("%s is %+v", file, l)
			}
		}
	}
	r.want("b.py", "unknown | def f():", "unknown |     return 1", "human | # by human")
	r.announced(res, helper, a, b)
	if log := r.trace("events", "--json"); !strings.Contains(log, "subagent_unknown") || strings.Contains(log, "missing_after_boundary") || strings.Contains(log, "missing_before_boundary") {
		t.Error("the log does not say that a sub-agent is unknown, or a call was not paired")
	}
	r.trace("verify")
}

func TestGeminiRunsTheHooksOfAProject(t *testing.T) {
	t.Parallel()
	r := newTraced(t, "gemini", "--agent", "gemini-cli")
	script := driver.Main(driver.Turn{Tools: []driver.Tool{
		{Name: "write_file", Input: map[string]any{"file_path": filepath.Join(r.Dir, "x.txt"), "content": "x\n"}},
	}}, driver.Turn{})
	driver.Run(t, "gemini", r.Repo, script, driver.Options{Path: []string{filepath.Dir(r.binary)}})
	r.commitAll()
	r.want("x.txt", "call 1 | x")
}
