package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/driver"
)

func TestQwenEditsAreItsOwn(t *testing.T) {
	t.Parallel()
	r := newTraced(t, "qwen", "--agent", "qwen-code", "--global")
	res := r.run("qwen", driver.Options{})
	r.want("a.txt", "main_t4_2 | line 1 in parallel", "main_t1_0 | line 2 by edit", "main_t3_1 | line 3 by sed", "unknown | line 4", "human | line 5 by human")
	r.want("docs/guide.md", "main_t2_0 | # Guide", "main_t2_0 | ", "main_t2_0 | Call greet.")
	r.want("slow.txt", "main_t4_1 | slow")
	r.want("par.txt", "main_t4_3 | beside a shell")
	r.want("log.txt", "main_t5_0 | written before the failure", "main_t6_0 | written before the failure", "main_t8_0 | after the commit")
	r.want("b.py", "unknown | def f():", "unknown |     return 1", "human | # by human")
	r.checkCalls("docs/guide.md", res, "qwen-code", "scripted-model", 1)
	r.Write("a.txt", strings.Replace(r.Read("a.txt"), "line 2 by edit", "line 2 between the turns", 1))
	r.run("qwen", driver.Options{Prompt: "[[script:second]] go on", Args: resumeArgs(t, "qwen-code", res.Session), Model: "other-model"})
	r.commitAll()
	if l := r.blame("a.txt")[1]; l.Contributor != "human" {
		t.Errorf("the person's line is %+v", l)
	}
	if l := r.blame("docs/guide.md")[2]; l.owner() != "second_t1_0" || l.Prompt.Index != 2 || l.Session != res.Session || l.Model != "other-model" {
		t.Errorf("the second turn's line is %+v", l)
	}
	r.trace("verify")
}

func TestQwenSubagentsKeepTheirCalls(t *testing.T) {
	t.Parallel()
	r := newTraced(t, "qwen", "--agent", "qwen-code", "--global")
	res := r.run("qwen-subagents", driver.Options{})
	r.commitAll()
	const model = "scripted-model"
	helper := r.subagentOf(res, "README.md", "# scratch by helper", model)
	a := r.subagentOf(res, "from-a.txt", "by A", model)
	b := r.subagentOf(res, "from-b.txt", "by B", model)
	behind := r.subagentOf(res, "behind.txt", "behind", model)
	r.announced(res, helper, a, b, behind)
	if helper == "" || a == "" || b == "" || behind == "" || a == b || helper == a || helper == behind {
		t.Errorf("sub-agents are %q, %q, %q, %q", helper, a, b, behind)
	}
	if r.subagentOf(res, "helper.txt", "helper", model) != helper || r.subagentOf(res, "a.txt", "line 1 by A", model) != a {
		t.Error("a sub-agent lost a call")
	}
	if r.subagentOf(res, "main.txt", "by the main agent", model) != "" || r.subagentOf(res, "main2.txt", "by the main agent again", model) != "" {
		t.Error("a sub-agent was given what the main agent did")
	}
	r.want("README.md", "helper_t1_0 | # scratch by helper")
	r.want("behind.txt", "behind_t0_0 | behind")
	r.want("a.txt", "subA_t2_0 | line 1 by A", "unknown | line 2", "unknown | line 3", "unknown | line 4", "unknown | line 5")
	r.want("b.py", "unknown | def f():", "unknown |     return 1", "human | # by human")
	r.trace("verify")
}

func TestQwenRunsTheHooksOfAProject(t *testing.T) {
	t.Parallel()
	r := newTraced(t, "qwen", "--agent", "qwen-code")
	script := driver.Main(driver.Turn{Tools: []driver.Tool{
		{Name: "write_file", Input: map[string]any{"file_path": filepath.Join(r.Dir, "x.txt"), "content": "x\n"}},
	}}, driver.Turn{})
	driver.Run(t, "qwen", r.Repo, script, driver.Options{Path: []string{filepath.Dir(r.binary)}})
	r.commitAll()
	r.want("x.txt", "main_t0_0 | x")
}
