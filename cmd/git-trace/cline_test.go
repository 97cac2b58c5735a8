package main

import (
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/driver"
)

// Cline's command line tells its calls by a program for each event.
func TestClineEditsAreItsOwn(t *testing.T) {
	t.Parallel()
	r := newTraced(t, "cline", "--agent", "cline", "--global")
	res := r.run("cline", driver.Options{})
	r.want("a.txt", "unknown | line 1", "main_t1_0 | line 2 by edit", "main_t3_0 | line 3 by sed", "unknown | line 4", "human | line 5 by human")
	r.want("docs/guide.md", "main_t2_0 | # Guide", "main_t2_0 | ", "main_t2_0 | Call greet.")
	r.want("log.txt", "main_t4_0 | written before the failure")
	r.want("b.py", "unknown | def f():", "unknown |     return 1", "human | # by human")
	r.Write("a.txt", strings.Replace(r.Read("a.txt"), "line 2 by edit", "line 2 between the turns", 1))
	second := r.run("cline", driver.Options{Prompt: "[[script:second]] go on"})
	r.commitAll()
	if l := r.blame("a.txt")[1]; l.Contributor != "human" {
		t.Errorf("the person's line is %+v", l)
	}
	if l := r.blame("docs/guide.md")[2]; l.owner() != "second_t0_0" || l.Session != second.Session || l.Agent != "cline" {
		t.Errorf("the second conversation's line is %+v", l)
	}
	r.trace("verify")
	if out := r.trace("convert", "--format", "opentraces", res.Transcripts[0]); strings.Count(out, `"tool_name":"run_commands"`) != 3 {
		t.Errorf("the session file is read as\n%s", out)
	}
}
