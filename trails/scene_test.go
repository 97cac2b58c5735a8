package trails

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/gitfacts"
	"github.com/git-trace/git-trace/trails/ledger"
	"github.com/git-trace/git-trace/trails/origin"
	"github.com/git-trace/git-trace/trails/vector"
)

func TestMain(m *testing.M) { os.Exit(testenv.Main(m)) }

// scene is a step of a timeline in a repository of its own, for decisions that need contents and commits.
type scene struct {
	*among
	t     *testing.T
	names map[refs.OID]string
}

func newScene(t *testing.T) *scene {
	t.Helper()
	dir := t.TempDir()
	sc := &scene{t: t, names: map[refs.OID]string{{}: "nothing"}}
	sc.among = stepAmong(nil, &state{})
	sc.step.tree.repo.WorkTree = dir
	sc.git("init", "-q")
	repo, err := refs.Discover(dir)
	if err != nil {
		t.Fatal(err)
	}
	tree := newWorkTree(t.Context(), repo, time.Now(), &state{Interval: 9, LastFull: 5}, ledger.NewKnown(repo))
	t.Cleanup(tree.close)
	sc.among = &among{New(repo, nil, nil).newStep(tree, newPage(""), ""), &heard{editor: &editor{}}}
	sc.step.tree.interval = 10
	sc.step.tree.asks.Whole = &origin.Work{Work: sc.step.tree.origins.workAfter(gitfacts.Mark{})}
	return sc
}

// among is a step, and what it has heard.
type among struct {
	*step
	heard *heard
}

func (a *among) hears() *hearer   { return a.step.hear(a.heard) }
func (a *among) judges() *judge   { return a.step.judge(a.heard) }
func (a *among) weighs() *weigher { return a.step.weigh(a.heard) }

func (sc *scene) segments(f *file) []segment {
	sc.t.Helper()
	out, err := sc.weighs().cuts.segments(f)
	if err != nil {
		sc.t.Fatal(err)
	}
	return out
}
func (a *among) out() *record { return a.step.write(a.heard) }

// stepAmong is a step in no repository, for decisions about the windows of a state.
func stepAmong(settle Settler, found *state) *among {
	repo := &refs.Repo{}
	tree := newWorkTree(context.Background(), repo, time.Now(), found, ledger.NewKnown(repo))
	return &among{New(repo, nil, settle).newStep(tree, newPage(""), ""), &heard{editor: &editor{}}}
}

func (sc *scene) git(args ...string) string {
	sc.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = sc.step.tree.repo.WorkTree
	out, err := cmd.Output()
	if err != nil {
		sc.t.Fatalf("git %v: %v", args, err)
	}
	return strings.TrimSpace(string(out))
}

// work writes a file of the work tree.
func (sc *scene) work(path, content string) {
	sc.t.Helper()
	if err := os.WriteFile(filepath.Join(sc.step.tree.repo.WorkTree, path), []byte(content), 0o644); err != nil {
		sc.t.Fatal(err)
	}
}

// text is a content that the repository has, under a name for messages.
func (sc *scene) text(name, content string) text {
	sc.t.Helper()
	cmd := exec.Command("git", "hash-object", "-w", "--stdin")
	cmd.Dir, cmd.Stdin = sc.step.tree.repo.WorkTree, bytes.NewReader([]byte(content))
	out, err := cmd.Output()
	if err != nil {
		sc.t.Fatal(err)
	}
	oid, err := refs.ParseOID(strings.TrimSpace(string(out)))
	if err != nil {
		sc.t.Fatal(err)
	}
	sc.names[oid] = name
	return newText(oid, []byte(content))
}

// commit commits the work tree. The step compares with that commit, and git has done nothing since.
func (sc *scene) commit() refs.OID {
	sc.t.Helper()
	sc.git("add", "-A")
	sc.git("commit", "-q", "--allow-empty", "-m", "x")
	oid, err := refs.ParseOID(sc.git("rev-parse", "HEAD"))
	if err != nil {
		sc.t.Fatal(err)
	}
	sc.step.tree.asks.Head, sc.step.tree.now = oid, gitfacts.ReadMark(sc.step.tree.repo)
	sc.step.tree.asks.Whole = &origin.Work{Work: sc.step.tree.origins.workAfter(sc.step.tree.now)}
	return oid
}

// knows puts down who owns the lines of a content of a path.
func (sc *scene) knows(path string, content text, owner vector.Owner) {
	sc.t.Helper()
	sc.step.tree.store.known.Put(path, content.OID, vector.Uniform(len(content.Lines), owner))
}

func (sc *scene) change(path string, from, to text) *file {
	return &file{
		path: path, oldPath: path, oldMode: 0o100644, newMode: 0o100644, old: from, new: to,
		vec: vector.Uniform(len(from.Lines), vector.Owner{Kind: events.OwnerUnknown}),
	}
}

// nameOf says who an actor is in a word.
func nameOf(a *actor) string {
	switch {
	case a.kind != events.OwnerAI:
		return string(a.kind)
	case a.window != nil:
		return a.window.Call.ID
	}
	var calls []string
	for _, c := range a.candidates {
		calls = append(calls, c.ToolCall)
	}
	return strings.Join(calls, "|")
}

func numbered(t *testing.T, n int) refs.OID {
	t.Helper()
	oid, err := refs.ParseOID(fmt.Sprintf("%040d", n))
	if err != nil {
		t.Fatal(err)
	}
	return oid
}
