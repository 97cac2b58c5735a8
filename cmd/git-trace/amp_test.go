package main

import (
	"testing"

	"github.com/git-trace/git-trace/internal/testing/driver"
)

// Amp's own plugin runtime loads our plugin; the conversation is played, for Amp's needs an account.
func TestAmpEditsAreItsOwn(t *testing.T) {
	t.Parallel()
	for name, options := range map[string][]string{"the user's plugin": {"--agent", "amp", "--global"}, "the repository's plugin": {"--agent", "amp"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newTraced(t, "amp", options...)
			res := r.run("amp", driver.Options{})
			r.want("a.txt", "main_t3_1 | line 1 in parallel", "main_t0_0 | line 2 by edit", "main_t2_0 | line 3 by sed", "unknown | line 4", "human | line 5 by human")
			r.want("docs/guide.md", "main_t1_0 | # Guide", "main_t1_0 | ", "main_t1_0 | Call greet.")
			r.want("par.txt", "main_t3_2 | beside a shell")
			r.want("slow.txt", "main_t3_0 | slow")
			r.want("b.py", "unknown | def f():", "unknown |     return 1", "human | # by human")
			r.want("log.txt", "main_t4_0 | written before the failure", "main_t6_0 | after the commit")
			r.run("amp", driver.Options{Prompt: "[[script:second]] go on", Args: []string{res.Session}})
			r.commitAll()
			if l := r.blame("docs/guide.md")[2]; l.owner() != "second_t0_0" || l.Prompt.Index != 2 || l.Session != res.Session {
				t.Errorf("the second turn's line is %+v", l)
			}
			r.trace("verify")
		})
	}
}
