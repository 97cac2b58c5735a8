package main

import (
	"cmp"
	"context"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/hooks/runner"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/refs/recorded"
	"github.com/git-trace/git-trace/sharing"
)

// Git has no hook that runs after a push. So the hook that runs before it starts a process that waits for the end of
// git. The user's push takes no longer, and its result is the same.
const (
	pushLaterHook = "push-later"
	// pushLimit is the longest life of that process.
	pushLimit = time.Hour
)

// runPushHook is the pre-push hook: git passes the name of the remote (githooks(5)).
func runPushHook(args []string) int {
	_, hard := runner.Limits()
	guard := runner.Guard(hard, nil)
	defer guard()
	if len(args) == 0 || os.Getenv(sharing.Pushing) != "" {
		return exit.Done
	}
	repo, err := recorded.Here()
	if err != nil {
		return exit.Done
	}
	dir := cmp.Or(repo.WorkTree, repo.GitDir) // a relative URL starts here
	runner.Background(repo, dir, repo.Env(), "git-hook", pushLaterHook, args[0], strconv.Itoa(runner.GitProcess()))
	return exit.Done
}

// runPushLater is the process that waits and then shares. git trace status reports its failures.
func runPushLater(args []string) int {
	guard := runner.Guard(pushLimit, nil)
	defer guard()
	repo, err := recorded.Here()
	if err != nil || len(args) != 2 {
		return exit.Done
	}
	debug.SetGCPercent(100)
	debug.SetMemoryLimit(math.MaxInt64)
	runner.LowerPriority()
	if args[0] != "" { // empty after a turn
		git, _ := strconv.Atoi(args[1])
		waitForGit(git)
	}
	_ = sharing.Auto(context.Background(), events.OpenLog(repo), args[0], meansToShare(repo)) // Auto noted it
	return exit.Done
}

// waitForGit waits until git has ended, with growing pauses. If git's process is unknown, it waits a moment.
func waitForGit(pid int) {
	if pid <= 0 || runtime.GOOS == "windows" {
		time.Sleep(2 * time.Second)
		return
	}
	for pause := 20 * time.Millisecond; events.ProcessLives(pid); pause = min(2*pause, time.Second) {
		time.Sleep(pause)
	}
}
