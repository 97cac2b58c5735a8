package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/hooks/runner"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/trails/route"
)

// world is one repository of the model with its work trees, and what the model knows of it. What happens to it is also
// written down as a script of the kind that testdata/script holds.
type world struct {
	root    string
	home    string
	trees   []string // directories of the work trees, the main one first
	ledger  *writers
	script  []string          // the commands so far
	files   map[string]string // contents that the script refers to
	agent   capability.Agent
	profile profile
	at      string // where the script stands

	seed    uint64
	step    int // of the operation under way
	written int // unique lines in this step
	named   int // files, branches in this step
	calls   int
	call    string // the last one
	command bool   // an agent's command is under way
	kills   int    // processes that were killed
	judged  int    // lines whose owner was compared with the model

	byChance  bool                // some of them where they may live in the next run
	shell     string              // the conversation whose shell call is under way
	quiet     bool                // git's hooks are switched off for the command
	unseen    map[string]edit     // of each file, since the last boundary
	former    map[string][]string // of each file, the contents that boundaries saw
	clients   clients
	shapedNow map[string]bool // of each file, whether it was formatted since the last boundary
	movedNow  map[string]bool // of each file, whether a block moved since then
	managed   bool            // a hook manager may have given any line another form
	renamed   map[string]bool // files that have a new name since then
}

// failed is what stops a run: the model's machinery broke, not the attribution.
type failed struct{ err error }

// failsAs fails a test in which the machinery broke. It is to be deferred. Where says what was being done; nil for
// nothing.
func failsAs(t *testing.T, where *string) {
	switch broke := recover().(type) {
	case nil:
	case failed:
		if where != nil {
			t.Fatalf("%s: %v", *where, broke.err)
		}
		t.Fatal(broke.err)
	default:
		panic(broke)
	}
}

func (w *world) must(err error) {
	if err != nil {
		panic(failed{fmt.Errorf("step %d: %w", w.step, err)})
	}
}

func newWorld(root string, p profile) *world {
	w := &world{
		root: root, home: filepath.Join(root, "home"), ledger: newLedger(), files: map[string]string{}, profile: p,
		unseen: map[string]edit{}, renamed: map[string]bool{}, former: map[string][]string{},
		shapedNow: map[string]bool{}, movedNow: map[string]bool{},
	}
	w.must(os.MkdirAll(filepath.Join(w.home, "state", "git-trace"), 0o755))
	w.must(os.WriteFile(filepath.Join(w.home, ".gitconfig"), []byte(modelConfig), 0o644))
	// Conversations have the same names in all worlds, so each world has a state of its own. They share the list of
	// recorded repositories, because this process reads it too.
	list := filepath.Join("git-trace", "recorded")
	w.must(os.MkdirAll(filepath.Join(os.Getenv("XDG_STATE_HOME"), list), 0o755))
	w.must(os.Symlink(filepath.Join(os.Getenv("XDG_STATE_HOME"), list), filepath.Join(w.home, "state", list)))
	env, err := capability.SystemEnv()
	w.must(err)
	w.agent, _ = agents.Lookup(env, "claude-code")
	return w
}

const modelConfig = "[user]\n\tname = A U Thor\n\temail = author@example.com\n[init]\n\tdefaultBranch = main\n" +
	"[advice]\n\tdetachedHead = false\n[rerere]\n\tenabled = false\n" + testenv.Config

// begin makes the repository: some files from before recording, then git trace init.
func (w *world) begin(rng *rand.Rand) {
	dir := filepath.Join(w.root, "main")
	w.must(os.MkdirAll(dir, 0o755))
	w.trees = []string{dir}
	w.at = dir
	w.script = append(w.script, "repo main -n")
	w.run(dir, "git", "init", "-q")
	w.run(dir, "git", "commit", "-q", "--allow-empty", "-m", "start")
	for i := range 1 + rng.IntN(3) {
		path := fmt.Sprintf("f%d.txt", i)
		if i == 2 {
			path = "dir/f2.txt"
		}
		w.writeAs(dir, path, nil, w.text(rng, 4+rng.IntN(12)), byUnknown)
		w.put(dir, path)
	}
	w.git(dir, "add", "-A")
	w.git(dir, "commit", "-q", "-m", "before")
	w.installManager(dir)
	w.script = append(w.script, "exec git-trace init")
	w.run(dir, "git-trace", "init")
	for _, s := range sessions {
		w.start(dir, s)
	}
}

var sessions = []string{"S1", "S2", "S3"}

// env is the environment of every process: one minute passes with each step, so that equal commits differ.
func (w *world) env() []string {
	when := time.Date(2026, 11, 2, 10, w.step, 0, 0, time.UTC).Format(time.RFC3339)
	path := os.Getenv("PATH")
	if w.profile.killed {
		path = testPrograms + string(filepath.ListSeparator) + path
	}
	return append(os.Environ(), "PATH="+path,
		"HOME="+w.home, "XDG_STATE_HOME="+filepath.Join(w.home, "state"), "XDG_CONFIG_HOME="+filepath.Join(w.home, ".config"),
		"GIT_CONFIG_GLOBAL="+filepath.Join(w.home, ".gitconfig"), "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_DATE="+when, "GIT_COMMITTER_DATE="+when, "GIT_EDITOR=true", "TZ=UTC", "LC_ALL=C.UTF-8",
		"WORK="+w.root, runner.LimitEnv+"="+patience, "CLAUDE_PID="+w.client(),
	)
}

// run runs a process that must succeed.
func (w *world) run(dir, name string, args ...string) string {
	out, err := w.process(dir, nil, name, args...)
	if err != nil {
		w.must(fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, out))
	}
	return out
}

func (w *world) process(dir string, env []string, name string, args ...string) (string, error) {
	if w.clients.shell != "" && name != "git-trace" {
		return w.inShell(dir, env, append([]string{name}, args...))
	}
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(w.env(), env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// ask runs a git command that only reads.
func (w *world) ask(dir string, args ...string) (string, bool) {
	out, err := w.process(dir, nil, "git", args...)
	return strings.TrimRight(out, "\n"), err == nil
}

// git runs a git command of the script and tells whether it succeeded.
func (w *world) git(dir string, args ...string) bool { return w.gitEnv(dir, nil, args...) }

func (w *world) gitEnv(dir string, env []string, args ...string) bool {
	if w.quiet {
		args = append([]string{"-c", "core.hooksPath=/dev/null"}, args...)
	}
	w.enter(dir)
	for _, e := range env {
		w.say("env " + quoteWord(strings.ReplaceAll(e, w.root, "$WORK")))
	}
	_, err := w.process(dir, append(env, w.killed()...), "git", args...)
	words := []string{"exec", "git"}
	if err != nil {
		words[0] = "! exec"
	}
	for _, a := range args {
		words = append(words, quoteWord(a))
	}
	w.say(strings.Join(words, " "))
	w.sayKilled()
	return err == nil
}

// enter moves the script to a work tree.
func (w *world) enter(dir string) {
	if w.at != dir {
		w.at = dir
		w.say("cd $WORK/" + filepath.Base(dir))
	}
}

func (w *world) say(line string) { w.script = append(w.script, line) }

// quoteWord quotes a word for the script.
func quoteWord(text string) string {
	if text != "" && !strings.ContainsAny(text, " '\"$#\n\t") {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}

// keep stores a content that the script refers to and returns its name.
func (w *world) keep(content string) string {
	name := fmt.Sprintf("c%d-%d", w.step, len(w.files))
	w.files[name] = content
	w.must(os.WriteFile(filepath.Join(w.root, name), []byte(content), 0o644))
	return name
}

// read is the content of a file as lines; ok is false when it is not there or cannot be edited line by line.
func (w *world) read(dir, path string) (lines []string, ok bool) {
	raw, err := os.ReadFile(filepath.Join(dir, path))
	if errors.Is(err, os.ErrNotExist) {
		return nil, false
	}
	w.must(err)
	return splitLines(string(raw)), true
}

// blob is the content of a file in a revision, or in the index.
func (w *world) blob(dir, rev string) (lines []string, ok bool) {
	cmd := exec.Command("git", "cat-file", "blob", rev)
	cmd.Dir, cmd.Env = dir, w.env()
	out, err := cmd.Output()
	return splitLines(string(out)), err == nil
}

// splitLines cuts a text into lines that keep their ends.
func splitLines(text string) []string {
	if text == "" {
		return nil
	}
	lines := strings.SplitAfter(text, "\n")
	if last := len(lines) - 1; lines[last] == "" {
		return lines[:last]
	}
	return lines
}

// joinLines is the text of the lines; the last one ends as the others do.
func joinLines(lines []string) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(strings.TrimRight(l, "\r\n"))
		if strings.HasSuffix(l, "\r\n") || strings.HasSuffix(l, "\r") {
			b.WriteString("\r")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// store writes a file without a word to anybody.
func (w *world) store(dir, path string, lines []string) {
	name := filepath.Join(dir, path)
	w.must(os.MkdirAll(filepath.Dir(name), 0o755))
	if w.clients.shell != "" {
		w.run(dir, "cp", filepath.Join(w.root, w.keep(joinLines(lines))), path)
		return
	}
	w.must(os.WriteFile(name, []byte(joinLines(lines)), 0o644))
}

// put writes the file's present content into the script.
func (w *world) put(dir, path string) {
	raw, err := os.ReadFile(filepath.Join(dir, path))
	w.must(err)
	w.enter(dir)
	if strings.Contains(path, "/") {
		w.say("mkdir " + filepath.Dir(path))
	}
	w.say(fmt.Sprintf("cp $WORK/%s %s", w.keep(string(raw)), path))
}

// writeAs stores a text and remembers who wrote what of it.
func (w *world) writeAs(dir, path string, from []int, lines []string, who string) {
	old, _ := w.read(dir, path)
	if from == nil {
		from = make([]int, len(lines))
		for i := range from {
			from[i] = -1
		}
	}
	e := edit{old, lines, from}
	whole := w.note(dir, path, e)
	w.ledger.record(e, whole, who)
	call := ""
	if w.ledger.isAI(who) {
		call = w.call
	}
	w.ledger.remember(e, whole, call, w.command)
	if w.clients.untold {
		w.ledger.told(e)
	}
	w.loosen(dir, path)
	w.store(dir, path, lines)
}

// note adds an edit to those of the file that nobody has looked at yet, and gives them all as one.
func (w *world) note(dir, path string, e edit) edit {
	key := dir + "\x00" + path
	if base, found := w.unseen[key]; found && slices.Equal(base.text, e.old) {
		e = e.after(base)
	}
	w.unseen[key] = e
	return e
}

// lookedAt notes that a boundary saw the file that a call names, or everything in its work tree.
func (w *world) lookedAt(dir string, input map[string]any, full bool) {
	w.remember(dir, input, full)
	if full {
		maps.DeleteFunc(w.unseen, func(key string, _ edit) bool { return strings.HasPrefix(key, dir+"\x00") })
		maps.DeleteFunc(w.movedNow, func(key string, _ bool) bool { return strings.HasPrefix(key, dir+"\x00") })
		maps.DeleteFunc(w.shapedNow, func(key string, _ bool) bool { return strings.HasPrefix(key, dir+"\x00") })
		maps.DeleteFunc(w.renamed, func(key string, _ bool) bool { return strings.HasPrefix(key, dir+"\x00") })
		w.ledger.looked()
		return
	}
	rel, _ := filepath.Rel(dir, input["file_path"].(string))
	delete(w.unseen, dir+"\x00"+rel)
	delete(w.shapedNow, dir+"\x00"+rel)
	delete(w.movedNow, dir+"\x00"+rel)
	delete(w.renamed, dir+"\x00"+rel)
}

// boundary sends what the client sends: through the decoder and the engine in this process or, in some runs, through
// the hook process itself.
func (w *world) boundary(dir, session, event string, fields map[string]any) {
	if w.profile.living {
		w.livingBoundary(dir, session, event, fields)
		return
	}
	payload := map[string]any{
		"session_id": session, "transcript_path": filepath.Join(w.home, ".claude", "projects", "x", session+".jsonl"),
		"cwd": dir, "hook_event_name": event, "prompt_id": "00000000-0000-4000-8000-000000000001",
	}
	for k, v := range fields {
		payload[k] = v
	}
	raw, err := json.Marshal(payload)
	w.must(err)
	input, ok := fields["tool_input"].(map[string]any)
	full := !ok || input["file_path"] == nil
	if w.profile.process {
		heard, done := w.hookProcess(dir, event, raw)
		if done {
			w.lookedAt(dir, input, full)
		}
		w.hear(session, heard, full)
		return
	}
	w.lookedAt(dir, input, full)
	boundaries, err := w.agent.Decoder.Decode(event, raw)
	w.must(err)
	for _, b := range boundaries {
		repos := route.Find(b, nil)
		if len(repos) == 0 {
			w.must(errors.New("the repository is not recorded"))
		}
		for _, repo := range repos {
			b.Process = os.Getpid() // the agents live in this process
			w.must(runner.TakeBoundary(context.Background(), repo, runner.Engine(repo, events.OpenLog(repo)), b))
		}
	}
}
