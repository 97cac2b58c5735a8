package main

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/hooks"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/recorded"
)

// finding is something that is not as it should be.
type finding struct {
	What string  `json:"what"`
	Mend string  `json:"mend"` // a command, or what else to do
	fix  *repair // nil for what only the user can mend
}

// repair mends what may be the cause of several findings.
type repair struct {
	what string // in words, when done
	run  func(ctx context.Context) error
}

// health looks at what recording depends on. It changes nothing but by a repair.
type health struct {
	repo      *refs.Repo
	log       *events.Log
	hooks     hooks.Installer
	agents    []capability.Agent
	env       capability.Env
	shorten   func(path string) string
	reinstall *repair // of the git hooks
}

func (a *app) health(repo *refs.Repo) (*health, error) {
	env, err := capability.SystemEnv()
	if err != nil {
		return nil, err
	}
	h := &health{env: env, repo: repo, log: events.OpenLog(repo), hooks: hooks.Installer{Repo: repo, Binary: env.Binary}}
	for _, agent := range agents.All(env) {
		if agent.Installer != nil {
			h.agents = append(h.agents, agent)
		}
	}
	h.shorten = func(path string) string { return shortPath(path, repo.WorkTree, env.Home) }
	h.reinstall = &repair{"git hooks are installed again", func(ctx context.Context) error {
		_, err := h.hooks.Install(ctx)
		return err
	}}
	return h, nil
}

// shortPath is a path as people say it: from the top of the work tree, or from their home.
func shortPath(path, top, home string) string {
	for prefix, short := range map[string]string{top: "", home: "~/"} {
		if rest, ok := strings.CutPrefix(path, prefix+string(filepath.Separator)); ok && prefix != "" {
			return short + filepath.ToSlash(rest)
		}
	}
	return path
}

// targetHealth is how the hooks of an agent stand in one place.
type targetHealth struct {
	Scope capability.Scope `json:"scope"`
	capability.Status
	Error string `json:"error,omitempty"`

	err error
}

// touched tells whether anything of ours is there.
func (t *targetHealth) touched() bool { return len(t.Present)+len(t.Stale) > 0 }

// works tells whether the agent calls this program.
func (t *targetHealth) works() bool {
	return t.err == nil && t.Installed && t.BinaryFound && len(t.DisabledBy)+len(t.Obstacles) == 0
}

// agentHealth is how the hooks of an agent stand.
type agentHealth struct {
	Name    string         `json:"name"`
	Traced  bool           `json:"traced"`
	Targets []targetHealth `json:"targets"`

	agent capability.Agent
}

// label is the agent's name, and where it is not traced.
func (one *agentHealth) label() string {
	for i := range one.Targets {
		if t := &one.Targets[i]; t.works() && !t.OnlyAtTop {
			return one.Name
		}
	}
	return one.Name + " (only where it is started at the top of the work tree: git trace init --agent " + one.Name +
		" --global serves sub-directories too)"
}

func (h *health) agentsHealth(ctx context.Context) []agentHealth {
	out := make([]agentHealth, 0, len(h.agents))
	for _, agent := range h.agents {
		one := agentHealth{Name: agent.Name, agent: agent, Targets: []targetHealth{}}
		for _, scope := range []capability.Scope{capability.ScopeRepo, capability.ScopeProject, capability.ScopeUser} {
			t := targetHealth{Scope: scope}
			if t.Status, t.err = agent.Installer.Status(ctx, h.target(scope)); t.err != nil {
				t.Error = t.err.Error()
			}
			if slices.ContainsFunc(one.Targets, func(other targetHealth) bool {
				return other.Settings == t.Settings &&
					t.Settings != ""
			}) {
				continue // one file serves a person and a project
			}
			one.Traced = one.Traced || t.works()
			one.Targets = append(one.Targets, t)
		}
		out = append(out, one)
	}
	return out
}

func (h *health) target(scope capability.Scope) capability.Target {
	return capability.Target{Scope: scope, Repo: h.repo}
}

// logHealth is where the log ends. It does not say whether the log is whole; that is for verify.
type logHealth struct {
	Events   int64     `json:"events"`
	Tip      refs.OID  `json:"tip"`
	Last     events.ID `json:"last_event"`
	LastTime time.Time `json:"last_time"`
}

// logHealth reads the last event; nil when there is no log.
func (h *health) logHealth(ctx context.Context) (*logHealth, error) {
	tip, err := h.log.Tip(refs.EventsRef)
	if err != nil || tip.IsZero() {
		return nil, err
	}
	for e, err := range h.log.Walk(ctx, events.Range{Tip: tip, Order: events.NewestFirst}) {
		if err != nil {
			return nil, err
		}
		return &logHealth{Events: e.Seq, Tip: tip, Last: e.ID, LastTime: e.Time}, nil
	}
	return nil, nil
}

// recording tells whether `git trace init` was done here and not undone.
func (h *health) recording() bool { return recorded.Is(h.repo) }
