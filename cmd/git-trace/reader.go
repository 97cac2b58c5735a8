package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/hooks/runner"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/companion"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/recorded"
	"github.com/git-trace/git-trace/sharing"
	"github.com/git-trace/git-trace/upkeep/doctor"
	"github.com/git-trace/git-trace/upkeep/testimony"
	"github.com/git-trace/git-trace/view"
	"github.com/git-trace/git-trace/view/lookup"
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

// tellOffer prints the remote's publications to a user who never pulled, and reports whether there are any. With again
// false, it prints only after a new request to the remote, which happens once a day. It prints nothing if
// git-trace-serve runs the command.
func (a *app) tellOffer(repo *refs.Repo, again bool) bool {
	if os.Getenv(view.Unasked) != "" {
		return false
	}
	offer := sharing.Offered(a.life, repo, time.Now())
	if offer == nil || offer.Writers == 0 || !again && !offer.New {
		return false
	}
	fmt.Fprintf(a.std.err, "git-trace: hint: %s has traces of %s: git trace pull\n", cells.Message(offer.Remote),
		numbers.Count(offer.Writers, "clone"))
	return true
}

// errCame ends a reading after new texts arrived.
var errCame = errors.New("texts have come")

// `demanding` calls read, and calls it again if texts of conversations arrived from other clones meanwhile.
func (a *app) demanding(read func(demand lookup.Demander) error) error {
	err := read(func(ctx context.Context, repo *refs.Repo, traces ...events.TraceID) error {
		came, err := a.demand(ctx, repo, traces)
		if err == nil && came {
			err = errCame
		}
		return err
	})
	if errors.Is(err, errCame) {
		return read(func(context.Context, *refs.Repo, ...events.TraceID) error { return nil })
	}
	return err
}

// demand fetches the texts of conversations that others share, and reports whether any arrived. If texts remain
// elsewhere, it prints a hint, and the command continues without them.
func (a *app) demand(ctx context.Context, repo *refs.Repo, traces []events.TraceID) (bool, error) {
	d, err := sharing.Demand(ctx, events.OpenLog(repo), traces)
	if err != nil {
		return false, err
	}
	if len(d.Elsewhere) > 0 {
		where := cells.Message(strings.Join(d.Elsewhere, ", "))
		if d.Err != nil {
			fmt.Fprintf(a.std.err, "git-trace: hint: the texts are kept on %s, not here: %s\n", where,
				cells.Message(d.Err.Error()))
		} else {
			fmt.Fprintf(a.std.err, "git-trace: hint: the texts are kept on %s, not here; git trace pull --records "+
				"fetches all\ngit-trace: hint: with git config trace.fetchOnDemand true each one is fetched when you "+
				"look at it\n", where)
		}
	}
	return d.Got > 0, nil
}

// recorded finds the repository, and opens its conversations. The caller closes them.
func (a *app) recorded(ctx context.Context) (*refs.Repo, *lookup.Conversations, error) {
	return a.recordedIn(ctx, a.repo)
}

// recordedIn opens the repository that find returns, and its conversations, as recorded does.
func (a *app) recordedIn(ctx context.Context, find func() (*refs.Repo, error)) (*refs.Repo, *lookup.Conversations,
	error) {
	repo, err := find()
	if err != nil {
		return nil, nil, err
	}
	known, err := a.openConversations(ctx, repo)
	return repo, known, err
}

func (a *app) openConversations(ctx context.Context, repo *refs.Repo) (*lookup.Conversations, error) {
	reader, err := a.open(ctx, repo, view.Options{})
	return &lookup.Conversations{Reader: reader}, err
}

// findAll finds conversations by their ids, in the log or among the records.
func (a *app) findAll(ctx context.Context, repo *refs.Repo, ids []string) ([]events.TraceID, error) {
	known, err := a.openConversations(ctx, repo)
	if err != nil {
		return nil, err
	}
	defer known.Close()
	out := make([]events.TraceID, len(ids))
	for i, id := range ids {
		if out[i], err = known.FindTrace(id); err != nil {
			return nil, lookup.ReportAmbiguous(a.std.err, err)
		}
	}
	return out, nil
}
