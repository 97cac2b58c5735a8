package vscode

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// A window has several folders. What is typed and accepted is told in the repository of its file. Of a repository that is
// not recorded nothing is told, and nobody is asked.
func TestSeveralFolders(t *testing.T) {
	w := newWorld(t, kind{beside: []string{"second", "unrecorded"}})
	first := w.dir
	for _, name := range []string{"second", "unrecorded"} {
		w.in(name).git("init", "-q", "-b", "main")
	}
	w.in("second").run("git-trace", "init")
	for _, name := range []string{filepath.Base(first), "second", "unrecorded"} {
		in := w.in(name)
		in.begin("some.go", "p0a p0b\n")
		in.typed("p1a p1b\n")
		in.do(in.e.Suggest("c2a c2b\n"))
		in.press(kb.Tab)
		in.do(in.e.Silent())
		in.do(in.e.Save())
	}
	for _, name := range []string{filepath.Base(first), "second"} {
		w.in(name).owns("some.go", "human", "human seen_typing", "ai")
	}
	w.told()
	if _, err := os.Stat(filepath.Join(filepath.Dir(first), "unrecorded", ".git", "traces")); !os.IsNotExist(err) {
		t.Errorf("something is kept in a repository that is not recorded: %v", err)
	}
	w.hints()
}

// A program that is not there, or too old, is told of once. Keys do what they do.
func TestOneHint(t *testing.T) {
	old := filepath.Join(t.TempDir(), "git-trace")
	if err := os.WriteFile(old, []byte("#!/bin/sh\necho git-trace 0.0.9\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for program, hint := range map[string]string{"/nowhere/git-trace": "does not start", old: "0.0.9 is too old"} {
		t.Run(hint, func(t *testing.T) {
			w := newWorld(t, kind{program: program})
			for _, file := range []string{"one.go", "two.go"} {
				w.begin(file, "p0a p0b\n")
				w.typed("p1a ")
				w.do(w.e.Suggest("c1a c1b\n"))
				w.press(kb.Tab)
				w.do(w.e.Silent())
				w.do(w.e.Save())
				w.holds(file, "p0a p0b\np1a c1a c1b\n")
			}
			w.told()
			w.hints(hint)
			w.picture("hint")
		})
	}
}

// in is the same window, and another repository.
func (w *world) in(name string) *world {
	other := *w
	editor := *w.e
	other.dir = filepath.Join(filepath.Dir(w.dir), name)
	editor.Dir = other.dir
	other.e, other.wanted = &editor, map[string][]string{}
	return &other
}

func (w *world) holds(file, want string) {
	w.Helper()
	text, err := os.ReadFile(filepath.Join(w.dir, file))
	w.do(err)
	if string(text) != want {
		w.Errorf("%s: %q, not %q", file, text, want)
	}
}

// hints checks all that the extension says unasked.
func (w *world) hints(want ...string) {
	w.Helper()
	w.do(w.e.Run("notifications.showList"))
	w.waits(`document.querySelector(".notifications-center.visible")`)
	got, err := chromedp.Run(w.e.ctx, chromedp.Evaluate[[]string](
		`[...document.querySelectorAll(".notifications-center .notification-list-item-message")].map((m) => m.textContent)`))
	w.do(err)
	ok := len(got) == len(want)
	for i := range want {
		ok = ok && strings.Contains(got[i], want[i])
	}
	if !ok {
		w.Errorf("it says %q, not %q", got, want)
	}
}
