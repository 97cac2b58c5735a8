package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/hooks/runner"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/recorded"
	"github.com/git-trace/git-trace/upkeep/doctor"
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
	if env, err := systemEnv(); err == nil {
		_ = (&witnesses{repo, env, mostHeard}).all(ctx)
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

// fewestDigits is the shortest abbreviation of an id, as in git.
const fewestDigits = 4

// mostCandidates limits the listed meanings of an ambiguous id.
const mostCandidates = 20

// ambiguous is the error for an id with several meanings. Like git, it lists them.
type ambiguous struct {
	id         string
	candidates []string
}

func (e *ambiguous) Error() string { return fmt.Sprintf("id '%s' is ambiguous", e.id) }

// reportAmbiguous lists the candidates of an ambiguous id, one a line, and returns the exit status. It returns other
// errors unchanged.
func reportAmbiguous(w io.Writer, err error) error {
	var several *ambiguous
	if !errors.As(err, &several) {
		return err
	}
	fmt.Fprintf(w, "git-trace: error: %s\n", cells.Message(several.Error()))
	fmt.Fprintln(w, "git-trace: hint: the candidates are:")
	for i, c := range several.candidates {
		if i == mostCandidates {
			fmt.Fprintf(w, "git-trace: hint:   and %d more\n", len(several.candidates)-i)
			break
		}
		fmt.Fprintf(w, "git-trace: hint:   %s\n", c)
	}
	return exit.Silent(exit.Git)
}

func ambiguousID(id string, found []view.Candidate) error {
	e := &ambiguous{id: id}
	var ids []string
	for _, c := range found {
		ids = append(ids, c.ID)
	}
	n := cells.UniqueLength(ids, 8)
	for _, c := range found {
		what := string(c.Kind)
		switch c.Kind {
		case view.FoundTrace:
			what = "conversation"
		case view.FoundToolCall:
			what = "tool call"
		case view.FoundPatch, view.FoundCommit, view.FoundEvent:
		}
		text := fmt.Sprintf("%s %s", cells.Safe(c.ID[:min(n, len(c.ID))]), what)
		if about := cells.Spaced(c.Event.Agent, describeEvent(c.Event)); c.Kind != view.FoundCommit && about != "" {
			text += " - " + cells.Cut(cells.Safe(about), 50)
		}
		e.candidates = append(e.candidates, text)
	}
	return e
}
