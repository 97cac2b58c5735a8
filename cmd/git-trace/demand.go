package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/sharing"
	"github.com/git-trace/git-trace/view/lookup"
)

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
