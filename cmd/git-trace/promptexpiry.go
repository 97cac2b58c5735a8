package main

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/git-trace/git-trace/hooks/runner"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/ledger"
)

// Typed prompts are not redacted, so old ones are deleted, whether a record holds them or not. Reading the
// configuration starts a git process. So only the process that stores records does it, once a day.
const (
	promptExpireKey     = "trace.promptExpire"
	defaultPromptExpire = "30.days.ago"
	expiresEvery        = 24 * time.Hour
)

// expirePrompts deletes old prompts, and returns their number. With dry set it only counts.
func expirePrompts(ctx context.Context, repo *refs.Repo, dry bool) (int, error) {
	before, keep, err := expiry(ctx, repo, promptExpireKey, defaultPromptExpire)
	if err != nil || keep {
		return 0, err
	}
	return ledger.NewPrompts(repo).Expire(before, dry)
}

// expirePromptsDaily does that once a day. After a failure it tries again on the next day.
func expirePromptsDaily(ctx context.Context, repo *refs.Repo) {
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
	if _, err := expirePrompts(ctx, repo, false); err != nil {
		runner.NoteFailure(repo, err)
	}
}
