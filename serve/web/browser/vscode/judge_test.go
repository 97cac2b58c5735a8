package vscode

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// owner is the owner of a line, as git trace blame gives it.
type owner struct {
	Content, Contributor                 string
	Agent, Session, Evidence, Confidence string
}

func (w *world) blame(file string) []owner {
	w.Helper()
	var said struct{ Lines []owner }
	w.do(json.Unmarshal([]byte(w.run("git-trace", "blame", "--json", file)), &said))
	return said.Lines
}

// most bounds how long the program is given to hear of what was saved.
const most = 10 * time.Second

// owns checks the owner of each line: the contributor, and a word of the evidence, the session or the confidence.
func (w *world) owns(file string, want ...string) {
	w.Helper()
	w.wanted[file] = want
	for end := time.Now().Add(most); ; time.Sleep(300 * time.Millisecond) {
		got, wrong := w.judged(file)
		if !wrong {
			return
		}
		if time.Now().After(end) {
			w.Errorf("%s:\n%s", file, got)
			return
		}
	}
}

func (w *world) judged(file string) (string, bool) {
	w.Helper()
	var said strings.Builder
	lines, want := w.blame(file), w.wanted[file]
	wrong := len(lines) != len(want)
	for i, line := range lines {
		about := []string{line.Contributor, line.Evidence, line.Session, line.Confidence}
		note := ""
		if i < len(want) && slices.ContainsFunc(strings.Fields(want[i]), func(word string) bool { return !slices.Contains(about, word) }) {
			wrong, note = true, "   NOT "+want[i]
		}
		fmt.Fprintf(&said, "%-28s | %s%s\n", strings.Join(about, " "), line.Content, note)
	}
	return said.String(), wrong
}

// again checks every file anew.
func (w *world) again() {
	w.Helper()
	w.told()
	for _, file := range slices.Sorted(maps.Keys(w.wanted)) {
		if got, wrong := w.judged(file); wrong {
			w.Errorf("later, %s:\n%s", file, got)
		}
	}
}

// told waits until what was done was told: a moment after it, and as long as a hook is at work.
func (w *world) told() {
	w.Helper()
	time.Sleep(2500 * time.Millisecond)
	w.do(w.e.until("no hook is at work", func() (bool, error) {
		return !slices.ContainsFunc(w.processes(), func(line string) bool { return strings.Contains(line, "\x00hook\x00") }), nil
	}))
}

// processes lists the command lines of git-trace that run.
func (w *world) processes() (lines []string) {
	w.Helper()
	found, err := filepath.Glob("/proc/[0-9]*/cmdline")
	w.do(err)
	for _, name := range found {
		if line, err := os.ReadFile(name); err == nil && strings.HasPrefix(string(line), w.program) {
			lines = append(lines, string(line))
		}
	}
	return lines
}

// log checks a row of the conversations.
func (w *world) log(words ...string) {
	w.Helper()
	got := w.run("git-trace", "log", "--color=never")
	if !slices.ContainsFunc(strings.Split(got, "\n"), func(row string) bool {
		return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(row, word) })
	}) {
		w.Errorf("no conversation has %q:\n%s", words, got)
	}
}

// agent tells of a command of an agent.
func (w *world) agent(when string) {
	w.Helper()
	w.feed(fmt.Sprintf(`{"agent":"my-agent","session":"A1","cwd":%q,"tool":{"id":"t1","name":"sh","does":"runs","command":"sh gen.sh"}}`,
		w.dir), "git-trace", "hook", "generic", "tool-"+when)
}

func (w *world) typed(text string) { w.Helper(); w.do(w.e.Type(text)) }

func (w *world) press(key string, held ...kb.Modifier) { w.Helper(); w.do(w.e.Press(key, held...)) }

// end shows a file with the cursor at its end.
func (w *world) end(file string) {
	w.Helper()
	text, err := os.ReadFile(filepath.Join(w.dir, file))
	w.do(err)
	w.do(w.e.until("the editor has the file", func() (bool, error) {
		if err := w.e.Open(file, strings.Count(string(text), "\n")+1, 1); err != nil {
			return false, err
		}
		s, err := w.e.State()
		return s.Text == string(text), err
	}))
}

func (w *world) waits(script string) {
	w.Helper()
	w.do(w.e.until(script, func() (bool, error) {
		return chromedp.Run(w.e.ctx, chromedp.Evaluate[bool]("!!("+script+")"))
	}))
}

// drawn makes a picture of what takes a while to be drawn.
func (w *world) drawn(name string) {
	w.Helper()
	if os.Getenv("GITTRACE_PICTURES") != "" {
		time.Sleep(5 * time.Second)
		w.picture(name)
	}
}

// picture makes a picture, where GITTRACE_PICTURES names a directory.
func (w *world) picture(name string) {
	w.Helper()
	dir := os.Getenv("GITTRACE_PICTURES")
	if dir == "" {
		return
	}
	data, err := chromedp.Run(w.e.ctx, chromedp.CaptureScreenshot())
	w.do(err)
	w.do(os.WriteFile(filepath.Join(dir, name+".png"), data, 0o644))
}
