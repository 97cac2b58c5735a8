package vscode

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
)

// What a person types and accepts in the real editor has its owners line by line, in told stories and in generated sessions.
func TestLinesThatAreTypedAndAccepted(t *testing.T) {
	w := newWorld(t, kind{})
	w.playStories()
	w.play("what is shown", (*world).playShown)
	w.play("sessions", (*world).playSessions)
	w.run("git-trace", "verify")
}

// playStories plays what may happen to lines. Words that begin with p are typed, with c completed, with a written by an
// agent.
func (w *world) playStories() {
	stories := []struct {
		name string
		play func(w *world)
	}{
		{"a whole suggestion", (*world).playWhole},
		{"suggestions by the word", (*world).playWords},
		{"what is taken back and comes again", (*world).playUndo},
		{"changes of what was accepted", (*world).playEdit},
		{"a formatter on save", (*world).playFormatter},
		{"two cursors", (*world).playCursors},
		{"a rename across files", (*world).playRename},
		{"an agent that writes into the same file", (*world).playAgent},
		{"a buffer without a name", (*world).playUntitled},
		{"a suggestion that is accepted without a key", (*world).playUnnoticed},
		{"an edit of a line", (*world).playNextEdit},
		{"switched off", (*world).playOff},
	}
	for _, story := range stories {
		w.play(story.name, story.play)
	}
	w.again() // nothing that came later changed it
}

func (w *world) play(name string, story func(*world)) {
	all := w.T
	defer func() { w.T = all }()
	all.Run(name, func(t *testing.T) {
		w.T = t
		story(w)
		w.do(w.e.Silent())
	})
}

// begin makes a file that is committed, and shows it with the cursor at its end.
func (w *world) begin(file, text string) {
	w.Helper()
	w.write(file, text)
	w.git("add", "-A")
	w.git("commit", "-qm", file)
	w.end(file)
}

func (w *world) playWhole() {
	w.begin("whole.go", "p0a p0b\n")
	w.typed("p1a p1b\np2a = ")
	w.do(w.e.Suggest("c2b + c2c\nc3a c3b\n"))
	w.press(kb.Tab)
	w.typed("p4a p4b\n")
	w.do(w.e.Save())
	w.owns("whole.go", "human", "human seen_typing", "mixed", "ai", "human seen_typing")
	w.log("inline-suggesti…", "0 prompts  1 call")
}

func (w *world) playWords() {
	w.begin("words.go", "p0a p0b\n")
	w.typed("p1a ")
	w.do(w.e.Suggest("c1a c1b c1c c1d"))
	for range 3 {
		w.press(kb.ArrowRight, kb.ModifierCtrl)
	}
	w.typed("\np2a p2b ")
	w.do(w.e.Suggest("c2a c2b"))
	w.press(kb.ArrowRight, kb.ModifierCtrl)
	w.typed("\np3a p3b\n")
	w.do(w.e.Save())
	w.owns("words.go", "human", "mixed", "human", "human seen_typing")
	w.log("inline-suggesti…", "0 prompts  3 calls") // the words of one line are one call
}

func (w *world) playUndo() {
	w.begin("undo.go", "p0a p0b\n")
	w.do(w.e.Suggest("c1a c1b\nc2a c2b\n"))
	w.press(kb.Tab)
	w.press("z", kb.ModifierCtrl)
	w.do(w.e.Silent())
	w.typed("p1a p1b\n")
	w.do(w.e.Save())
	w.owns("undo.go", "human", "human")
	w.do(w.e.Suggest("c3a c3b\nc4a c4b\n"))
	w.press(kb.Tab)
	w.press("z", kb.ModifierCtrl)
	w.do(w.e.Save())
	w.press("y", kb.ModifierCtrl)
	w.do(w.e.Save())
	w.owns("undo.go", "human", "human", "ai", "ai")
}

func (w *world) playEdit() {
	w.begin("edit.go", "p0a p0b\n")
	w.do(w.e.Suggest("c1a c1b c1c c1d\nc2a c2b\nc3a c3b\n"))
	w.press(kb.Tab)
	w.do(w.e.Silent())
	w.do(w.e.Open("edit.go", 2, 4))
	w.typed(" p1a") // c1a p1a c1b c1c c1d
	w.do(w.e.Open("edit.go", 3, 8))
	w.typed(" p2a p2b p2c") // c2a c2b p2a p2b p2c
	w.do(w.e.Save())
	w.owns("edit.go", "human", "mixed", "human", "ai")
	w.do(w.e.Open("edit.go", 4, 8))
	for range 7 {
		w.press(kb.Backspace)
	}
	w.typed("p3a p3b")
	w.do(w.e.Save())
	w.owns("edit.go", "human", "mixed", "human", "human seen_typing")
}

func (w *world) playFormatter() {
	w.do(w.e.ask("set", asked{"section": "editor.formatOnSave", "value": true}, nil))
	defer func() { w.do(w.e.ask("set", asked{"section": "editor.formatOnSave", "value": false}, nil)) }()
	w.begin("format.go", "p0a  p0b\np0c  p0d\n")
	w.typed("p1a  p1b\n")
	w.do(w.e.Suggest("c2a  c2b\nc3a c3b\n"))
	w.press(kb.Tab)
	w.typed("p4a p4b\n")
	w.do(w.e.Save())
	w.owns("format.go", "human", "human", "human", "ai", "ai", "human seen_typing")
}

func (w *world) playCursors() {
	w.begin("cursors.go", "p0a\np0b\n\n")
	w.do(w.e.Run("cursorTop", "cursorEnd", "editor.action.insertCursorBelow"))
	w.typed(" p1a")
	w.do(w.e.Save())
	w.owns("cursors.go", "human seen_typing", "human seen_typing", "")
	w.do(w.e.Suggest(" c1a c1b c1c"))
	w.press(kb.Tab)
	w.do(w.e.Save())
	w.owns("cursors.go", "mixed", "mixed", "")
}

func (w *world) playRename() {
	w.write("rename2.go", "p0c p0old\n")
	w.begin("rename1.go", "p0old p0b\n")
	w.do(w.e.Suggest("c1a c1b p0old\nc2a c2b\n"))
	w.press(kb.Tab)
	w.do(w.e.Silent())
	w.do(w.e.Save())
	w.do(w.e.Open("rename1.go", 1, 1))
	w.press(kb.F2)
	w.waits(`document.activeElement?.classList.contains("rename-input")`)
	w.typed("p1new")
	w.do(w.e.Run("acceptRenameInput"))
	w.do(w.e.until("it is renamed", func() (bool, error) {
		s, err := w.e.State()
		return s.Dirty, err
	}))
	w.do(w.e.Run("workbench.action.files.saveAll"))
	w.do(w.e.until("the other file is saved", func() (bool, error) {
		text, err := os.ReadFile(filepath.Join(w.dir, "rename2.go"))
		return string(text) == "p0c p1new\n", err
	}))
	w.owns("rename1.go", "human", "mixed", "ai")
	w.owns("rename2.go", "human")
}

func (w *world) playAgent() {
	w.begin("agent.go", "p0a p0b\n")
	w.typed("p1a p1b\n")
	w.agent("before")
	w.do(w.e.Suggest("c2a c2b\n"))
	w.press(kb.Tab)
	w.do(w.e.Silent())
	w.typed("p3a p3b\n")
	w.do(w.e.Save())
	w.told() // a command that is at work may have written what nobody tells of
	text, err := os.ReadFile(filepath.Join(w.dir, "agent.go"))
	w.do(err)
	w.write("agent.go", "a4a a4b\n"+string(text))
	w.agent("after")
	w.do(w.e.until("the editor has what the agent wrote", func() (bool, error) {
		s, err := w.e.State()
		return s.Text == "a4a a4b\n"+string(text), err
	}))
	w.end("agent.go")
	w.typed("p5a p5b\n")
	w.do(w.e.Save())
	w.owns("agent.go", "ai A1", "human", "human seen_typing", "ai", "human seen_typing", "human seen_typing")
}

func (w *world) playUntitled() {
	w.do(w.e.Run("workbench.action.files.newUntitledFile"))
	w.do(w.e.until("it is shown", func() (bool, error) {
		s, err := w.e.State()
		return strings.HasPrefix(s.Path, "Untitled"), err
	}))
	w.waits(`document.activeElement?.closest(".monaco-editor")`)
	w.typed("p1a p1b\np2a ")
	w.do(w.e.Suggest("c2a c2b c2c\nc3a c3b\n"))
	w.press(kb.Tab)
	w.do(w.e.Silent())
	w.typed("p4a p4b\n")
	w.do(w.e.Suggest("c5a c5b\n"))
	w.press(kb.Tab)
	w.do(w.e.Silent())
	w.typed("p6a p6b\n")
	w.press("s", kb.ModifierCtrl)
	w.waits(`document.activeElement?.closest(".quick-input-widget")`)
	w.press("a", kb.ModifierCtrl)
	w.typed(filepath.Join(w.dir, "named.go") + "\n")
	w.do(w.e.until("it is saved", func() (bool, error) {
		s, err := w.e.State()
		return s.Path == filepath.Join(w.dir, "named.go") && !s.Dirty, err
	}))
	w.owns("named.go", "human", "mixed", "ai", "human", "ai", "human seen_typing")
	w.end("named.go")
	w.typed("p7a p7b\n")
	w.do(w.e.Save())
	w.owns("named.go", "human", "mixed", "ai", "human", "ai", "human seen_typing", "human seen_typing")
}

// The editor's own command accepts, as its button does. Nothing tells the extension; so less is certain of the lines.
func (w *world) playUnnoticed() {
	w.begin("unnoticed.go", "p0a p0b\n")
	w.typed("p1a p1b\n")
	w.do(w.e.Suggest("c2a c2b\nc3a c3b\n"))
	w.do(w.e.Run("editor.action.inlineSuggest.commit"))
	w.do(w.e.Silent())
	w.typed("p4a p4b\n")
	w.do(w.e.Save())
	w.owns("unnoticed.go", "human", "human seen_typing high", "human medium", "human medium", "human seen_typing high")
}

// A suggestion may be an edit of a line that stands there.
func (w *world) playNextEdit() {
	w.begin("next.go", "p0a p0b\np1a p1b\np2a p2b\n")
	w.do(w.e.Open("next.go", 2, 1))
	w.do(w.e.ask("suggest", asked{"text": "c1a c1b(c1c, c1d)", "line": 2}, nil))
	w.do(w.e.Run("editor.action.inlineSuggest.trigger"))
	w.waits(`document.querySelector(".monaco-editor").textContent.includes("c1a")`)
	time.Sleep(300 * time.Millisecond) // it is drawn before a key takes it
	w.picture("next-edit")
	w.press(kb.Tab)
	w.do(w.e.Silent())
	w.do(w.e.Save())
	w.owns("next.go", "human", "ai", "human")
}

func (w *world) playOff() {
	w.do(w.e.ask("set", asked{"section": "gitTrace.tell", "value": false}, nil))
	defer func() { w.do(w.e.ask("set", asked{"section": "gitTrace.tell", "value": true}, nil)) }()
	w.begin("off.go", "p0a p0b\n")
	w.typed("p1a p1b\n")
	w.do(w.e.Suggest("c2a c2b\n"))
	w.press(kb.Tab)
	w.do(w.e.Save())
	w.told()
	w.owns("off.go", "human", "human watched", "human watched")
}
