package keeping

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/hooks/runner"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/ledger"
)

// Typed prompts are not redacted, so old ones are deleted, whether a record holds them or not. Reading the
// configuration starts a git process. So only the process that stores records does it, once a day.
const (
	PromptExpireKey     = "trace.promptExpire"
	DefaultPromptExpire = "30.days.ago"
	DefaultExpire       = "90.days.ago" // of contents of snapshots
	expiresEvery        = 24 * time.Hour
)

// ExpirePrompts deletes old prompts, and returns their number. With dry set it only counts.
func ExpirePrompts(ctx context.Context, repo *refs.Repo, dry bool) (int, error) {
	before, keep, err := Expiry(ctx, repo, PromptExpireKey, DefaultPromptExpire)
	if err != nil || keep {
		return 0, err
	}
	return ledger.NewPrompts(repo).Expire(before, dry)
}

// ExpirePromptsDaily does that once a day. After a failure it tries again on the next day.
func ExpirePromptsDaily(ctx context.Context, repo *refs.Repo) {
	if !repo.HasTraces() {
		return
	}
	mark := filepath.Join(repo.TracesDir(), "cache", "prompt-expiry")
	if info, err := os.Stat(mark); err == nil && time.Since(info.ModTime()) < expiresEvery {
		return
	}
	if refs.WriteFileAtomic(mark, nil, 0o600) != nil {
		return
	}
	if _, err := ExpirePrompts(ctx, repo, false); err != nil {
		runner.NoteFailure(repo, err)
	}
}

// Expiry reads a time of expiry from the configuration, with git's own parser, as for gc.pruneExpire. `keep` is true if
// nothing expires.
func Expiry(ctx context.Context, repo *refs.Repo, key, otherwise string) (before time.Time, keep bool, err error) {
	out, err := repo.Git(ctx, nil, "config", "--type=expiry-date", "--default", otherwise, "--get", key)
	if err != nil {
		return before, false, fmt.Errorf("read %s: %w", key, err)
	}
	seconds, err := strconv.ParseUint(strings.TrimSpace(string(out)), 10, 64)
	if err != nil {
		return before, false, fmt.Errorf("read %s: %w", key, err)
	}
	now := time.Now()
	if seconds > uint64(now.Unix()) { // git returns the largest number for "now"
		return now, false, nil
	}
	return time.Unix(int64(seconds), 0), seconds == 0, nil
}
