package driver

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// Date is the author and committer date of all commits by [Repo.Git].
const Date = "2026-01-01T00:00:00Z"

// Repo is a repository for one test. The person and the clients of the test share its home directory. The machine's git
// configuration is not used.
type Repo struct {
	Dir  string // the work tree
	Home string // $HOME of git and of the clients
	Tmp  string // $TMPDIR of the clients

	t    testing.TB
	logs string // one directory a run; go test -artifacts keeps it
	runs int
}

// removeBesideWriters removes a directory in which background processes may still write, such as git-trace's process
// that stores records. It repeats this, because they may make the directory again. It gives up after ten seconds, and
// the test reports the remaining files.
func removeBesideWriters(dir string) {
	const rest = 100 * time.Millisecond
	for until := time.Now().Add(10 * time.Second); time.Now().Before(until); {
		removed := os.RemoveAll(dir) == nil
		time.Sleep(rest)
		if _, err := os.Lstat(dir); removed && errors.Is(err, os.ErrNotExist) {
			return
		}
	}
}

// NewRepo makes a repository with the branch main and one commit of a.txt, b.py and README.md. Names and dates are
// fixed, so the commit always has the same id.
func NewRepo(t testing.TB) *Repo {
	t.Helper()
	root, err := filepath.EvalSymlinks(testenv.TempDir(t))
	if err != nil {
		t.Fatalf("new repository: %v", err)
	}
	t.Cleanup(func() { removeBesideWriters(root) })
	logs, err := os.MkdirTemp(t.ArtifactDir(), "driver")
	if err != nil {
		t.Fatalf("new repository: %v", err)
	}
	r := &Repo{
		Dir: filepath.Join(root, "repo"), Home: filepath.Join(root, "home"), Tmp: filepath.Join(root, "tmp"),
		t: t, logs: logs,
	}
	for _, dir := range []string{r.Dir, r.Home, r.Tmp} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatalf("new repository: %v", err)
		}
	}
	r.Git("init", "-q", "-b", "main")
	r.Git("config", "user.name", "Human")
	r.Git("config", "user.email", "human@example.com")
	r.Git("config", "commit.gpgsign", "false")
	r.Git("config", "gc.auto", "0")
	r.Write("a.txt", "line 1\nline 2\nline 3\nline 4\nline 5\n")
	r.Write("b.py", "def f():\n    return 1\n")
	r.Write("README.md", "# scratch\n")
	r.Git("add", "-A")
	r.Git("commit", "-q", "-m", "init")
	return r
}

// Git runs git as the person, and returns its output without the last line end. A failure ends the test.
func (r *Repo) Git(args ...string) string {
	r.t.Helper()
	cmd := exec.CommandContext(r.t.Context(), "git", args...)
	cmd.Dir, cmd.Env = r.Dir, append(r.Env(), "GIT_AUTHOR_DATE="+Date, "GIT_COMMITTER_DATE="+Date)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		r.t.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, stderr.String())
	}
	return strings.TrimSuffix(string(out), "\n")
}

// Write writes a file of the work tree, as an edit by the person.
func (r *Repo) Write(path, text string) {
	r.t.Helper()
	full := filepath.Join(r.Dir, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		r.t.Fatalf("write %s: %v", path, err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		r.t.Fatalf("write %s: %v", path, err)
	}
}

// Read returns the text of a file of the work tree.
func (r *Repo) Read(path string) string {
	r.t.Helper()
	data, err := os.ReadFile(filepath.Join(r.Dir, filepath.FromSlash(path)))
	if err != nil {
		r.t.Fatalf("read %s: %v", path, err)
	}
	return string(data)
}

// Env returns the environment of all processes of the test. It is built new. PATH begins with the given directories.
func (r *Repo) Env(path ...string) []string {
	search := os.Getenv("PATH")
	if search == "" {
		search = "/usr/local/bin:/usr/bin:/bin"
	}
	env := []string{
		"PATH=" + strings.Join(append(path, search), string(os.PathListSeparator)),
		"HOME=" + r.Home,
		"TMPDIR=" + r.Tmp,
		"LANG=C.UTF-8",
		"TERM=dumb",
		"SHELL=" + shell(),
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_TERMINAL_PROMPT=0",
		"GITTRACE_HOOK_SECONDS=60", // long, because these tests check what is recorded, not how fast
	}
	if dir := os.Getenv("GOCOVERDIR"); dir != "" {
		env = append(env, "GOCOVERDIR="+dir) // a git-trace built with -cover also reports the coverage of hooks
	}
	return env
}

func shell() string {
	if _, err := os.Stat("/bin/bash"); err == nil {
		return "/bin/bash"
	}
	return "/bin/sh"
}
