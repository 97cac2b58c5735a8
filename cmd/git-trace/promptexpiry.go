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

// Typed prompts are deleted when they are old, whether or not a record holds them: they are not redacted. Reading
// the configuration takes a git process, so that is done once a day, by the process that stores records.
const (
	promptExpireKey     = "trace.promptExpire"
	defaultPromptExpire = "30.days.ago"
	expiresEvery        = 24 * time.Hour
)

// expirePrompts drops the prompts that are old, and gives how many. With dry set it only counts.
func expirePrompts(ctx context.Context, repo *refs.Repo, dry bool) (int, error) {
	before, keep, err := expiry(ctx, repo, promptExpireKey, defaultPromptExpire)
	if err != nil || keep {
		return 0, err
	}
	return ledger.NewPrompts(repo).Expire(before, dry)
}

// expirePromptsDaily is expirePrompts, once a day. A failure is tried again tomorrow.
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
