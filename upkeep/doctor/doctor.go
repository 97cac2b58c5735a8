// Package doctor checks everything that recording depends on, and repairs it if it can.
//
// Glance makes the quick checks of `git trace status`. Examine makes all checks of one table. A check returns a
// description of the good state, or findings. A finding may have a repair. Notes returns facts that are not faults. The
// package draws nothing. Only repairs change anything.
package doctor

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/hooks"
	"github.com/git-trace/git-trace/records/waiting"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/recorded"
)

// Finding is a fault.
type Finding struct {
	What string  `json:"what"`
	Mend string  `json:"mend"` // a command or another remedy
	fix  *repair // nil if only the user can mend it

	agents []string // the agents that it is about, if any
}

// repair removes the cause of one or more findings.
type repair struct {
	what string // description for the output after the repair
	run  func(ctx context.Context) error
}

// Deeds holds functions of the program for repairs and checks.
type Deeds struct {
	Start  func(context.Context) error                    // starts recording, as init does
	TakeIn func(context.Context) error                    // does the work that git's hooks left for later
	Store  func(context.Context, []waiting.Session) error // stores conversations from the session files of their agents
	// Settings returns an error if the settings prevent that conversations are stored. The error says why.
	Settings func(refs.Config) (mend string, err error)
	// Strays finds data that was fetched from remotes which no longer exist under that name.
	Strays func(context.Context) ([]Stray, error)
	Gather func(context.Context) error // moves this data to the renamed remotes, or deletes it
	// Remotes returns news about the remotes, according to the sharing level.
	Remotes func(context.Context, time.Time) ([]string, error)
	// Wrong finds settings with invalid values, and unknown settings.
	Wrong func(context.Context, refs.Config) []Finding
}

// Stray is a remote that was renamed or removed, and whose fetched refs are still here.
type Stray struct {
	Remote string // the former name
	Now    string // the present name; empty if it was removed
	Logs   int
}

// Doctor checks one work tree.
type Doctor struct {
	repo      *refs.Repo
	env       capability.Env
	deeds     Deeds
	log       *events.Log
	hooks     hooks.Installer
	agents    []capability.Agent // agents that can have hooks
	reinstall *repair            // repair for the git hooks
}

// New makes a doctor for a work tree. It checks nothing yet.
func New(repo *refs.Repo, env capability.Env, deeds Deeds) *Doctor {
	d := &Doctor{
		repo: repo, env: env, deeds: deeds, log: events.OpenLog(repo), agents: agents.Installable(env),
		hooks: hooks.Installer{Repo: repo, Binary: env.Binary},
	}
	d.reinstall = &repair{"git hooks are installed again", func(ctx context.Context) error {
		_, err := d.hooks.Install(ctx)
		return err
	}}
	return d
}

// check is one check.
type check struct {
	name string
	run  func(*Doctor, context.Context) (fine string, problems []Finding)
	// reads marks a check that is also made without recording, if other clones' logs were fetched.
	reads bool
}

// checks lists the checks in the order of their dependencies. If nothing is recorded, only the first check is made, and
// the checks marked with reads.
var checks = [...]check{
	{name: "recording", run: (*Doctor).checkListed},
	{name: "git directory", run: (*Doctor).checkWritable},
	{name: "locks", run: (*Doctor).checkLocks, reads: true},
	{name: "git hooks", run: (*Doctor).checkHooks},
	{name: "agents", run: (*Doctor).checkAgents},
	{name: "work tree", run: (*Doctor).checkTimeline},
	{name: "waiting", run: (*Doctor).checkSpool},
	{name: "log", run: (*Doctor).checkLog},
	{name: "read cache", run: (*Doctor).checkIndex, reads: true},
	{name: "records", run: (*Doctor).checkRecords},
	{name: "settings", run: (*Doctor).checkSettings},
}

// Result is the result of a check.
type Result struct {
	Name   string
	Fine   string    // description of the good state; empty: print nothing
	Mended []Finding // Mend says what was repaired
	Left   []Finding
}

// Examine makes every check and passes each result to the function `tell`. If mend is set, it makes the repairs. It
// returns the number of remaining problems. If recording is false, nothing is recorded, and the checks of recording
// were left out.
func (d *Doctor) Examine(ctx context.Context, mend bool, tell func(Result) error) (
	remain int, recording bool, err error,
) {
	recording = true
	for i, one := range checks {
		if !recording && !(one.reads && d.log.MayHaveFetched()) {
			continue
		}
		result := d.examine(ctx, one, mend)
		if result.Fine == "" && len(result.Mended)+len(result.Left) == 0 {
			continue
		}
		if err := tell(result); err != nil {
			return remain, recording, err
		}
		if remain += len(result.Left); i == 0 {
			recording = recorded.Is(d.repo)
		}
	}
	return remain, recording, nil
}

func (d *Doctor) examine(ctx context.Context, one check, mend bool) Result {
	fine, problems := one.run(d, ctx)
	r := Result{Name: one.name, Fine: fine, Left: problems}
	if len(problems) == 0 || !mend {
		return r
	}
	r.Left = nil
	tried := map[*repair]error{}
	for _, p := range problems {
		if p.fix == nil {
			r.Left = append(r.Left, p)
			continue
		}
		err, done := tried[p.fix]
		if !done {
			err = p.fix.run(ctx)
			tried[p.fix] = err
		}
		if err != nil {
			r.Left = append(r.Left, Finding{What: p.What + "; it could not be mended: " + err.Error()})
			continue
		}
		r.Mended = append(r.Mended, Finding{What: p.What, Mend: p.fix.what})
	}
	if len(r.Left) == 0 { // the repair succeeded
		_, r.Left = one.run(d, ctx)
	}
	return r
}

// shorten returns a path relative to the top of the work tree, or to the person's home.
func (d *Doctor) shorten(path string) string { return shortPath(path, d.repo.WorkTree, d.env.Home) }

func shortPath(path, top, home string) string {
	for _, from := range [...]struct{ prefix, short string }{{top, ""}, {home, "~/"}} {
		if rest, ok := strings.CutPrefix(path, from.prefix+string(filepath.Separator)); ok && from.prefix != "" {
			return from.short + filepath.ToSlash(rest)
		}
	}
	return path
}
