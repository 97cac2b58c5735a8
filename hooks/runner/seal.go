package runner

import (
	"context"
	"os"
	"strconv"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/recorded"
)

// The log's ref names the sealed part of the log (events.Log.Seal). Hooks do not seal. A background process does:
// `git trace git-hook seal`. Processes that store records or do postponed work seal at their end.
const (
	// SealHook is the hook name that starts the process `seal`.
	SealHook  = "seal"
	sealLimit = time.Minute
)

// `begins` reports whether a boundary begins a conversation, so that the log may have unsealed events of earlier
// conversations.
func begins(b events.Boundary) bool {
	return b.Kind == events.SessionStart || b.Kind == events.PromptSubmit
}

// `ends` reports whether the log must be sealed after a boundary, because a turn or a session ended.
func ends(b events.Boundary) bool { return b.Kind == events.TurnEnd || b.Kind == events.SessionEnd }

// startSeal starts the process `seal`: if `now` is set and an event waits, or if many events wait.
func startSeal(repo *refs.Repo, now bool) {
	log := events.OpenLog(repo)
	if !log.SealDue(now) {
		return
	}
	if Background(repo, repo.GitDir, repo.Env(), "git-hook", SealHook) {
		_ = log.SealAsked() // if this fails, the next hook starts another process, which finds nothing to do
	}
}

// startAhead starts the process `seal` while the hook of a commit is running, so that the start costs the commit no
// time. The process begins its work after the hook has ended.
func startAhead(repo *refs.Repo) bool {
	return Background(repo, repo.GitDir, repo.Env(), "git-hook", SealHook, strconv.Itoa(os.Getpid()))
}

// runSeal is the process `seal`. The parameter `args` has the id of the hook's process if that started it ahead. Then
// runSeal also does the other work that the hook leaves to background processes.
func runSeal(args []string) int {
	guard := Guard(sealLimit, nil)
	defer guard()
	repo, err := recorded.Here()
	if err != nil {
		return 0
	}
	if len(args) > 0 {
		waitForEnd(args)
		if tellRecords(repo, "post-commit", true) { // the recorder seals at its end
			return 0
		}
	}
	Seal(context.Background(), repo)
	return 0
}

// Seal seals the log. It is for background processes.
func Seal(ctx context.Context, repo *refs.Repo) {
	ctx, cancel := context.WithTimeout(ctx, sealLimit*9/10)
	defer cancel()
	if _, err := events.OpenLog(repo).Seal(ctx); err != nil {
		NoteFailure(repo, err)
	}
}
