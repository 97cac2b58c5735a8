package hooks

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What the shell notes by itself is a pick of the git process that was announced, and nothing else; whatever is not as
// it should be is left to the program.
func TestTheShellNotesAnnouncedPicks(t *testing.T) {
	t.Parallel()
	head := strings.Repeat("0123456789abcdef", 3)[:40]
	here := os.Getpid() // runs the hook in the place of git
	type pick struct{ picking, number, head, stopped string }
	good := pick{fmt.Sprintf("%d 2 10\norig\n", here), "10\n", head + "\n", ""}
	cases := map[string]struct {
		change func(p *pick)
		noted  bool
	}{
		"an announced pick":                     {func(*pick) {}, true},
		"the first of them":                     {func(p *pick) { p.number = "2\n" }, true},
		"in a repository of SHA-256":            {func(p *pick) { p.head = strings.Repeat("ab", 32) + "\n" }, true},
		"before the first":                      {func(p *pick) { p.number = "1\n" }, false},
		"behind the last":                       {func(p *pick) { p.number = "11\n" }, false},
		"another process":                       {func(p *pick) { p.picking = fmt.Sprintf("%d 2 10\norig\n", here+1) }, false},
		"a conflict that was resolved":          {func(p *pick) { p.stopped = head + "\n" }, false},
		"no announcement":                       {func(p *pick) { p.picking = "" }, false},
		"an empty announcement":                 {func(p *pick) { p.picking = "\n" }, false},
		"an announcement that was cut off":      {func(p *pick) { p.picking = fmt.Sprint(here) }, false},
		"an announcement of something else":     {func(p *pick) { p.picking = fmt.Sprintf("%d x y\n", here) }, false},
		"no number":                             {func(p *pick) { p.number = "" }, false},
		"a number that is none":                 {func(p *pick) { p.number = "$(touch x)\n" }, false},
		"refs that are stored in another way":   {func(p *pick) { p.head = "ref: refs/heads/.invalid\n" }, false},
		"a branch, which a rebase does not use": {func(p *pick) { p.head = "ref: refs/heads/main\n" }, false},
		"an empty HEAD":                         {func(p *pick) { p.head = "\n" }, false},
	}
	for _, shell := range shellsHere(t) {
		t.Run(strings.Join(shell, " "), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			each("#!/bin/sh\n"+foreignBody, 0o755)(w)
			w.install()
			own := filepath.Join(w.dir, ".git")
			deferred := filepath.Join(own, "traces", "deferred")
			for name, c := range cases {
				p := good
				c.change(&p)
				for file, text := range map[string]string{
					"traces/picking": p.picking, "rebase-merge/msgnum": p.number, "rebase-merge/stopped-sha": p.stopped, "HEAD": p.head,
				} {
					if text == "" {
						_ = os.Remove(filepath.Join(own, file))
						continue
					}
					w.write(filepath.Join(own, file), text, 0o644)
				}
				for _, options := range []string{"", "-eu"} {
					_ = os.Remove(deferred)
					out, code := w.inShell(shell, options, ".git/hooks/post-commit", "")
					if code != 0 || out != "" {
						t.Errorf("%s: the hook ended with %d, printing %q", name, code, out)
					}
					theirs := "foreign post-commit  <>"
					if !c.noted {
						wantLog(t, w.logged(), "ours git-hook post-commit <> work clean", theirs)
						if _, err := os.Stat(deferred); err == nil {
							t.Errorf("%s was noted: %q", name, w.read(deferred))
						}
						continue
					}
					wantLog(t, w.logged(), theirs)
					if got, want := w.read(deferred), strings.TrimSpace(p.head)+" "+p.number; got != want {
						t.Errorf("%s: noted %q, want %q", name, got, want)
					}
				}
			}
		})
	}
}

// A note that cannot be written, and a rebase that is over, are the program's business.
func TestAPickThatCannotBeNotedIsLeftToTheProgram(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.install()
	own := filepath.Join(w.dir, ".git")
	w.write(filepath.Join(own, "HEAD"), strings.Repeat("a", 40)+"\n", 0o644)
	w.write(filepath.Join(own, "traces", "picking"), fmt.Sprintf("%d 1 9\norig\n", os.Getpid()), 0o644)
	run := func(what string) {
		t.Helper()
		if out, code := w.inShell([]string{"sh"}, "-eu", ".git/hooks/post-commit", ""); code != 0 || out != "" {
			t.Errorf("%s: the hook ended with %d, printing %q", what, code, out)
		}
		wantLog(t, w.logged(), oursHere)
	}
	run("no rebase")
	w.write(filepath.Join(own, "rebase-merge", "msgnum"), "3\n", 0o644)
	if err := os.Mkdir(filepath.Join(own, "traces", "deferred"), 0o755); err != nil {
		t.Fatal(err)
	}
	run("a directory in the place of the notes")
}

// Each linked work tree has its own rebase and its own notes.
func TestPicksAreNotedInTheirWorkTree(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.git("commit", "-q", "--allow-empty", "-m", "c")
	if repo := w.installer().Repo; repo.RefFormat != "files" {
		t.Skip("HEAD is no file that a shell can read; the program notes the picks")
	}
	w.install()
	linked := filepath.Join(w.base, "linked")
	w.git("worktree", "add", "-q", "--detach", linked)
	_ = w.logged()
	head := strings.TrimSpace(w.git("rev-parse", "HEAD"))
	own := filepath.Join(w.dir, ".git", "worktrees", "linked")
	w.write(filepath.Join(own, "traces", "picking"), fmt.Sprintf("%d 1 9\norig\n", os.Getpid()), 0o644)
	w.write(filepath.Join(own, "rebase-merge", "msgnum"), "3\n", 0o644)
	for _, env := range [][]string{nil, {"GIT_DIR=" + own}} {
		w.env = env
		if out, code := w.runIn(linked, w.hook("post-commit")); code != 0 || out != "" {
			t.Errorf("the hook ended with %d, printing %q", code, out)
		}
		wantLog(t, w.logged())
		note := filepath.Join(own, "traces", "deferred")
		if got, want := w.read(note), head+" 3\n"; got != want {
			t.Errorf("noted %q, want %q", got, want)
		}
		_ = os.Remove(note)
	}
	w.env = nil
	if out, code := w.runIn(w.dir, w.hook("post-commit")); code != 0 || out != "" {
		t.Errorf("the hook ended with %d, printing %q", code, out)
	}
	wantLog(t, w.logged(), oursHere)
}
