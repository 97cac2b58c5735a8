package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/driver"
)

func TestOpenCodeEditsAreItsOwn(t *testing.T) {
	t.Parallel()
	for _, scope := range []string{"--global", ""} {
		t.Run("init "+scope, func(t *testing.T) {
			t.Parallel()
			r := newTraced(t, "opencode", append([]string{"--agent", "opencode"}, strings.Fields(scope)...)...)
			res := r.run("opencode", driver.Options{})
			r.want("a.txt", "main_t4_1 | line 1 in parallel", "main_t1_0 | line 2 by edit", "main_t3_0 | line 3 by sed", "unknown | line 4", "human | line 5 by human")
			r.want("docs/guide.md", "main_t2_0 | # Guide", "main_t2_0 | ", "main_t2_0 | Call greet.")
			r.want("par.txt", "main_t4_2 | beside a shell")
			r.want("slow.txt", "main_t4_0 | slow")
			r.want("b.py", "unknown | def f():", "unknown |     return 1", "human | # by human")
			r.want("log.txt", "main_t5_0 | written before the failure", "main_t8_0 | after the commit")
			r.checkCalls("docs/guide.md", res, "opencode", "scripted-model", 1)
			for file, call := range map[string]string{"README.md": "helper_t1_0", "helper.txt": "helper_t2_0"} {
				for _, l := range r.blame(file) {
					if l.owner() != call || l.Session != res.Session || l.Subagent == "" {
						t.Errorf("%s: %+v is not the sub-agent's of %s", file, l, res.Session)
					}
				}
			}
			if scope == "" {
				return
			}
			r.Write("a.txt", strings.Replace(r.Read("a.txt"), "line 2 by edit", "line 2 between the turns", 1))
			r.run("opencode", driver.Options{Prompt: "[[script:second]] go on", Args: resumeArgs(t, "opencode", res.Session), Model: "other-model"})
			r.commitAll()
			if l := r.blame("a.txt")[1]; l.Contributor != "human" {
				t.Errorf("the person's line is %+v", l)
			}
			if l := r.blame("docs/guide.md")[2]; l.owner() != "second_t1_0" || l.Prompt.Index != 2 || l.Session != res.Session || l.Model != "other-model" {
				t.Errorf("the second turn's line is %+v", l)
			}
			r.trace("verify")
		})
	}
}

func TestOpenCodeLoadsThePluginOfTheRepositoryInASubdirectory(t *testing.T) {
	t.Parallel()
	r := newTraced(t, "opencode", "--agent", "opencode")
	script := driver.Main(driver.Turn{Tools: []driver.Tool{
		{Name: "write", Input: map[string]any{"filePath": filepath.Join(r.Dir, "sub", "x.txt"), "content": "x\n"}},
	}}, driver.Turn{})
	r.Write("sub/keep.txt", "")
	driver.Run(t, "opencode", r.Repo, script, driver.Options{Dir: "sub", Path: []string{filepath.Dir(r.binary)}})
	r.commitAll()
	r.want("sub/x.txt", "main_t0_0 | x")
}
