package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/driver"
)

func TestPiEditsAreItsOwnUnderBothPackageNames(t *testing.T) {
	t.Parallel()
	for _, client := range []string{"pi", "pi-old"} {
		t.Run(client, func(t *testing.T) {
			t.Parallel()
			r := newTraced(t, client, "--agent", "pi", "--global")
			res := r.run("pi", driver.Options{})
			r.want("a.txt", "main_t4_1 | line 1 in parallel", "main_t1_0 | line 2 by edit", "main_t3_0 | line 3 by sed", "main_t4_2 | line 4 in parallel", "human | line 5 by human")
			r.want("docs/guide.md", "main_t2_0 | # Guide", "main_t2_0 | ", "main_t2_0 | Call greet.")
			r.want("par.txt", "main_t4_3 | beside a shell")
			r.want("slow.txt", "main_t4_0 | slow")
			r.want("b.py", "unknown | def f():", "unknown |     return 1", "human | # by human")
			r.want("log.txt", "main_t5_0 | written before the failure", "main_t7_0 | after the commit")
			r.checkCalls("docs/guide.md", res, "pi", "scripted-model", 1)
			r.Write("a.txt", strings.Replace(r.Read("a.txt"), "line 2 by edit", "line 2 between the turns", 1))
			r.run("pi", driver.Options{Prompt: "[[script:second]] go on", Args: resumeArgs(t, "pi", res.Session), Model: "other-model"})
			r.commitAll()
			if l := r.blame("a.txt")[1]; l.Contributor != "human" {
				t.Errorf("the person's line is %+v", l)
			}
			if l := r.blame("docs/guide.md")[2]; l.owner() != "second_t0_0" || l.Prompt.Index != 2 || l.Session != res.Session || l.Model != "other-model" {
				t.Errorf("the second turn's line is %+v", l)
			}
			r.trace("verify")
		})
	}
}

func TestPiLoadsTheExtensionOfAProjectThatIsTrusted(t *testing.T) {
	t.Parallel()
	r := newTraced(t, "pi", "--agent", "pi")
	script := driver.Main(driver.Turn{Tools: []driver.Tool{{Name: "write", Input: map[string]any{"path": "x.txt", "content": "x\n"}}}}, driver.Turn{})
	driver.Run(t, "pi", r.Repo, script, driver.Options{Args: []string{"--approve"}, Path: []string{filepath.Dir(r.binary)}})
	r.commitAll()
	r.want("x.txt", "main_t0_0 | x")
}

// checkCalls holds for every line of a file that an agent wrote alone.
func (r *traced) checkCalls(file string, res *driver.Result, agent, model string, prompt int) {
	r.t.Helper()
	for _, l := range r.blame(file) {
		if l.Contributor != "ai" || l.Session != res.Session || l.Agent != agent || l.Model != model || l.Prompt == nil ||
			l.Prompt.Index != prompt || !strings.Contains(l.Prompt.Text, "[[script:") {
			r.t.Errorf("%s: line %q is %+v with prompt %+v of session %s", file, l.Content, l, l.Prompt, res.Session)
		}
	}
}
