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

// The log's ref names its sealed part (events.Log.Seal). Hooks do not seal: a background process, `git trace git-hook
// seal`, does. The processes that store records and that do postponed work seal at their end instead.
const (
	// SealHook is its name as the name of a hook.
	SealHook  = "seal"
	sealLimit = time.Minute
)

// begins reports whether a boundary may find an unsealed end from earlier conversations.
func begins(b events.Boundary) bool {
	return b.Kind == events.SessionStart || b.Kind == events.PromptSubmit
}

// ends reports whether the log must be sealed after a boundary: a turn or a session ended.
func ends(b events.Boundary) bool { return b.Kind == events.TurnEnd || b.Kind == events.SessionEnd }

// startSeal starts that process if now is set and an event waits, or if many events wait.
func startSeal(repo *refs.Repo, now bool) {
	log := events.OpenLog(repo)
	if waits := log.Unsealed(); waits == 0 || !now && !log.SealDue() {
		return
	}
	if Background(repo, repo.GitDir, repo.Env(), "git-hook", SealHook) {
		_ = log.SealAsked() // otherwise the next hook starts another process, which finds nothing to do
	}
}

// startAhead starts that process while a commit's hook is running: its start costs the commit no time then. It begins
// when the hook has ended.
func startAhead(repo *refs.Repo) bool {
	return Background(repo, repo.GitDir, repo.Env(), "git-hook", SealHook, strconv.Itoa(os.Getpid()))
}

// runSeal is that process. args is the number of the hook's process that started it ahead, if one did. It does what
// that hook leaves to others.
func runSeal(args []string) int {
	guard := Guard(sealLimit, nil)
	defer guard()
	repo, err := recorded.Here()
	if err != nil {
		return 0
	}
	if len(args) > 0 {
		waitForEnd(args)
		if tellRecords(repo, "post-commit", true) { // it seals at its end
			return 0
		}
	}
	Seal(context.Background(), repo)
	return 0
}

// Seal seals the log, for a background process.
func Seal(ctx context.Context, repo *refs.Repo) {
	ctx, cancel := context.WithTimeout(ctx, sealLimit*9/10)
	defer cancel()
	if _, err := events.OpenLog(repo).Seal(ctx); err != nil {
		NoteFailure(repo, err)
	}
}
