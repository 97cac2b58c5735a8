// Package recording makes test repositories with conversations that change files. Only the test itself reports git
// hooks.
package recording

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/correlate"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails"
)

// World is a repository with a timeline. Its clock starts one hour in the past, and advances by one second at each
// step.
type World struct {
	T      testing.TB
	Repo   *refs.Repo
	Engine *trails.Engine
	Clock  time.Time
	Calls  int // number of the last call
}

// New makes a World. Its first commit, "base", has base.txt with three lines, and an anchor.
func New(t testing.TB) *World {
	t.Helper()
	w := Open(t, t.TempDir(), time.Now().Add(-time.Hour), "init", "-q", "-b", "main", ".")
	w.Write("base.txt", "base one\nbase two\nbase three\n")
	w.Commit("base")
	w.Anchor()
	return w
}

// Open makes a repository in a directory with a git command, and begins its timeline.
func Open(t testing.TB, dir string, clock time.Time, make ...string) *World {
	t.Helper()
	w := &World{T: t, Repo: &refs.Repo{WorkTree: dir}, Clock: clock}
	w.Git(make...)
	return w.in(dir)
}

// `in` begins the timeline of a work tree.
func (w *World) in(dir string) *World {
	w.T.Helper()
	repo, err := refs.DiscoverHook(dir)
	w.Check(err)
	w.Check(os.MkdirAll(repo.TracesDir(), 0o755))
	w.Repo, w.Engine = repo, trails.New(repo, events.OpenLog(repo), nil)
	w.Check(w.Engine.Origin(w.T.Context(), w.Now()))
	return w
}

// Clone makes another clone, with its own log.
func (w *World) Clone() *World {
	w.T.Helper()
	return Open(w.T, w.T.TempDir(), w.Now(), "clone", "-q", w.Repo.WorkTree, ".")
}

// Linked adds a linked work tree on a new branch.
func (w *World) Linked(name string) *World {
	w.T.Helper()
	dir := filepath.Join(w.T.TempDir(), name)
	w.Git("worktree", "add", "-q", "-b", name, dir)
	return (&World{T: w.T, Clock: w.Now(), Calls: 1000}).in(dir)
}

// Check ends the test if err is not nil.
func (w *World) Check(err error) {
	w.T.Helper()
	if err != nil {
		w.T.Fatal(err)
	}
}

// Now advances the clock by one second, and returns the time.
func (w *World) Now() time.Time {
	w.Clock = w.Clock.Add(time.Second)
	return w.Clock
}

// Git runs git and returns its output. A conflict does not fail the test.
func (w *World) Git(args ...string) string {
	w.T.Helper()
	cmd := exec.Command("git", args...)
	date := w.Now().UTC().Format(time.RFC3339)
	cmd.Dir = w.Repo.WorkTree
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date, "GIT_AUTHOR_NAME=a",
		"GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com", "GIT_EDITOR=true")
	out, err := cmd.CombinedOutput()
	if err != nil && !strings.Contains(string(out), "CONFLICT") {
		w.T.Fatalf("git %v: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// Write writes a file, as a person does.
func (w *World) Write(name, text string) {
	w.T.Helper()
	w.Check(os.WriteFile(filepath.Join(w.Repo.WorkTree, name), []byte(text), 0o644))
}

// Edit makes an edit call of a conversation that writes a file.
func (w *World) Edit(session, name, text string) {
	w.T.Helper()
	w.Call(session, "Edit", events.ToolEdits, []string{name}, func() { w.Write(name, text) })
}

// Call makes a call of a conversation. The call declares files, and the function `do` does its work.
func (w *World) Call(session, tool string, class events.ToolClass, files []string, do func()) {
	w.T.Helper()
	w.Calls++
	use := &events.ToolUse{CallID: fmt.Sprint("call-", w.Calls), Name: tool, Class: class}
	for _, name := range files {
		use.Paths = append(use.Paths, filepath.Join(w.Repo.WorkTree, name))
	}
	b := events.Boundary{
		Kind: events.ToolBefore, Agent: "claude-code", Session: session, Cwd: w.Repo.WorkTree, Tool: use, Time: w.Now(),
	}
	w.Check(w.Engine.Handle(w.T.Context(), b))
	do()
	b.Kind, b.Time = events.ToolAfter, w.Now()
	w.Check(w.Engine.Handle(w.T.Context(), b))
}

// Commit commits everything.
func (w *World) Commit(subject string) refs.OID {
	w.T.Helper()
	w.Git("add", "-A")
	w.Git("commit", "-q", "--allow-empty", "-m", subject)
	return w.Head()
}

// Head returns the commit that is checked out.
func (w *World) Head() refs.OID {
	w.T.Helper()
	return w.OID("HEAD")
}

// OID returns the object that a revision names.
func (w *World) OID(rev string) refs.OID {
	w.T.Helper()
	id, err := refs.ParseOID(w.Git("rev-parse", rev))
	w.Check(err)
	return id
}

// Anchor does the work of the commit hook.
func (w *World) Anchor() {
	w.T.Helper()
	w.Check(correlate.Head(w.T.Context(), w.Repo, w.Engine, 0, w.Now(), nil))
}

// Rewritten does the work of the post-rewrite hook.
func (w *World) Rewritten(kind string, older, newer refs.OID) {
	w.T.Helper()
	w.Check(correlate.Rewritten(w.T.Context(), events.OpenLog(w.Repo), w.Repo, w.Engine, kind,
		[]events.RewritePair{{Old: older, New: newer}}, w.Now()))
}

// Append appends an event to the log.
func (w *World) Append(typ events.Type, method events.Method, data any) {
	w.T.Helper()
	raw, err := events.Encode(data)
	w.Check(err)
	_, err = events.OpenLog(w.Repo).Append(w.T.Context(), []events.Draft{{
		Type: typ, Time: w.Now(), Method: []events.Method{method}, Data: raw,
	}})
	w.Check(err)
}

// Log returns the events of the log.
func (w *World) Log() []events.Event {
	w.T.Helper()
	var out []events.Event
	for e, err := range events.OpenLog(w.Repo).Walk(w.T.Context(), events.Range{}) {
		w.Check(err)
		out = append(out, e)
	}
	return out
}

// Forget deletes the caches, and the stored contents and objects, but not the log.
func (w *World) Forget() {
	w.T.Helper()
	for _, dir := range []string{"cache", "contents", "objects"} {
		w.Check(os.RemoveAll(filepath.Join(w.Repo.TracesDir(), dir)))
	}
}
