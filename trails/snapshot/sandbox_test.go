package snapshot

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
)

func TestMain(m *testing.M) {
	os.Exit(testenv.Main(m, "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=protocol.file.allow", "GIT_CONFIG_VALUE_0=always"))
}

// sandbox is a work tree and the engines that watch it.
type sandbox struct {
	testing.TB
	dir   string
	repo  *refs.Repo
	flags []string // of the reference's `git add`

	reference string // object store of the last wantTree
}

func newSandbox(t testing.TB, initArgs ...string) *sandbox {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &sandbox{TB: t, dir: filepath.Join(dir, "work tree")}
	if out, err := exec.Command("git", append(append([]string{"init", "-q"}, initArgs...), b.dir)...).CombinedOutput(); err != nil {
		t.Fatalf("git init: %v: %s", err, out)
	}
	b.discover()
	return b
}

func (b *sandbox) discover() {
	b.Helper()
	repo, err := refs.DiscoverHook(b.dir)
	if err != nil {
		b.Fatal(err)
	}
	b.repo = repo
}

func (b *sandbox) path(name string) string { return filepath.Join(b.dir, filepath.FromSlash(name)) }

func (b *sandbox) git(args ...string) string {
	b.Helper()
	out, err := b.tryGit(args...)
	if err != nil {
		b.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(out)
}

func (b *sandbox) tryGit(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = b.dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (b *sandbox) write(name, content string) {
	b.Helper()
	b.mkdir(filepath.Dir(name))
	if err := os.WriteFile(b.path(name), []byte(content), 0o644); err != nil {
		b.Fatal(err)
	}
}

func (b *sandbox) mkdir(name string) {
	b.Helper()
	if err := os.MkdirAll(b.path(name), 0o755); err != nil {
		b.Fatal(err)
	}
}

func (b *sandbox) remove(names ...string) {
	b.Helper()
	for _, name := range names {
		if err := os.RemoveAll(b.path(name)); err != nil {
			b.Fatal(err)
		}
	}
}

func (b *sandbox) symlink(target, name string) {
	b.Helper()
	b.mkdir(filepath.Dir(name))
	b.must(os.Symlink(target, b.path(name)))
}

func (b *sandbox) chmod(name string, mode os.FileMode) {
	b.Helper()
	b.must(os.Chmod(b.path(name), mode))
}

// age makes a file old, so that the index is not in doubt about it.
func (b *sandbox) age(name string) {
	b.Helper()
	old := time.Now().Add(-time.Hour)
	b.must(os.Chtimes(b.path(name), old, old))
}

// settle waits until no stamp can hide another change.
func (b *sandbox) settle() { time.Sleep(30 * time.Millisecond) }

func (b *sandbox) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func (b *sandbox) commit(message string) {
	b.Helper()
	b.git("add", "-A")
	b.git("commit", "-q", "--allow-empty", "-m", message)
}

// wantTree is the reference: `git add -A && git write-tree` on a fresh copy of the user's index, time stamp included,
// with an object store of its own.
func (b *sandbox) wantTree() string {
	b.Helper()
	if b.reference != "" {
		b.must(os.RemoveAll(filepath.Dir(b.reference)))
	}
	scratch := b.TempDir()
	index := filepath.Join(scratch, "index")
	from := filepath.Join(b.repo.GitDir, "index")
	if data, err := os.ReadFile(from); err == nil {
		info, err := os.Stat(from)
		b.must(err)
		b.must(os.WriteFile(index, data, 0o600))
		b.must(os.Chtimes(index, info.ModTime(), info.ModTime()))
	}
	b.reference = filepath.Join(scratch, "objects")
	b.must(os.Mkdir(b.reference, 0o700))
	run := func(args ...string) (string, error) {
		cmd := exec.Command("git", append([]string{"-c", "core.splitIndex=false", "-c", "advice.addEmbeddedRepo=false"}, args...)...)
		cmd.Dir = b.dir
		cmd.Env = append(os.Environ(), "GIT_INDEX_FILE="+index, "GIT_OBJECT_DIRECTORY="+b.reference,
			"GIT_ALTERNATE_OBJECT_DIRECTORIES="+b.repo.MainObjects())
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			err = fmt.Errorf("%w: %s", err, stderr.String())
		}
		return strings.TrimSpace(string(out)), err
	}
	_, err := run(append([]string{"add", "-A", "--ignore-errors"}, b.flags...)...)
	if code := exitCode(err); code > 1 {
		b.Fatalf("reference: %v", err)
	}
	tree, err := run("write-tree")
	if err != nil {
		b.Fatalf("reference: %v", err)
	}
	return tree
}

func exitCode(err error) int {
	if err == nil {
		return 0
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return -1
	}
	return exit.ExitCode()
}

// sideGit runs git with the side store in view.
func (b *sandbox) sideGit(args ...string) string {
	b.Helper()
	cmd := b.repo.Command(context.Background(), args...)
	cmd.Env = append(cmd.Env, b.repo.SideReadEnv()...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// watcher is an engine whose every snapshot is checked, each by an engine opened anew.
type watcher struct {
	*sandbox
	state string
	git   bool
	// listens is set for snapshots that ask a monitor, and wait for it on a slow machine
	listens bool
	limit   time.Duration
	last    refs.OID
	used    string // method of the last snapshot
}

func (b *sandbox) watch(name string, git bool) *watcher {
	return &watcher{sandbox: b, state: filepath.Join(b.repo.WorktreeTracesDir(), name, "state"), git: git}
}

func (w *watcher) open() *Engine {
	w.Helper()
	e, err := Open(context.Background(), w.repo, w.state)
	w.must(err)
	e.git, e.Listens, e.limit = w.git, w.listens, w.limit
	return e
}

// check takes a full snapshot and compares it with the tree git gives.
func (w *watcher) check(label, want string) Snapshot {
	w.Helper()
	e := w.open()
	snap, err := e.Full(context.Background())
	if err != nil {
		w.Fatalf("%s: %v", label, err)
	}
	w.must(e.Save())
	w.checkSaved(e)
	w.used = snap.Method
	if snap.Tree.String() != want {
		w.Fatalf("%s: %s method: %s", label, snap.Method, difference(w.flat(snap.Tree.String()), w.flat(want)))
	}
	w.checkChanges(label, snap)
	w.last = snap.Tree
	return snap
}

// checkSaved compares what was saved, as a file or behind the journal, with what was to be saved.
func (w *watcher) checkSaved(e *Engine) {
	w.Helper()
	saved := w.open()
	defer saved.Close()
	want := encodeState(e.meta, e.root, w.repo.Format)
	got := encodeState(saved.meta, saved.root, w.repo.Format)
	if !bytes.Equal(got, want) {
		w.Fatalf("%d bytes saved, %d in the journal: the state reads otherwise than it was written", saved.store.size, saved.store.journal)
	}
}

// checkChanges compares the reported changes with git's, and looks for every new blob in the stores.
func (w *watcher) checkChanges(label string, snap Snapshot) {
	w.Helper()
	if snap.Seeded {
		if !w.last.IsZero() {
			w.Errorf("%s: seeded although there was a last snapshot", label)
		}
		return
	}
	out := w.sideGit("diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", w.last.String(), snap.Tree.String())
	want, err := ParseRawDiff(out)
	w.must(err)
	slices.SortFunc(want, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	got := slices.Clone(snap.Changes)
	for i := range got {
		got[i].PassedOver = false // of which trees tell nothing
	}
	if !slices.Equal(want, got) {
		w.Fatalf("%s: %s method: changes\n%v\nwant\n%v", label, snap.Method, snap.Changes, want)
	}
	w.sideGit("rev-list", "--objects", "--quiet", snap.Tree.String(), w.last.String())
}
