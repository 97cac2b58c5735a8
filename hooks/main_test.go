package hooks

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
)

// TestMain gives all tests one clean world, and lets copies of the test binary stand in for hooks that are programs.
func TestMain(m *testing.M) {
	if name := filepath.Base(os.Args[0]); slices.Contains(Names(), name) {
		os.Exit(logAs(name, os.Args[1:]))
	}
	os.Exit(testenv.Main(m, "GIT_AUTHOR_DATE=2024-05-06T07:08:09Z", "GIT_COMMITTER_DATE=2024-05-06T07:08:09Z"))
}

// logAs is what a hook that is a compiled program does: the same as foreignBody.
func logAs(name string, args []string) int {
	stdin, _ := io.ReadAll(os.Stdin)
	f, err := os.OpenFile(os.Getenv("HOOK_LOG"), os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return 9
	}
	defer func() { _ = f.Close() }()
	_, _ = fmt.Fprintf(f, "foreign %s %s <%s>\n", name, strings.Join(args, " "), strings.TrimRight(string(stdin), "\n"))
	return 0
}

// fakeBinary logs what it gets; foreignBody does the same for somebody else's hook.
const (
	fakeBinary = `#!/bin/sh
printf 'ours %s <%s> %s %s\n' "$*" "$(cat)" "${PWD##*/}" "${git_trace_dir-clean}" >>"$HOOK_LOG"
echo noise
echo noise >&2
`
	foreignBody = `printf 'foreign %s %s <%s>\n' @HOOK@ "$*" "$(cat)" >>"$HOOK_LOG"` + "\n"
)

// world is one repository of a test, in a directory whose name is as bad as names get.
type world struct {
	t      *testing.T
	base   string // holds everything of this test
	dir    string // work tree
	binary string
	log    string
	env    []string
}

const badName = `it's a "repo" $HOME`

func newWorld(t *testing.T) *world {
	t.Helper()
	base := filepath.Join(t.TempDir(), badName)
	w := &world{t: t, base: base, dir: filepath.Join(base, "work"), binary: filepath.Join(base, "bin $x's", "git-trace"), log: filepath.Join(base, "log")}
	w.write(w.binary, fakeBinary, 0o755)
	if err := os.MkdirAll(w.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	w.git("init", "-q", "-b", "main")
	return w
}

func (w *world) installer() Installer { return w.installerIn(w.dir) }

func (w *world) installerIn(dir string) Installer {
	w.t.Helper()
	repo, err := refs.Discover(dir)
	if err != nil {
		w.t.Fatal(err)
	}
	return Installer{Repo: repo, Binary: w.binary}
}

func (w *world) install() Result {
	w.t.Helper()
	r, err := w.installer().Install(context.Background())
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

func (w *world) remove() Result {
	w.t.Helper()
	r, err := w.installer().Remove(context.Background())
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

func (w *world) status() Status {
	w.t.Helper()
	s, err := w.installer().Status(context.Background())
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// states are the states of all hooks, in the order of Names.
func (w *world) states() string {
	w.t.Helper()
	var all []string
	for _, h := range w.status().Hooks {
		all = append(all, string(h.State))
	}
	return strings.Join(slices.Compact(all), " ")
}

func (w *world) write(path, content string, mode fs.FileMode) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	testenv.Program(w.t, path, content)
	if err := os.Chmod(path, mode); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) hook(name string) string { return filepath.Join(w.dir, ".git", "hooks", name) }

func (w *world) read(path string) string {
	w.t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(data)
}

// git runs git in the work tree and fails the test when git fails.
func (w *world) git(args ...string) string {
	w.t.Helper()
	out, code := w.gitIn(w.dir, args...)
	if code != 0 {
		w.t.Fatalf("git %v: exit status %d\n%s", args, code, out)
	}
	return out
}

func (w *world) gitIn(dir string, args ...string) (string, int) {
	w.t.Helper()
	return w.runIn(dir, "git", args...)
}

func (w *world) runIn(dir, name string, args ...string) (string, int) {
	w.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "HOOK_LOG="+w.log), w.env...)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		w.t.Fatalf("%s %v: %v", name, args, err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// logged returns what the hooks logged since the last time.
func (w *world) logged() []string {
	w.t.Helper()
	data, err := os.ReadFile(w.log)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		w.t.Fatal(err)
	}
	_ = os.Remove(w.log)
	text := strings.TrimSuffix(strings.ReplaceAll(string(data), "\n>", ">"), "\n")
	var entries []string
	for line := range strings.SplitSeq(text, "\n") {
		if n := len(entries); n > 0 && !strings.HasPrefix(line, "ours ") && !strings.HasPrefix(line, "foreign ") {
			entries[n-1] += ";" + line // the second line of a hook's input
			continue
		}
		entries = append(entries, line)
	}
	return entries
}

// only keeps the entries of one side.
func only(entries []string, side string) []string {
	return slices.DeleteFunc(slices.Clone(entries), func(e string) bool { return !strings.HasPrefix(e, side+" ") })
}

// picture lists a tree: names, permissions, link targets and bytes.
func picture(t *testing.T, root string) map[string]string {
	t.Helper()
	seen := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text := info.Mode().String()
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			link, _ := os.Readlink(path)
			text += " -> " + link
		case info.Mode().IsRegular():
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text += " " + string(data)
		}
		rel, _ := filepath.Rel(root, path)
		seen[rel] = text
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return seen
}

func samePicture(t *testing.T, what string, before, after map[string]string) {
	t.Helper()
	for path, text := range before {
		if after[path] != text {
			t.Errorf("%s: %s was\n%q\nand is\n%q", what, path, clip(text), clip(after[path]))
		}
	}
	for path := range after {
		if _, ok := before[path]; !ok {
			t.Errorf("%s: %s is new", what, path)
		}
	}
}

func clip(s string) string {
	if len(s) > 2000 {
		return s[:2000] + "…"
	}
	return s
}
