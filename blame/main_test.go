package blame

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/blame/gitblame"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/blamerepo"
	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
)

// TestMain gives git a home without configuration, one clock and one identity for all tests, which may then run in
// parallel.
func TestMain(m *testing.M) {
	os.Exit(testenv.Main(m))
}

// repo is a repository of a test.
type repo struct{ *blamerepo.Repo }

func newRepo(t testing.TB, initArgs ...string) *repo { return &repo{blamerepo.New(t, initArgs...)} }

func history(t testing.TB, initArgs ...string) *repo {
	return &repo{blamerepo.History(t, initArgs...)}
}

// entriesOf reads a stream of git's.
func entriesOf(stream io.Reader, format gitblame.Format) (entries []gitblame.Entry, err error) {
	p := gitblame.NewParser(stream, format)
	for {
		e, err := p.Next()
		if errors.Is(err, io.EOF) {
			return entries, nil
		}
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
}

// blame runs the command in a directory of the repository.
func (r *repo) blame(dir string, resolver Resolver, style Style, args ...string) (string, error) {
	r.T.Helper()
	return r.blameStdin(dir, "", resolver, style, args...)
}

func (r *repo) blameStdin(dir, stdin string, resolver Resolver, style Style, args ...string) (string, error) {
	r.T.Helper()
	opts, err := gitblame.Parse(args)
	if err != nil {
		return "", err
	}
	opts.Stdin = strings.NewReader(stdin)
	var out bytes.Buffer
	err = Run(context.Background(), r.Discover(dir), dir, opts, resolver, &out, style)
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

func (k *knows) Committed(_ context.Context, commit refs.OID, path string, lines []int) ([]*Attribution, error) {
	answers := make([]*Attribution, len(lines))
	for i, line := range lines {
		k.asked = append(k.asked, at(commit, path, line))
		who := k.lines[at(commit, path, line)]
		answers[i] = &who
	}
	return answers, nil
}

func (k *knows) Uncommitted(ctx context.Context, path string, content []byte, lines []int) ([]*Attribution, error) {
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
