package web

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// Ask runs git-trace at the top of the repository with stdin as standard input, and returns its output. If the command
// gives a reason for its failure, the error is a *Refusal.
type Ask func(ctx context.Context, stdin []byte, args ...string) ([]byte, error)

// Refusal holds the text that a failed command wrote to standard error, and its exit status.
type Refusal struct {
	Status int
	Text   string
}

func (r *Refusal) Error() string { return r.Text }

// The exit statuses of git-trace for mistakes in a request.
const (
	exitFinding = 1
	exitGit     = 128
	exitUsage   = 129
)

// code returns the HTTP status for an error.
func code(err error) int {
	var refused *Refusal
	switch {
	case errors.Is(err, errNotFound), errors.Is(err, errNoCommit), errors.Is(err, refs.ErrMissing):
		return http.StatusNotFound
	case errors.Is(err, errBadQuestion):
		return http.StatusBadRequest
	case errors.Is(err, errAmbiguous):
		return http.StatusConflict
	case errors.Is(err, context.DeadlineExceeded):
		return http.StatusServiceUnavailable
	case !errors.As(err, &refused):
		return http.StatusInternalServerError
	case strings.Contains(refused.Text, "unknown revision"): // git calls this an ambiguous argument, too
		return http.StatusNotFound
	case strings.Contains(refused.Text, "ambiguous"):
		return http.StatusConflict
	case refused.Status == exitFinding, refused.Status == exitGit:
		return http.StatusNotFound
	case refused.Status == exitUsage:
		return http.StatusBadRequest
	}
	return http.StatusServiceUnavailable
}

// mostKept limits the cached answers, in bytes.
const mostKept = 48 << 20

// asking caches the answers of commands while the repository does not change.
type asking struct {
	ask  Ask
	repo *refs.Repo

	mu    sync.Mutex
	state string
	kept  map[string][]byte
	size  int

	last lastTalk
}

// `now` returns the state of the repository: a hash over all refs (which include logs and records), the log's journal
// and the typed prompts.
func (a *asking) now(ctx context.Context) (string, error) {
	tips, err := a.repo.RefsState(ctx, "refs/nothing/")
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	sum.Write(tips)
	for _, path := range []string{filepath.Join(a.repo.TracesDir(), "prompts"), events.OpenLog(a.repo).JournalPath()} {
		if info, err := os.Stat(path); err == nil {
			fmt.Fprint(sum, path, info.ModTime().UnixNano(), info.Size())
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:16]), nil
}

// get returns the cached answer for this state, or runs the command. A command with standard input depends on the work
// tree, and always runs.
func (a *asking) get(ctx context.Context, stdin []byte, args ...string) ([]byte, error) {
	if stdin != nil {
		return a.fresh(ctx, stdin, args...)
	}
	state, err := a.now(ctx)
	if err != nil {
		return nil, err
	}
	key := fmt.Sprintf("%q", args)
	a.mu.Lock()
	if a.state != state {
		a.state, a.kept, a.size = state, map[string][]byte{}, 0
	}
	out, known := a.kept[key]
	a.mu.Unlock()
	if known {
		return out, nil
	}
	if out, err = a.fresh(ctx, nil, args...); err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.state == state && a.size+len(out) <= mostKept {
		a.kept[key], a.size = out, a.size+len(out)
	}
	return out, nil
}

// `fresh` runs the command. If it reports a finding, its exit status says so, and standard output has the finding.
func (a *asking) fresh(ctx context.Context, stdin []byte, args ...string) ([]byte, error) {
	if at := slices.IndexFunc(args, func(arg string) bool { return strings.ContainsRune(arg, 0) }); at >= 0 {
		return nil, fmt.Errorf("'%s': %w: no argument holds a zero byte", args[at], errBadQuestion)
	}
	out, err := a.ask(ctx, stdin, args...)
	if err != nil && !json.Valid(bytes.TrimSpace(out)) {
		return nil, err
	}
	return out, nil
}

// `into` runs a command, and decodes its JSON into a variable.
func (a *asking) into(ctx context.Context, to any, args ...string) error {
	out, err := a.get(ctx, nil, args...)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(out, to); err != nil {
		return fmt.Errorf("git-trace %s: %w", args[0], err)
	}
	return nil
}
