package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// writesDown adds the refusal of its first call to the session file of an agent.
func (a *living) writesDown() {
	a.w.t.Helper()
	dir := filepath.Join(a.w.home, ".claude", "projects", strings.NewReplacer("/", "-", ".", "-", "_", "-").Replace(a.w.dir))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		a.w.t.Fatal(err)
	}
	a.w.write(filepath.Join(dir, a.session+".jsonl"), fmt.Sprintf(`{"type":"user","message":{"role":"user","content":[{"type":"tool_result",`+
		`"tool_use_id":"toolu_%s_001","is_error":true,"content":"no"}]},"toolDenialKind":"user-rejected","toolDenialBeforeRun":true}`+"\n", a.session))
}

// A person refuses a command, edits and commits, and the client is killed. It wrote the refusal down after
// the commit.
func TestARefusalThatAKilledClientWroteDownLateIsHeardOf(t *testing.T) {
	t.Parallel()
	for name, next := range map[string]func(w *watched){
		"by blame":                  func(*watched) {},
		"by the next commit":        func(w *watched) { w.commit() },
		"by another's conversation": func(w *watched) { w.agent(beta).does("stop") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWatched(t)
			a := w.agent(alpha)
			a.does("pre", "bash", "echo never >> a.txt")
			w.types("a.txt", "typed after the refusal")
			w.commit()
			w.is("a.txt", "typed after the refusal", alpha)
			a.writesDown()
			a.die()
			next(w)
			w.is("a.txt", "typed after the refusal", "human")
			w.types("a.txt", "typed when the client was gone")
			w.commit()
			w.is("a.txt", "typed when the client was gone", "human")
			w.run("git-trace", "verify")
		})
	}
}

// A client that was killed and wrote nothing down: what was committed after its end is nobody's, what was before stays
// the call's.
func TestAKilledClientThatWroteNothingDownLeavesDoubt(t *testing.T) {
	t.Parallel()
	w := newWatched(t)
	a := w.agent(alpha)
	a.does("pre", "bash", "echo never >> a.txt")
	w.types("a.txt", "changed while it lived")
	w.commit()
	a.die()
	w.types("b.txt", "changed until its end was found")
	w.commit()
	w.is("a.txt", "changed while it lived", alpha)
	w.is("b.txt", "changed until its end was found", "unknown")
	w.types("b.txt", "typed later")
	w.commit()
	w.is("b.txt", "typed later", "human")
}
