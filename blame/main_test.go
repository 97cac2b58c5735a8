package blame

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
)

// TestMain gives git a home without configuration, one clock and one identity for all tests, which may then run in
// parallel.
func TestMain(m *testing.M) {
	os.Exit(testenv.Main(m))
}

// repo is a repository of a test.
type repo struct {
	t    testing.TB
	dir  string
	tick int // of the clock: one day for each commit
}

func newRepo(t testing.TB, initArgs ...string) *repo {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &repo{t: t, dir: dir}
	r.git(append([]string{"init", "-q", "-b", "main"}, initArgs...)...)
	// Traced, though nothing was recorded yet: elsewhere no answer is kept.
	if err := r.discover(r.dir).MakeTracesDir(); err != nil {
		t.Fatal(err)
	}
	return r
}

// git runs git in the repository; it must succeed.
func (r *repo) git(args ...string) string {
	r.t.Helper()
	out, code := r.try(r.dir, "", args...)
	if code != 0 {
		r.t.Fatalf("git %s: exit status %d\n%s", strings.Join(args, " "), code, out)
	}
	return out
}

// try runs git anywhere and returns what it printed and its exit status.
func (r *repo) try(dir, stdin string, args ...string) (string, int) {
	r.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	date := fmt.Sprintf("%d +0200", 1_700_000_000+86_400*r.tick)
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date)
	cmd.Stdin = strings.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if err != nil && cmd.ProcessState == nil {
		r.t.Fatal(err)
	}
	if code := cmd.ProcessState.ExitCode(); code != 0 {
		return out.String() + errs.String(), code
	}
	return out.String(), 0
}

func (r *repo) write(name, content string) {
	r.t.Helper()
	file := filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o666); err != nil {
		r.t.Fatal(err)
	}
}

// commit records everything, a day after the commit before.
func (r *repo) commit(subject string) refs.OID {
	r.t.Helper()
	r.tick++
	r.git("add", "-A")
	r.git("commit", "-q", "--allow-empty", "-m", subject)
	return r.head()
}

func (r *repo) head() refs.OID {
	r.t.Helper()
	oid, err := refs.ParseOID(strings.TrimSpace(r.git("rev-parse", "HEAD")))
	if err != nil {
		r.t.Fatal(err)
	}
	return oid
}

func (r *repo) discover(dir string) *refs.Repo {
	r.t.Helper()
	found, err := refs.Discover(dir)
	if err != nil {
		r.t.Fatal(err)
	}
	return found
}

// blame runs the command in a directory of the repository.
func (r *repo) blame(dir string, resolver Resolver, style Style, args ...string) (string, error) {
	r.t.Helper()
	return r.blameStdin(dir, "", resolver, style, args...)
}

func (r *repo) blameStdin(dir, stdin string, resolver Resolver, style Style, args ...string) (string, error) {
	r.t.Helper()
	opts, err := Parse(args)
	if err != nil {
		return "", err
	}
	opts.Stdin = strings.NewReader(stdin)
	var out bytes.Buffer
	err = Run(context.Background(), r.discover(dir), dir, opts, resolver, &out, style)
	return out.String(), err
}

// knows is a resolver with fixed answers: by commit, path and line. What it does not have is unknown. It records what
// it was asked.
type knows struct {
	lines   map[string]Attribution // "<commit>:<path>:<line>"; the commit is empty for what no commit has
	content []byte                 // of the last question about lines that no commit has
	asked   []string
}

func at(commit refs.OID, path string, line int) string {
	id := ""
	if !commit.IsZero() {
		id = commit.String()
	}
	return fmt.Sprintf("%s:%s:%d", id, path, line)
}

func (k *knows) Committed(_ context.Context, commit refs.OID, path string, lines []int) ([]Attribution, error) {
	answers := make([]Attribution, len(lines))
	for i, line := range lines {
		k.asked = append(k.asked, at(commit, path, line))
		answers[i] = k.lines[at(commit, path, line)]
	}
	return answers, nil
}

func (k *knows) Uncommitted(ctx context.Context, path string, content []byte, lines []int) ([]Attribution, error) {
	k.content = content
	return k.Committed(ctx, refs.OID{}, path, lines)
}

// The owners that tests speak of.
var (
	claude = Attribution{
		Kind: events.OwnerAI, Trace: "4f2a9c01-1111-5111-8111-111111111111", Agent: "claude-code",
		Model: "claude-opus-4-5", Session: "s-1", Step: 7, ToolCall: "toolu_01", Tool: "Edit", PromptIndex: 3,
		PromptText: "close must be safe to call twice, and from any goroutine",
		Patch:      "0123456789abcdef0123456789abcdef", Evidence: "exact_blob", Confidence: "high",
	}
	codex = Attribution{
		Kind: events.OwnerAI, Trace: "b810d2e4-2222-5222-8222-222222222222", Agent: "codex-cli", Model: "gpt-5-codex",
		Session: "s-2", ToolCall: "call_9", Tool: "apply_patch", PromptIndex: 1, PromptText: "add a wait group",
		Patch: "fedcba9876543210fedcba9876543210", Evidence: "exact_lines", Confidence: "high",
	}
	person = Attribution{Kind: events.OwnerHuman, Evidence: "exact_blob", Confidence: "high"}
)

// noCommit stands for lines that no commit has.
var noCommit refs.OID
