package main

import (
	"os"
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

// The model asks git-trace by a tool of the extension, and the person by commands; nothing they ask is an option.
func TestPiAsksGitTrace(t *testing.T) {
	t.Parallel()
	for _, client := range []string{"pi", "pi-old"} {
		t.Run(client, func(t *testing.T) {
			t.Parallel()
			r := newTraced(t, client, "--agent", "pi", "--global")
			ask := func(question, target string) driver.Turn {
				return driver.Turn{Tools: []driver.Tool{{Name: "git_trace", Input: map[string]any{"question": question, "target": target}}}}
			}
			res := r.played(driver.Main(
				driver.Turn{Tools: []driver.Tool{{Name: "write", Input: map[string]any{"path": "x.txt", "content": "x\n"}}}},
				ask("why", "x.txt:1"), ask("log", ""), ask("blame", "--contents=/etc/passwd"), driver.Turn{Text: "done"},
			), driver.Options{})
			told := string(res.Requests[len(res.Requests)-1].Body)
			for _, want := range []string{"asked in ", "please do the scripted work", "begins like an option"} {
				if !strings.Contains(told, want) {
					t.Errorf("%q is not in what the model was told:\n%s", want, told)
				}
			}
			res = r.played(driver.Main(driver.Turn{Text: "done"}), driver.Options{Prompt: "/trace-blame x.txt", Args: resumeArgs(t, "pi", res.Session),
				AllowFailure: true})
			session, err := os.ReadFile(res.Transcripts[0])
			if err != nil || !strings.Contains(string(session), `"customType":"git-trace"`) || len(res.Requests) > 0 {
				t.Errorf("%v, %d requests: the command left no answer:\n%s%s%s", err, len(res.Requests), session, res.Stdout, res.Stderr)
			}
		})
	}
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
