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
	// HardLimit is the time after which the process of a hook always ends: an agent waits for its hooks.
	HardLimit = 2 * time.Second
	// LimitEnv names another HardLimit, in seconds, for machines that take longer for everything.
	LimitEnv   = "GITTRACE_HOOK_SECONDS"
	maxSeconds = 600
	// ElsewhereEnv says that the machine ends with the agent's work. ElsewhereLimit is the HardLimit there.
	ElsewhereEnv   = "GITTRACE_ELSEWHERE"
	ElsewhereLimit = time.Minute
	// maxHookMemory is the memory, in bytes, from which a hook collects garbage. The process may take half as much
	// again while it does.
	maxHookMemory = 36 << 20
)

// Limits returns two times. After the first a hook puts aside its unfinished work, and after the second its process
// ends.
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

// runAgent is `git trace hook AGENT EVENT`. It never prints, never fails and never takes long: some agents feed a
// hook's output to the model, and some loop on a hook that fails.
func runAgent(args []string, in io.Reader) int {
	soft, hard := Limits()
	var current atomic.Pointer[refs.Repo]
	guard := Guard(hard, func(error) {
		if repo := current.Load(); repo != nil {
			startLater(repo) // the remaining note has the unfinished work
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
	home, _ := os.UserHomeDir() // without it, the payload's paths lead to an agent's files
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
			b.Process = 0 // it cannot be the agent's: of another name space, or inherited from another agent
		}
		if begins(b) {
			startEnrol(b.Cwd)
		}
		here := route.Find(b, around)
		others := trails.Elsewhere(b, here)
		for i, repo := range slices.Concat(here, others) {
			current.Store(repo)
			log := events.OpenLog(repo)
			tail := begins(b) && log.Unsealed() > 0
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

// announce leaves a note in the work tree of the current directory, where agents start their hooks. Reading a payload
// takes time, in which the process may be killed.
func announce() (*refs.Repo, *spool.Note) {
	repo, err := recorded.Around(".")
	if err != nil {
		return nil, nil
	}
	return repo, spool.Announce(repo, time.Now())
}

// TakeBoundary passes one boundary to the timeline. Without time for it, it puts the boundary aside for the next one.
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
		return nil // as intended; an event records it
	}
	if aside != nil {
		return errors.Join(err, aside, errLost)
	}
	return err
}

// errLost reports that a boundary was lost: it could not be taken, and could not be put aside.
var errLost = errors.New("the boundary is lost")

// Engine advances the timeline of a work tree, with the data of agents' own files.
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

// Editing returns a function that checks once whether a work tree is open in an editor whose completions are not
// reported. If the system does not show it, the answer is yes.
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

// agentNamed finds an agent, to read its own files.
func agentNamed(name string) (agents.Agent, bool) {
	home, _ := os.UserHomeDir()
	return agents.Lookup(capability.Env{Home: home, Getenv: os.Getenv}, name)
}

// Settler asks an agent's transcript how a call ended that never reported back.
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

// errHard reports that the time limit ended the process of a hook.
var errHard = fmt.Errorf("hard limit: %w", context.DeadlineExceeded)

// Guard arms the hard limit and turns a panic into silence. The caller defers the returned function. If ended is not
// nil, it is called before the limit ends the process, in parallel to its work.
func Guard(limit time.Duration, ended func(error)) func() {
	debug.SetGCPercent(-1) // the process ends before a collection would pay
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

// maxHookLog bounds the file that doctor reads, in bytes.
const maxHookLog = 64 << 10

// NoteFailure leaves a line for `git trace doctor`, if it can, without a payload. It needs a repository.
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

// oneLine puts foreign text on one line, without characters that act on a terminal.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, text)
}

// EnrolHook, as the name of a hook, starts the process that records a new repository.
const EnrolHook = "enrol"

// startEnrol starts that process when the user starts or prompts an agent, if they ran `git trace setup` and the
// repository is not recorded. The process decides whether the user wants it.
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
