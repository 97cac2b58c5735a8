package main

import (
	"context"
	"fmt"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/hooks/runner"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/companion"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/recorded"
	"github.com/git-trace/git-trace/upkeep/doctor"
	"github.com/git-trace/git-trace/upkeep/testimony"
	"github.com/git-trace/git-trace/view"
)

// open opens the reader of a repository, shows progress, and warns about missing parts.
func (a *app) open(ctx context.Context, repo *refs.Repo, o view.Options) (*view.Reader, error) {
	a.hinted.Do(func() {
		a.hintSilence(repo)
		a.closeOverdue(repo)
	})
	shown := a.line.Progress(indexing)
	o.Indexing = shown.Bytes
	o.Show = func(work string) (view.Progress, func()) {
		shown := a.line.Progress(work)
		return shown.At, shown.Clear
	}
	reader, err := view.Open(ctx, repo, o)
	shown.Clear()
	if err != nil {
		return nil, exit.Fail(exit.Unchecked, err,
			"git trace verify names the damage; git trace rebuild makes the cache again")
	}
	for _, note := range reader.Log().Notes() {
		fmt.Fprintf(a.std.err, "git-trace: warning: %s\n", cells.Message(note))
	}
	return reader, nil
}

// overdueLimit is the longest time that a reader waits for the timeline.
const overdueLimit = time.Second

// closeOverdue closes calls with recorded changes that have ended, as the agents' own session files show. The next
// boundary closes the others.
func (a *app) closeOverdue(repo *refs.Repo) {
	if repo.Bare() || !recorded.Is(repo) {
		return
	}
	ctx, cancel := context.WithTimeout(a.life, overdueLimit)
	defer cancel()
	engine := runner.Engine(repo, events.OpenLog(repo))
	engine.Most = runner.MostChanges
	_ = engine.Overdue(ctx, time.Now())
	if env, err := companion.Env(); err == nil {
		_ = (&testimony.Witnesses{Repo: repo, Env: env, Most: testimony.MostHeard}).All(ctx)
	}
}

// hintSilence prints a hint if the repository was recorded earlier, and its hooks now do nothing.
func (a *app) hintSilence(repo *refs.Repo) {
	if !recorded.Look(repo).Mendable() {
		return
	}
	for _, f := range doctor.Silence(a.life, repo) {
		fmt.Fprintf(a.std.err, "git-trace: hint: the repository %s: %s\n", f.What, f.Mend)
	}
}

// indexing names the task in the progress: the caches of a long log take time.
const indexing = "indexing events"
