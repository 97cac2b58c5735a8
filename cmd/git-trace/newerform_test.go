package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/exit"
)

// What a later program stores is told apart from damage. Nothing of it is touched, git goes on as ever, and what was
// recorded meanwhile is there for the later program.
func TestANewerFormIsLeftAlone(t *testing.T) {
	t.Parallel()
	w := recordedTwin(t)
	log := filepath.Join(w.dir, ".git", "traces", "events.log")
	form := func(from, to string) {
		text, err := os.ReadFile(log)
		if err != nil || !strings.HasPrefix(string(text), from) {
			t.Fatalf("%s: %v: %.30s", log, err, text)
		}
		w.put(".git/traces/events.log", to+strings.TrimPrefix(string(text), from))
	}
	before := w.call(nil, "events", "--json").out
	form("git-trace log 1 ", "git-trace log 2 ")
	stored, _ := os.ReadFile(log)
	for _, args := range [][]string{{"blame", "a"}, {"log"}, {"verify"}, {"rebuild"}, {"gc"}, {"checkpoint"}, {"show", "HEAD"}, {"stats"}} {
		c := w.call(nil, args...)
		if c.code != exit.Unchecked || !strings.Contains(c.out, "a newer git-trace wrote the log: it has form 2, and this program reads 1") ||
			!strings.Contains(c.out, "hint: install the newest git-trace") || strings.Contains(c.out, "damage") {
			t.Errorf("git-trace %q: %d: %s", args, c.code, c.out)
		}
	}
	for _, args := range [][]string{{"status"}, {"doctor"}, {"doctor", "--fix"}, {"init"}} {
		c := w.call(nil, args...)
		if args[0] != "init" && !strings.Contains(strings.Join(strings.Fields(c.out), " "), "install the newest git-trace") {
			t.Errorf("git-trace %q: %s", args, c.out)
		}
	}
	w.agent("S2", "prompt", "asked meanwhile")
	w.must("git", "commit", "-qam", "meanwhile")
	if now, _ := os.ReadFile(log); string(now) != string(stored) {
		t.Error("the log of a later program was changed")
	}
	form("git-trace log 2 ", "git-trace log 1 ")
	w.agent("S2", "stop")
	after := w.call(nil, "events", "--json").out
	if !strings.HasPrefix(after, before) || !strings.Contains(after, "prompt_submitted") || w.call(nil, "verify").code != exit.Done {
		t.Errorf("with the later program again the log is\n%s\nit was\n%s", after, before)
	}
}
