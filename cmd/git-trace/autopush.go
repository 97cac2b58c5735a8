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
	"github.com/git-trace/git-trace/refs/recorded"
	"github.com/git-trace/git-trace/sharing"
)

// Git has no hook after a push. The one before it starts a process that waits for the end of git. So the user's push
// takes no longer, and its result is the same.
const (
	pushLaterHook = "push-later"
	// pushLimit is the time after which that process always ends.
	pushLimit = time.Hour
)

// runPushHook returns the hook: git gives it the name of the remote (githooks(5)).
func runPushHook(args []string) int {
	_, hard := runner.Limits()
	guard := runner.Guard(hard, nil)
	defer guard()
	if len(args) == 0 || os.Getenv(sharing.Pushing) != "" {
		return exitDone
	}
	repo, err := recorded.Here()
	if err != nil {
		return exitDone
	}
	dir := cmp.Or(repo.WorkTree, repo.GitDir) // where the URL may be relative to
	runner.Background(repo, dir, repo.Env(), "git-hook", pushLaterHook, args[0], strconv.Itoa(runner.GitProcess()))
	return exitDone
}

// runPushLater returns the process that waits and shares. status reports a failure.
func runPushLater(args []string) int {
	guard := runner.Guard(pushLimit, nil)
	defer guard()
	repo, err := recorded.Here()
	if err != nil || len(args) != 2 {
		return exitDone
	}
	debug.SetGCPercent(100)
	debug.SetMemoryLimit(math.MaxInt64)
	runner.LowerPriority()
	if args[0] != "" { // else a turn has ended
		git, _ := strconv.Atoi(args[1])
		waitForGit(git)
	}
	_ = sharing.Auto(context.Background(), events.OpenLog(repo), args[0], meansToShare(repo)) // it left a note
	return exitDone
}

// waitForGit waits until git has ended, with growing pauses. If git's process is not known, it waits a moment.
func waitForGit(pid int) {
	if pid <= 0 || runtime.GOOS == "windows" {
		time.Sleep(2 * time.Second)
		return
	}
	for pause := 20 * time.Millisecond; events.ProcessLives(pid); pause = min(2*pause, time.Second) {
		time.Sleep(pause)
	}
}
