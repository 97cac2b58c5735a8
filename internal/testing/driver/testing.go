package driver

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// Need returns the path of an installed client. If it is not installed, the test is skipped with the reason; with $CI
// set it fails.
func Need(t testing.TB, name string) string {
	t.Helper()
	testenv.Wide(t)
	path, reason := Find(name)
	if path != "" {
		return path
	}
	if ci := os.Getenv("CI"); ci != "" && ci != "false" && ci != "0" {
		t.Fatalf("a client is missing although CI is set: %s", reason)
		return ""
	}
	t.Skip(reason)
	return ""
}

// Load does the same as [ReadScript], for tests.
func Load(t testing.TB, name string) Script {
	t.Helper()
	s, err := ReadScript(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// RunClaude runs Claude Code once in the repository. Runs in one repository share the home directory, so --continue or
// --resume in Args continues a session. The test fails if the client fails, or if the script is not played to its end,
// unless [Options].AllowFailure is set. It is skipped if the client is not installed.
func RunClaude(t testing.TB, repo *Repo, script Script, opts Options) *Result {
	t.Helper()
	return Run(t, "claude", repo, script, opts)
}

// RunCodex does the same as [RunClaude], for Codex CLI. The arguments "resume", "--last" continue a session.
func RunCodex(t testing.TB, repo *Repo, script Script, opts Options) *Result {
	t.Helper()
	return Run(t, "codex", repo, script, opts)
}

// Run does the same as [RunClaude], for any client of [Clients].
func Run(t testing.TB, name string, repo *Repo, script Script, opts Options) *Result {
	t.Helper()
	binary := Need(t, name)
	client, err := ClientNamed(name)
	if err != nil {
		t.Fatal(err)
	}
	repo.runs++
	j := &job{
		client: client, binary: binary, repo: repo, opts: opts.withDefaults(t), dir: repo.Dir,
		run: filepath.Join(repo.logs, fmt.Sprintf("run%d", repo.runs)),
	}
	switch {
	case filepath.IsAbs(opts.Dir):
		j.dir = opts.Dir
	case opts.Dir != "":
		j.dir = filepath.Join(repo.Dir, opts.Dir)
	}
	res, err := j.do(t.Context(), script)
	if err != nil {
		t.Fatalf("%v%s", err, res.tail())
	}
	for _, p := range res.Problems {
		t.Errorf("script of %s: %s", name, p)
	}
	for _, host := range res.Outbound {
		t.Logf("%s asked for %s and was refused", name, host)
	}
	if res.TimedOut {
		t.Fatalf("%s did not end within %s%s", name, j.opts.Limit, res.tail())
	}
	if opts.AllowFailure {
		return res
	}
	if res.ExitCode != 0 {
		t.Fatalf("%s ended with exit code %d%s", name, res.ExitCode, res.tail())
	}
	if len(res.Unplayed) > 0 {
		t.Fatalf("%s ended before turns %v%s", name, res.Unplayed, res.tail())
	}
	return res
}

func (o Options) withDefaults(t testing.TB) Options {
	if o.Prompt == "" {
		o.Prompt = "[[script:main]] please do the scripted work"
	}
	if o.Limit == 0 {
		o.Limit = 6 * time.Minute
	}
	// At its time limit, a test binary kills only itself, and not the client.
	if d, ok := t.(interface{ Deadline() (time.Time, bool) }); ok {
		if end, ok := d.Deadline(); ok {
			o.Limit = min(o.Limit, max(time.Until(end)-5*time.Second, time.Second))
		}
	}
	if o.Linger == 0 {
		o.Linger = 2 * time.Second
	}
	if o.Signal == 0 {
		o.Signal = syscall.SIGINT
	}
	return o
}

// tail returns the end of the client's output, for a failure message.
func (r *Result) tail() string {
	if r == nil {
		return ""
	}
	const most = 2000
	end := func(b []byte) string {
		if len(b) > most {
			b = b[len(b)-most:]
		}
		return string(b)
	}
	return fmt.Sprintf("\nstandard error: %s\nstandard output: %s", end(r.Stderr), end(r.Stdout))
}
