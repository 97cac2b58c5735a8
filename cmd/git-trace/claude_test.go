package main

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/driver"
)

func newClaude(t *testing.T) *traced {
	t.Helper()
	return newTraced(t, "claude", "--agent", "claude-code")
}

func TestClaudeEditsAreItsOwn(t *testing.T) {
	t.Parallel()
	r := newClaude(t)
	res := r.run("basic", driver.Options{})
	r.want("a.txt", "unknown | line 1", "main_t1_0 | line 2 by Edit", "unknown | line 3", "main_t3_0 | line 4 in parallel", "unknown | line 5")
	r.commitAll()
	r.want("a.txt", "unknown | line 1", "main_t1_0 | line 2 by Edit", "unknown | line 3", "main_t3_0 | line 4 in parallel", "unknown | line 5")
	r.want("greet.py", "main_t2_0 | def greet(name):", `main_t7_0 |     line = "hello " + name`, "main_t7_0 |     print(line)", "main_t7_0 |     return line")
	r.want("b.py", "main_t4_0 | def f(x):", "main_t4_1 |     return x + 1")
	r.want("docs/guide.md", "main_t3_3 | # Guide", "main_t3_3 | ", "main_t3_3 | Call greet.")
	r.want("log.txt", "main_t3_2 | from the shell", "main_t5_0 | written before the failure")
	r.want("relative.txt", "main_t8_0 | a relative path")
	r.want("README.md", "unknown | # scratch")
	for _, l := range r.blame("greet.py") {
		if l.Session != res.Session || l.Agent != "claude-code" || l.Model == "" || l.Prompt == nil || l.Prompt.Index != 1 || !strings.Contains(l.Prompt.Text, "[[script:main]]") {
			t.Errorf("line %q is %+v of session %s", l.Content, l, res.Session)
		}
	}
	r.trace("verify")
	r.run("basic", driver.Options{Prompt: "[[script:second]] go on", Args: []string{"--continue"}})
	r.commitAll()
	lines := r.blame("a.txt")
	if last := lines[len(lines)-1]; last.owner() != "second_t1_0" || last.Prompt.Index != 2 || last.Session != res.Session {
		t.Errorf("the second turn's line is %+v", last)
	}
}

func TestClaudeAndAPersonTakeTurns(t *testing.T) {
	t.Parallel()
	r := newClaude(t)
	res := r.run("claude", driver.Options{})
	r.want("a.txt", "main_t4_2 | line 1 in parallel", "main_t1_0 | line 2 by edit", "main_t3_0 | line 3 by sed", "unknown | line 4", "human | line 5 by human")
	r.want("docs/guide.md", "main_t2_0 | # Guide", "main_t2_0 | ", "main_t2_0 | Call greet.")
	r.want("slow.txt", "main_t4_1 | slow")
	r.want("par.txt", "main_t4_3 | beside a shell")
	r.want("b.py", "unknown | def f():", "unknown |     return 1", "human | # by human")
	r.want("log.txt", "main_t5_0 | written before the failure", "main_t8_0 | after the commit")
	r.want("README.md", "helper_t1_0 | # scratch by helper")
	r.want("helper.txt", "helper_t2_0 | helper")
	r.checkCalls("docs/guide.md", res, "claude-code", "claude-sonnet-4-5", 1)
	helper := r.subagentOf(res, "README.md", "# scratch by helper", "claude-sonnet-4-5")
	if helper == "" || r.subagentOf(res, "helper.txt", "helper", "claude-sonnet-4-5") != helper {
		t.Error("the sub-agent lost a call")
	}
	r.announced(res, helper)
	r.Write("a.txt", strings.Replace(r.Read("a.txt"), "line 2 by edit", "line 2 between the turns", 1))
	r.run("claude", driver.Options{Prompt: "[[script:second]] go on", Args: resumeArgs(t, "claude-code", res.Session), Model: "claude-haiku-4-5"})
	r.commitAll()
	if l := r.blame("a.txt")[1]; l.Contributor != "human" {
		t.Errorf("the person's line is %+v", l)
	}
	if l := r.blame("docs/guide.md")[2]; l.owner() != "second_t1_0" || l.Prompt.Index != 2 || l.Session != res.Session || l.Model != "claude-haiku-4-5" {
		t.Errorf("the second turn's line is %+v", l)
	}
	r.trace("verify")
}

func TestClaudeShellEditsAreItsOwn(t *testing.T) {
	t.Parallel()
	r := newClaude(t)
	r.run("shell", driver.Options{})
	r.commitAll()
	r.want("a.txt", "unknown | line 1", "main_t0_0 | line 2 by sed", "unknown | line 3", "main_t7_0 | line 4 by patch", "unknown | line 5")
	r.want("config.yml", "main_t1_0 | name: demo", "main_t1_0 | port: 8080", "main_t1_0 | verbose: false")
	order := r.blame("order.txt")
	if len(order) != 3 || order[0].owner() != "main_t5_0" || order[1].owner() != "main_t5_1" {
		t.Errorf("order.txt is owned by %+v", order)
	}
	// The client may learn of the end of the background call before or after the next call begins: in the second case
	// both calls could have written the line, and blame says so instead of choosing.
	if last := order[len(order)-1]; last.Contributor != "ai" || last.owner() != "main_t11_0" && last.ToolCall != "" {
		t.Errorf("the line after the background call is %+v", last)
	}
	r.want("background.txt", "main_t10_0 | from the background")
	table := r.blame("table.txt")
	if len(table) != 25 || table[0].owner() != "main_t3_0" || table[24].owner() != "main_t4_0" {
		t.Errorf("table.txt is owned by %s and %s in %d lines", table[0].owner(), table[24].owner(), len(table))
	}
	copied := r.blame("lib/copy.py")
	if last := copied[len(copied)-1]; last.owner() != "main_t8_0" {
		t.Errorf("the line after cd is %+v", last)
	}
}

func TestPeopleKeepTheirLinesBesideClaude(t *testing.T) {
	t.Parallel()
	r := newClaude(t)
	r.run("human", driver.Options{})
	r.commitAll()
	r.want("a.txt", "unknown | line 1", "unknown | line 2", "unknown | line 3", "unknown | line 4", "human | line 5 by human", "main_t2_0 | line 6 by agent")
	r.want("README.md", "unknown | # scratch", "human | read me first")
	r.want("todo.txt", "human | todo one", "human | todo two", "human | todo three by human", "main_t3_0 | todo four by agent")
	r.want("slow.txt", "main_t4_0 | slow work done")
	r.want("agent.txt", "main_t5_0 | written by agent", "human | last words by human")
	r.run("human", driver.Options{Prompt: "[[script:second]] go on", Args: []string{"--continue"}})
	r.commitAll()
	r.want("a.txt", "unknown | line 1", "unknown | line 2", "human | line 3 by human before the second turn works", "second_t1_0 | line 4 by agent", "human | line 5 by human", "main_t2_0 | line 6 by agent")
}

func TestClaudeSubagentsInParallelKeepTheirCalls(t *testing.T) {
	t.Parallel()
	r := newClaude(t)
	res := r.run("subagents", driver.Options{})
	r.commitAll()
	r.want("a.txt", "subA_t1_0 | line 1 by A", "subA_t2_0 | line 2 by A", "unknown | line 3", "subB_t1_0 | line 4 by B", "subB_t2_0 | line 5 by B")
	r.want("b.py", "unknown | def f():", "subC_t1_0 |     return 3")
	r.want("only-a.txt", "subA_t3_0 | A")
	r.want("main.txt", "main_t3_0 | by the main agent")
	for _, l := range r.blame("a.txt") {
		if l.Contributor == "ai" && (l.Session != res.Session || l.Subagent == "") {
			t.Errorf("line %q is %+v, not a sub-agent's of %s", l.Content, l, res.Session)
		}
	}
	for _, l := range r.blame("shared.txt") {
		if l.Contributor != "ai" || l.Session != res.Session {
			t.Errorf("line %q is %+v", l.Content, l)
		}
	}
}

func TestClaudeCommitsInTheMiddleOfItsTurn(t *testing.T) {
	t.Parallel()
	r := newClaude(t)
	r.run("commit", driver.Options{})
	r.want("lib.txt", "main_t0_0 | one", "main_t2_0 | two, changed after the commit", "main_t0_0 | three", "main_t3_0 | four", "main_t3_0 | five")
	r.want("note.txt", "human | note by human")
	steps := r.blame("steps.txt")
	for i, l := range steps {
		want := "main_t4_0"
		if i == 4 {
			want = "main_t6_0"
		}
		if l.owner() != want || (l.Commit == nil) != (i == 4) {
			t.Errorf("steps.txt line %d is %+v, want %s", i+1, l, want)
		}
	}
	r.Git("fsck", "--full", "--strict")
	r.Git("gc", "-q", "--prune=now")
	r.trace("verify")
}

// A client that is killed calls no hook, and what it had started goes on. From then on nobody knows whose a change is;
// with the first look the call is over.
func TestWhatAKilledClaudeLeftBehindIsNobodys(t *testing.T) {
	t.Parallel()
	r := newClaude(t)
	started := filepath.Join(r.Tmp, "started")
	command := "p=$PPID; echo one > k.txt; touch " + started + "; while kill -0 $p 2>/dev/null; do sleep 0.05; done; echo two >> k.txt"
	script := driver.Main(driver.Turn{Tools: []driver.Tool{{Name: "Bash", Input: map[string]any{"command": command, "description": "go on"}}}})
	r.played(script, driver.Options{SignalOn: started, Signal: syscall.SIGKILL, AllowFailure: true, Linger: time.Minute})
	r.Write("k.txt", r.Read("k.txt")+"by hand\n")
	r.commitAll()
	r.want("k.txt", "unknown | one", "unknown | two", "unknown | by hand")
	if log := r.trace("events", "--json", "--type", "window_abandoned"); !strings.Contains(log, "missing_after_boundary") {
		t.Errorf("the call is not over: %s", log)
	}
	r.Write("k.txt", r.Read("k.txt")+"later by hand\n")
	r.commitAll()
	if lines := r.blame("k.txt"); lines[len(lines)-1].Contributor != "human" {
		t.Errorf("the person's line is %+v", lines[len(lines)-1])
	}
	r.trace("verify")
}
