package recorded_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/recorded"
)

// world is a directory without symlinks in its path, in which the tests make what they need.
type world struct {
	t    *testing.T
	base string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &world{t, base}
}

func (w *world) at(path string) string { return filepath.Join(w.base, filepath.FromSlash(path)) }

func (w *world) run(dir string, args ...string) {
	w.t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = w.at(dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("%q: %v: %s", args, err, out)
	}
}

func (w *world) write(path, content string) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(w.at(path)), 0o777); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(w.at(path), []byte(content), 0o666); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) link(target, path string) {
	w.t.Helper()
	if err := os.Symlink(target, w.at(path)); err != nil {
		w.t.Fatal(err)
	}
}

// repo makes a repository with a commit, and puts it on the list.
func (w *world) repo(name string) *refs.Repo {
	w.t.Helper()
	w.run("", "git", "init", "-q", name)
	w.run(name, "git", "commit", "-q", "--allow-empty", "-m", "start")
	return w.add(name)
}

func (w *world) add(name string) *refs.Repo {
	w.t.Helper()
	repo := w.open(name)
	if err := recorded.Add(repo); err != nil {
		w.t.Fatal(err)
	}
	return repo
}

func (w *world) open(name string) *refs.Repo {
	w.t.Helper()
	repo, err := refs.Discover(w.at(name))
	if err != nil {
		w.t.Fatal(err)
	}
	return repo
}

// wantOpen holds whether a hook that is told of a path opens a repository there, and which.
func (w *world) wantOpen(path, workTree string) {
	w.t.Helper()
	got, err := recorded.Around(w.at(path))
	switch {
	case workTree == "" && err == nil:
		w.t.Errorf("%s opens %s of %s", path, got.GitDir, got.WorkTree)
	case workTree != "" && err != nil:
		w.t.Errorf("%s is not opened: %v", path, err)
	case workTree != "" && got.WorkTree != w.at(workTree):
		w.t.Errorf("%s opens %s, want %s", path, got.WorkTree, workTree)
	}
}

func (w *world) wantState(name string, want recorded.State) {
	w.t.Helper()
	if got := recorded.Look(w.open(name)).State; got != want {
		w.t.Errorf("%s is in state %d, want %d", name, got, want)
	}
}
