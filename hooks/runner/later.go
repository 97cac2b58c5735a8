package runner

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"github.com/git-trace/git-trace/correlate"
	"github.com/git-trace/git-trace/correlate/later"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/recorded"
	"github.com/git-trace/git-trace/trails"
	"github.com/git-trace/git-trace/trails/snapshot"
)

// `git trace git-hook later` is a background process for work for which a hook has no time: the first snapshot of a
// work tree with thousands of new files, and the anchors of a commit with thousands of changes.
const (
	// LaterHook is the hook name that starts the process `later`.
	LaterHook = "later"
	// laterLimit is the time after which that process always ends.
	laterLimit = 10 * time.Minute
)

// busyLimit returns how long a hook tries to take the timeline while the background process is running, which holds it
// most of the time. The parameter `limit` is the usual time. The result is ten times as long as a hook usually takes.
func busyLimit(limit time.Duration) time.Duration { return limit / 8 }

// MostChanges limits the number of changed files that a hook handles, which takes about half a second. The background
// process handles more.
const MostChanges = 2000

// wantsTime reports whether a hook failed only because it had too little time.
func wantsTime(err error) bool {
	for _, want := range []error{context.DeadlineExceeded, correlate.ErrLarge, snapshot.ErrMany} {
		if errors.Is(err, want) {
			return true
		}
	}
	return false
}

// putOff adds a git hook that needs more time to the queue, and starts the background process. It reports whether it
// succeeded.
func putOff(repo *refs.Repo, job later.Job, why error) bool {
	switch {
	case wantsTime(why):
		job.Why = later.TooMuch
	case errors.Is(why, refs.ErrLockTimeout):
		job.Why = later.Locked
	case errors.Is(why, trails.ErrBehind):
		job.Why = later.Behind
	default:
		return false
	}
	if err := later.Open(repo).Add(job); err != nil {
		NoteFailure(repo, err)
		return false
	}
	startLater(repo)
	return true
}

// startLater starts the background process, unless it is running.
func startLater(repo *refs.Repo) {
	queue := later.Open(repo)
	if queue.Busy() {
		return // it checks the queue again before it ends
	}
	if !Background(repo, repo.WorkTree, repo.Env(), "git-hook", LaterHook, strconv.Itoa(os.Getpid())) {
		return
	}
	for range 50 { // wait until it has begun: following hooks must leave the work to it
		if queue.Busy() {
			return
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// runLater is the background process. The parameter `args` has the id of the process that started it. The work that
// this process leaves counts only after it has ended.
func runLater(args []string) int {
	guard := Guard(laterLimit, nil)
	defer guard()
	repo, err := recorded.Here()
	if err != nil {
		return 0
	}
	debug.SetGCPercent(200) // it processes thousands of files
	debug.SetMemoryLimit(math.MaxInt64)
	ctx, cancel := context.WithTimeout(context.Background(), laterLimit*9/10)
	defer cancel()
	if err := DoLater(ctx, repo, sync.OnceFunc(func() { waitForEnd(args) })); err != nil {
		NoteFailure(repo, fmt.Errorf("later: %w", err))
	}
	startUpkeep(repo)
	return 0
}

// DoLater does all waiting work of a work tree, unless another process is doing it. It calls the function `wait` before
// each job.
func DoLater(ctx context.Context, repo *refs.Repo, wait func()) error {
	log := &committedLog{Log: events.OpenLog(repo)}
	defer func() {
		log.noteConversations(repo)
		if !tellRecords(repo, LaterHook, len(log.anchors) > 0) {
			Seal(ctx, repo)
		}
	}()
	engine := func() *trails.Engine {
		e := Engine(repo, log)
		e.Patient = true
		return e
	}
	do := func(job later.Job) error {
		wait()
		return takeLater(ctx, repo, log, engine(), job)
	}
	rest := func() error {
		wait()
		return engine().CatchUp(ctx, time.Now())
	}
	return later.Open(repo).Work(ctx, do, rest, func() bool { return engine().Behind() })
}

// waitForEnd waits a short time for another process to end.
func waitForEnd(args []string) {
	const step, most = 5 * time.Millisecond, 2 * time.Second
	if len(args) == 0 {
		return
	}
	pid, err := strconv.Atoi(args[0])
	for waited := time.Duration(0); err == nil && pid > 0 && waited < most && events.ProcessLives(pid); waited += step {
		time.Sleep(step)
	}
}

// takeLater does the work for which a hook had no time. The hook left a note that git wrote to the work tree
// (trails.Engine.Touched).
func takeLater(ctx context.Context, repo *refs.Repo, log *committedLog, engine *trails.Engine, job later.Job) error {
	now := time.Now()
	switch job.Hook {
	case "post-commit", "post-applypatch", "post-merge":
		if job.Commit.IsZero() {
			return engine.CatchUp(ctx, now)
		}
		return correlate.Later(ctx, repo, engine, job.Commit, job.From, now)
	case "post-checkout":
		return engine.CatchUp(ctx, now)
	case "post-rewrite":
		return correlate.Rewritten(ctx, log, repo, engine, rewriteKind(job.Args), job.Pairs, now)
	}
	return nil
}

// about returns the commit that a git hook is about, or the zero id.
func about(repo *refs.Repo, hook string) refs.OID {
	switch hook {
	case "post-commit", "post-applypatch":
		head, _, _ := repo.Head() // without HEAD, there is no commit
		return head
	case "post-merge":
		return correlate.JustMade(repo)
	}
	return refs.OID{}
}
