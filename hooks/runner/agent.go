package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/editors"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/correlate/later"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/fault"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/recorded"
	"github.com/git-trace/git-trace/trails"
	"github.com/git-trace/git-trace/trails/process"
	"github.com/git-trace/git-trace/trails/route"
	"github.com/git-trace/git-trace/trails/spool"
)

const (
	// HardLimit is the time after which the process of a hook always ends, because an agent waits for its hooks.
	HardLimit = 2 * time.Second
	// LimitEnv is a variable that replaces HardLimit, in seconds, for slow machines.
	LimitEnv   = "GITTRACE_HOOK_SECONDS"
	maxSeconds = 600
	// ElsewhereEnv is a variable that says that the machine will be deleted after the agent's work. ElsewhereLimit is the
	// HardLimit on such a machine.
	ElsewhereEnv   = "GITTRACE_ELSEWHERE"
	ElsewhereLimit = time.Minute
	// maxHookMemory is the memory, in bytes, from which a hook collects garbage. During the collection the process may
	// need half as much again.
	maxHookMemory = 36 << 20
)

// Limits returns two times. After soft a hook stores its unfinished work for later, and after hard its process ends.
func Limits() (soft, hard time.Duration) {
	hard = HardLimit
	if elsewhere() {
		hard = ElsewhereLimit
	}
	if n, err := strconv.Atoi(os.Getenv(LimitEnv)); err == nil && n > 0 && n <= maxSeconds {
		hard = time.Duration(n) * time.Second
	}
	return hard * 3 / 5, hard
}

// runAgent handles `git trace hook AGENT EVENT`. It never prints, never fails and never takes long: some agents pass a
// hook's output to the model, and some repeat a hook that fails.
func runAgent(args []string, in io.Reader) int {
	soft, hard := Limits()
	var current atomic.Pointer[refs.Repo]
	guard := Guard(hard, func(error) {
		if repo := current.Load(); repo != nil {
			startLater(repo) // the note that remains describes the unfinished work
		}
	})
	defer guard()
	if len(args) < 2 {
		return 0
	}
	ctx, cancel := context.WithTimeout(context.Background(), soft)
	defer cancel()
	around, note := announce()
	defer note.End()
	sent, err := payload.Read(in)
	if err != nil {
		return 0
	}
	home, _ := os.UserHomeDir() // without it, paths in the payload lead to files of the agent
	env := capability.Env{Home: home, Getenv: os.Getenv, Environ: os.Environ}
	agent, found := agents.Lookup(env, args[0])
	if !found || agent.Decoder == nil {
		return 0
	}
	boundaries, err := agent.Decoder.Decode(args[1], sent)
	if err != nil {
		NoteFailure(nil, fmt.Errorf("%s %s: %w", agent.Name, args[1], err))
		return 0
	}
	for _, b := range boundaries {
		b.Parent, b.Moment = process.Starter(), process.Self()
		if b.Process != b.Parent && !process.Ancestor(b.Process) {
			b.Process = 0 // it cannot be the agent: it is from another PID name space, or inherited from another agent
		}
		if begins(b) {
			startEnrol(b.Cwd)
		}
		here := route.Find(b, around)
		others := trails.Elsewhere(b, here)
		for i, repo := range slices.Concat(here, others) {
			current.Store(repo)
			log := events.OpenLog(repo)
			tail := begins(b) && log.LeftUnsealed()
			engine := Engine(repo, log)
			engine.Announced, engine.Elsewhere = note, len(others) > 0
			if err := TakeBoundary(ctx, repo, engine, b); err != nil {
				if wantsTime(err) {
					startLater(repo)
				} else {
					NoteFailure(repo, fmt.Errorf("%s %s: %w", agent.Name, args[1], err))
				}
				if errors.Is(err, errLost) {
					call := b.Kind == events.ToolAfter || b.Kind == events.ToolFailed
					recorded.NoteMissed(repo.GitDir, recorded.WhyUnwritten, call)
				}
			}
			if i >= len(here) || !noteConversation(repo, agent, b) || !startRecorder(repo) {
				startSeal(repo, ends(b) || tail)
			}
			startUpkeep(repo)
			if i < len(here) && (ends(b) || b.Kind == events.ToolAfter && elsewhere() && committed(repo)) {
				publish(repo)
			}
		}
	}
	return 0
}

// announce leaves a note in the work tree of the current directory, in which agents start their hooks. The process may
// be killed while it reads a payload.
func announce() (*refs.Repo, *spool.Note) {
	repo, err := recorded.Around(".")
	if err != nil {
		return nil, nil
	}
	return repo, spool.Announce(repo, time.Now())
}

// TakeBoundary adds one boundary to the timeline. If there is no time for it, it stores the boundary for the next hook.
func TakeBoundary(ctx context.Context, repo *refs.Repo, engine *trails.Engine, b events.Boundary) error {
	engine.Most = MostChanges
	if later.Open(repo).Busy() {
		soft, _ := Limits()
		short, cancel := context.WithTimeout(ctx, busyLimit(soft))
		defer cancel()
		ctx, engine.GivesWay = short, true
	}
	err := engine.Handle(ctx, b)
	if err == nil {
		return nil
	}
	soft, hard := Limits()
	glance, cancel := context.WithTimeout(context.Background(), (hard-soft)/2)
	defer cancel()
	aside := engine.Late(glance, b)
	if engine.GivesWay && aside == nil {
		return nil // intended; an event records it
	}
	if aside != nil {
		return errors.Join(err, aside, errLost)
	}
	return err
}

// errLost reports that a boundary was lost: it could not be added to the timeline, and could not be stored.
var errLost = errors.New("the boundary is lost")

// Engine returns an engine for the timeline of a work tree. It can also read agents' own files.
func Engine(repo *refs.Repo, log trails.Log) *trails.Engine {
	engine := trails.New(repo, log, Settler())
	engine.Earlier, engine.Editing = earlierPrompts, Editing(repo)
	engine.Beside = func(name string) bool {
		agent, found := agentNamed(name)
		if !found || agent.Installer == nil {
			return false
		}
		return slices.ContainsFunc([]capability.Scope{capability.ScopeRepo, capability.ScopeProject, capability.ScopeUser},
			func(scope capability.Scope) bool {
				status, err := agent.Installer.Status(context.Background(), capability.Target{Scope: scope, Repo: repo})
				return err == nil && len(status.Foreign) > 0
			})
	}
	return engine
}

// Editing returns a function that checks, once, whether an editor whose completions are not reported has a work tree
// open. If the system does not show this, the result is true.
func Editing(repo *refs.Repo) func() bool {
	return sync.OnceValue(func() bool {
		home, _ := os.UserHomeDir()
		env := capability.Env{Home: home, Getenv: os.Getenv}
		return slices.ContainsFunc(editors.Untold(env, repo.WorkTree), func(e editors.Editor) bool {
			switch process.See(repo.WorkTree, e.Runs) {
			case process.HasOpen, process.NotShown:
				return true
			case process.Running:
				return e.HasOpen(repo.WorkTree)
			case process.Absent:
			}
			return false
		})
	})
}

// agentNamed finds an agent by its name, to read its files.
func agentNamed(name string) (agents.Agent, bool) {
	home, _ := os.UserHomeDir()
	return agents.Lookup(capability.Env{Home: home, Getenv: os.Getenv}, name)
}

// Settler returns a function that finds in an agent's transcript how a call ended, if no hook reported its end.
func Settler() trails.Settler {
	return func(w trails.Window) trails.End {
		agent, found := agentNamed(w.Call.Agent)
		if !found || agent.Decoder == nil {
			return trails.End{}
		}
		return agent.Decoder.Settle(capability.Call{
			Transcript: w.Call.Transcript, Subagent: w.Call.Subagent, CallID: w.Call.ID, Class: w.Call.Class,
			Background: w.Run.Background,
		})
	}
}

// errHard says that the time limit ended the process of a hook.
var errHard = fmt.Errorf("hard limit: %w", context.DeadlineExceeded)

// Guard starts the timer of the hard limit, and makes a panic end the process silently. The caller must defer the
// returned function. If the function `ended` is not nil, it is called before the limit ends the process, while the work
// may still be running.
func Guard(limit time.Duration, ended func(error)) func() {
	debug.SetGCPercent(-1) // the process ends before garbage collection is worth its cost
	debug.SetMemoryLimit(maxHookMemory)
	timer := time.AfterFunc(limit, fault.In(func() {
		if ended != nil {
			ended(errHard)
		}
		os.Exit(0)
	}))
	return func() {
		timer.Stop()
		if r := recover(); r != nil {
			NoteFailure(nil, fmt.Errorf("panic: %v", r))
			os.Exit(0)
		}
	}
}

// maxHookLog limits the size, in bytes, of the file that doctor reads.
const maxHookLog = 64 << 10

// NoteFailure appends a line for `git trace doctor`, if it can. The line has no payload. It needs a repository.
func NoteFailure(repo *refs.Repo, err error) {
	if repo == nil {
		return
	}
	name := repo.HookLog()
	if info, statErr := os.Stat(name); statErr == nil && info.Size() > maxHookLog {
		_ = os.Rename(name, name+".old")
	}
	f, openErr := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if openErr != nil {
		return
	}
	defer f.Close()
	fmt.Fprintf(f, "%s %s\n", time.Now().UTC().Format(time.RFC3339), oneLine(err.Error()))
}

// oneLine puts foreign text on one line, and removes control characters.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, text)
}

// EnrolHook is the hook name that starts the process that adds a new repository to the list.
const EnrolHook = "enrol"

// startEnrol starts the process that adds a new repository to the list, when the user starts or prompts an agent, if
// they ran `git trace setup` and the repository is not recorded. The process decides whether the configuration asks for
// it.
func startEnrol(dir string) {
	if dir == "" || !recorded.Enrols() {
		return
	}
	found, err := refs.FindHook(dir)
	if err != nil || recorded.Holds(found) {
		return
	}
	Background(nil, found.Top, withoutGit(os.Environ()), "git-hook", EnrolHook)
}
