package main

import (
	"errors"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/hooks/runner"
	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// pastWorld is a history that was made without hooks, and the transcripts of the conversations behind it. Every line
// that says something is written once, by somebody who is remembered.
type pastWorld struct {
	t       testing.TB
	rng     *rand.Rand
	dir     string // the repository
	home    string
	folder  string // transcripts
	clock   time.Time
	live    bool              // the clock is the system's
	writers map[string]string // of each line that says something: a session, or "human"
	count   int
	open    []*pastSession
	made    int // sessions
	agents  map[string]string
}

func newPastWorld(t testing.TB, seed int64) *pastWorld {
	t.Helper()
	w := &pastWorld{
		t: t, rng: rand.New(rand.NewSource(seed)), dir: filepath.Join(testenv.TempDir(t), "shop"), home: testenv.TempDir(t), folder: testenv.TempDir(t),
		clock: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC), writers: map[string]string{}, agents: map[string]string{},
	}
	w.must(os.MkdirAll(w.dir, 0o755))
	w.git("init", "-q", "-b", "main")
	for i := range 6 {
		var lines []string
		for range 20 {
			lines = append(lines, w.line("human"))
		}
		w.put(fmt.Sprintf("pkg%d/file%d.go", i%3, i), lines)
	}
	w.commit("begin")
	return w
}

func (w *pastWorld) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *pastWorld) git(args ...string) string {
	w.t.Helper()
	out, err := w.command("git", args...).CombinedOutput()
	if err != nil {
		w.t.Fatalf("git %q: %v: %s", args, err, out)
	}
	return string(out)
}

func (w *pastWorld) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = w.dir
	stamp := w.clock.Format(time.RFC3339)
	cmd.Env = []string{
		"HOME=" + w.home, "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", runner.LimitEnv + "=" + patience, "TZ=UTC", "LC_ALL=C.UTF-8", "GIT_EDITOR=true",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@b",
		"GIT_AUTHOR_DATE=" + stamp, "GIT_COMMITTER_DATE=" + stamp,
	}
	return cmd
}

func (w *pastWorld) tick() {
	step := time.Duration(20+w.rng.Intn(200)) * time.Second
	if w.clock = w.clock.Add(step); w.live {
		w.clock = time.Now().UTC().Truncate(time.Millisecond)
	}
}

// ordinary are lines that stand everywhere.
var ordinary = []string{"}", "\treturn nil", "", "\tif err != nil {", "\t\treturn err", "\t}", "import (", ")", "func main() {", "\tdefer wg.Done()"}

// line is a new line that says something.
func (w *pastWorld) line(writer string) string {
	w.count++
	words := []string{"basket", "price", "customer", "shelf", "parcel", "invoice", "courier", "voucher"}
	text := fmt.Sprintf("\t%s%d := %s(%q, %d)", words[w.rng.Intn(len(words))], w.count, words[w.rng.Intn(len(words))], "k"+fmt.Sprint(w.rng.Intn(1e9)), w.count)
	w.writers[text] = writer
	return text
}

// block are new lines, ordinary ones between them.
func (w *pastWorld) block(writer string, n int) []string {
	var out []string
	for range n {
		out = append(out, w.line(writer))
		if w.rng.Intn(2) == 0 {
			out = append(out, ordinary[w.rng.Intn(len(ordinary))])
		}
	}
	return out
}

func (w *pastWorld) put(path string, lines []string) {
	full := filepath.Join(w.dir, path)
	w.must(os.MkdirAll(filepath.Dir(full), 0o755))
	w.must(os.WriteFile(full, []byte(strings.Join(lines, "\n")+"\n"), 0o644))
}

func (w *pastWorld) get(path string) []string {
	raw, err := os.ReadFile(filepath.Join(w.dir, path))
	w.must(err)
	return strings.Split(strings.TrimSuffix(string(raw), "\n"), "\n")
}

func (w *pastWorld) files() []string {
	var out []string
	for path := range strings.FieldsSeq(w.git("ls-files", "-co")) {
		out = append(out, path)
	}
	return out
}

func (w *pastWorld) commit(message string, paths ...string) {
	w.tick()
	if len(paths) == 0 {
		paths = []string{"-A"}
	}
	w.git(append([]string{"add"}, paths...)...)
	w.git("commit", "-q", "--allow-empty", "-m", message)
}

// session begins a conversation.
func (w *pastWorld) session() *pastSession {
	w.made++
	s := &pastSession{
		w: w, id: fmt.Sprintf("%08x-0000-4000-8000-%012x", w.made, w.rng.Int63n(1<<40)), form: w.rng.Intn(3),
		agent: []string{"claude-code", "claude-code", "pi", "codex-cli", "codex-cli", "gemini-cli", "opencode", "copilot-cli"}[w.rng.Intn(8)],
		root:  []string{w.dir, "/home/alice/src/shop", "/Users/bob/work/shop-two"}[w.rng.Intn(3)],
	}
	if s.agent == "opencode" {
		s.id = "ses_" + strings.ReplaceAll(s.id, "-", "")
	}
	w.agents[s.id] = s.agent
	s.begin()
	return s
}

// keep writes a file as agents do: it grows by what is new, and one that is written anew takes the other's place as a
// whole.
func (w *pastWorld) keep(name, content string) {
	w.must(os.MkdirAll(filepath.Dir(name), 0o755))
	if before, err := os.ReadFile(name); err == nil && strings.HasPrefix(content, string(before)) {
		file, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0o644)
		w.must(err)
		_, err = file.WriteString(content[len(before):])
		w.must(errors.Join(err, file.Close()))
		return
	}
	w.must(os.WriteFile(name+".new", []byte(content), 0o644))
	w.must(os.Rename(name+".new", name))
}

// person edits a file by hand.
func (w *pastWorld) person(prefix string) {
	var files []string
	for _, path := range w.files() {
		if strings.HasPrefix(path, prefix) {
			files = append(files, path)
		}
	}
	if len(files) == 0 {
		w.put(prefix+"hand.go", w.block("human", 5))
		return
	}
	path := files[w.rng.Intn(len(files))]
	before := w.get(path)
	at := w.rng.Intn(len(before))
	fresh := w.block("human", 1+w.rng.Intn(4))
	if w.rng.Intn(3) == 0 { // ordinary lines only
		fresh = []string{"\tif err != nil {", "\t\treturn err", "\t}"}
	}
	w.put(path, slices.Concat(before[:at], fresh, before[at+w.rng.Intn(2):]))
}

// stretch lets sessions and people work for some commits, below a prefix.
func (w *pastWorld) stretch(commits int, prefix string) {
	for range commits {
		for range 1 + w.rng.Intn(4) {
			w.tick()
			if w.rng.Intn(4) == 0 {
				w.person(prefix)
				continue
			}
			if len(w.open) < 3 {
				w.open = append(w.open, w.session())
			}
			i := w.rng.Intn(len(w.open))
			s := w.open[i]
			s.act(prefix)
			if w.rng.Intn(4) == 0 {
				s.end()
				w.open = slices.Delete(w.open, i, i+1)
			}
		}
		changed := strings.Fields(w.git("ls-files", "-mo"))
		if len(changed) > 1 && w.rng.Intn(4) == 0 {
			w.commit("part", changed[:len(changed)/2]...)
			continue
		}
		w.commit("all")
	}
}

func (w *pastWorld) endAll() {
	for _, s := range w.open {
		s.end()
	}
	w.open = nil
}

// strangers adds conversations about another repository that has the same paths, in the same hours.
func (w *pastWorld) strangers(n int) {
	for range n {
		s := w.session()
		s.root = "/home/alice/src/other"
		s.lines, s.last = nil, ""
		s.begin()
		for range 3 {
			w.count++
			path := fmt.Sprintf("pkg%d/file%d.go", w.rng.Intn(3), w.rng.Intn(6))
			theirs := fmt.Sprintf("\tother%d := elsewhere(%d)", w.count, w.rng.Intn(1e9))
			content := "package a\n\nimport (\n\t\"fmt\"\n)\n\nfunc main() {\n" + theirs + "\n\treturn nil\n}\n"
			if f := pastForms[s.agent]; f != nil {
				f.edit(s, pastEdit{path: path, old: "\tnothing := ofThisRepository(1)", now: theirs + "\n\tif err != nil {\n\t\treturn err\n\t}"})
				f.edit(s, pastEdit{path: path, now: content})
				continue
			}
			s.call(map[bool]string{true: "edit", false: "Edit"}[s.agent == "pi"], map[string]any{
				"file_path": s.root + "/" + path, "path": s.root + "/" + path,
				"old_string": "\tnothing := ofThisRepository(1)", "oldText": "\tnothing := ofThisRepository(1)",
				"new_string": theirs + "\n\tif err != nil {\n\t\treturn err\n\t}", "newText": theirs + "\n\tif err != nil {\n\t\treturn err\n\t}",
			}, nil)
			s.call(map[bool]string{true: "write", false: "Write"}[s.agent == "pi"], map[string]any{
				"file_path": s.root + "/" + path, "path": s.root + "/" + path, "content": content,
			}, nil)
		}
		s.end()
	}
}

// undone adds conversations here whose lines were taken back before anybody committed, ordinary lines among them.
func (w *pastWorld) undone(n int) {
	for range n {
		s := w.session()
		path := w.files()[0]
		before := w.get(path)
		at := w.rng.Intn(len(before))
		s.edit(path, at, 0, append(w.block(s.id, 2), "\tif err != nil {", "\t\treturn err", "\t}"), false)
		s.edit(path, at, 0, []string{"\tif err != nil {", "\t\treturn err", "\t}"}, false)
		s.end()
	}
}

// truth are the sessions whose lines each commit added, of those that HEAD has.
func (w *pastWorld) truth() map[string]map[string]int {
	out := map[string]map[string]int{}
	commit := ""
	for line := range strings.Lines(w.git("log", "--no-merges", "--format=commit %H", "-p", "-U0", "--no-color")) {
		line = strings.TrimSuffix(line, "\n")
		if id, ok := strings.CutPrefix(line, "commit "); ok {
			commit = id
			continue
		}
		text, ok := strings.CutPrefix(line, "+")
		writer := w.writers[text]
		if !ok || writer == "" || writer == "human" {
			continue
		}
		if out[commit] == nil {
			out[commit] = map[string]int{}
		}
		out[commit][writer]++
	}
	return out
}
