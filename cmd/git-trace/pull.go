package main

import (
	"context"
	"fmt"

	"github.com/git-trace/git-trace/correlate"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/report/shared"
	"github.com/git-trace/git-trace/sharing"
)

// pullSchema names the form of the JSON output; docs/schema/pull-1.schema.json describes it.
const pullSchema = "git-trace.pull/1"

func pullCommand() *command {
	return &command{
		Name: "pull",
		Does: "fetch what other clones have published",
		Form: "git trace pull [<remote> | <url>]… [--records] [--log] [--writer <id>]… [--accept <id>]… " +
			"[--configure | --unconfigure] [--dry-run] [--json]\n" +
			"git trace pull --own [--dry-run] [--yes] [<remote>]",
		About: "Fetches what other clones published about the owners of lines. All commands read it, but records\n" +
			"of this clone override it. Without a remote it asks the remotes that traces were fetched from or\n" +
			"pushed to, or the only one. It checks each log and leaves out an unsound one; then the exit status\n" +
			"is 1. It is 2 when a remote was not reached. If a log has lost events, the former version is kept;\n" +
			"--accept takes the new one. --own is for a clone that was restored from a backup: it reads from\n" +
			"the remote what this clone published later, and gives the clone a new id. It first shows events\n" +
			"without your signature, and asks.",
		Options: options("records", "log", "writer", "accept", "own", "configure", "unconfigure", "dry-run", "yes",
			"json"),
		Examples: []example{
			{"git trace pull origin", "the owners of lines that others have published"},
		},
		Run:    (*app).pull,
		Traits: common | bounded,
		Tries:  []string{"--dry-run origin", "", "origin", "--configure --unconfigure"},
	}
}

func (a *app) pull(c *call, ops operands) error {
	repo, err := a.repo()
	if err != nil {
		return err
	}
	s, err := sharing.ReadSettings(c.Context, repo)
	if err != nil {
		return err
	}
	if c.Bool("configure") && c.Bool("unconfigure") {
		return exit.Usage("options '--configure' and '--unconfigure' exclude each other")
	}
	sources := s.Sources()
	if names := ops.All(); len(names) > 0 {
		sources = nil
		for _, name := range names {
			r, err := s.Source(name)
			if err != nil {
				return sharing.Explain(err)
			}
			sources = append(sources, r)
		}
	}
	switch {
	case len(sources) > 0:
	case s.NoRemotes():
		return sharing.Explain(sharing.ErrNoneThere)
	default:
		return exit.Fail(exit.Misuse, sharing.ErrNoRemote,
			"git remote -v lists the remotes; git trace pull <remote> names one")
	}
	log := events.OpenLog(repo)
	what := sharing.What{
		Writers: c.StringSlice("writer"), Records: c.Bool("records"), Log: c.Bool("log"), Dry: c.Bool("dry-run"),
		Accept: c.StringSlice("accept"),
	}
	if what.Most, err = s.MostFetched(); err != nil {
		return exit.Usage("%s", err)
	}
	if c.Bool("own") {
		return a.pullOwn(c, log, s, sources, what.Most)
	}
	out := pullJSON{Schema: pullSchema, DryRun: what.Dry, Remotes: []*sharing.Pulled{}}
	left, changed := 0, 0
	for _, r := range sources {
		if c.Bool("configure") || c.Bool("unconfigure") {
			if r.Name != r.Label {
				return exit.Usage("a URL has no configuration; git remote add gives it a name")
			}
			if err := sharing.Configure(c.Context, repo, s, r, c.Bool("configure")); err != nil {
				return err
			}
		}
		pulled, err := sharing.Pull(c.Context, log, r, what)
		if err != nil {
			a.tellRemote(err)
			return sharing.Explain(err)
		}
		out.Remotes = append(out.Remotes, pulled)
		if !c.Bool("json") {
			shared.Pulled(terminal.Quietly(a.std.out), pulled)
			a.tellElsewhere(r, pulled)
		}
		left += pulled.LeftOut() + len(pulled.Doubts)
		changed += pulled.Changed
	}
	if changed > 0 && !what.Dry {
		if err := correlate.KnowFetched(c.Context, log); err != nil {
			return err
		}
	}
	if !what.Dry && !c.Bool("json") {
		if err := a.offerTexts(c.Context, log, s, sources, out.Remotes); err != nil {
			return err
		}
	}
	if c.Bool("json") {
		if err := writeJSON(terminal.Quietly(a.std.out), out); err != nil {
			return err
		}
	}
	if left > 0 {
		return exit.Silent(exit.Finding)
	}
	return nil
}

// tellElsewhere prints a hint if the traces of a remote have another prefix than this clone's settings.
func (a *app) tellElsewhere(r sharing.Remote, p *sharing.Pulled) {
	name := cells.Message(r.Name)
	switch {
	case p.Elsewhere == "":
		return
	case r.Name != r.Label:
		name = "<name>" // a URL has no settings until git remote add names it
	}
	fmt.Fprintf(a.std.err, "git-trace: hint: it has traces below %s: git config remote.%s.tracePrefix %s\n",
		p.Elsewhere, name, p.Elsewhere)
}

// pullOwn restores this clone's lost events. It shows the events that this clone's key did not sign, and asks.
func (a *app) pullOwn(c *call, log *events.Log, s *sharing.Settings, sources []sharing.Remote,
	most int64,
) error {
	if len(sources) != 1 {
		return exit.Usage("--own asks one remote: git trace pull --own <remote>")
	}
	lost, err := sharing.FindLost(c.Context, log, s, sources[0])
	if err != nil {
		a.tellRemote(err)
		return sharing.Explain(err)
	}
	w := terminal.Quietly(a.std.out)
	fmt.Fprintf(w, "under this clone's id %s has %s that the log here lacks\n", cells.Message(sources[0].Name),
		numbers.Count(len(lost.Events), "event"))
	shared.Events(w, lost.Events)
	switch {
	case lost.Signed:
		fmt.Fprintln(w, "your key signed that")
	case c.Bool("dry-run"):
	case !c.Bool("yes"):
		ok, err := a.confirm("anybody who may push there may have written them. Did this clone write them?",
			"takes it")
		if err != nil || !ok {
			return err
		}
	}
	if c.Bool("dry-run") {
		return nil
	}
	got, err := lost.Take(c.Context, most)
	if err != nil {
		a.tellRemote(err)
		return sharing.Explain(err)
	}
	if lost.From <= lost.To {
		fmt.Fprintf(w, "events %s to %s of %s are only on %s; commands read them there, for published commits\n",
			numbers.Thousands(int(lost.From)), numbers.Thousands(int(lost.To)), got.Old, cells.Message(sources[0].Name))
	}
	fmt.Fprintf(w, "this clone now writes as %s; the log of %s is still read\n", got.New, got.Old)
	shared.Pulled(w, got.Pulled)
	return nil
}

// offerTexts asks, once in a clone, which shared texts to fetch.
func (a *app) offerTexts(ctx context.Context, log *events.Log, s *sharing.Settings, sources []sharing.Remote,
	pulled []*sharing.Pulled) error {
	_, settled := s.OnDemand()
	watched := terminal.Is(a.std.err)
	lacking, have := 0, 0
	for _, p := range pulled {
		for _, w := range p.Writers {
			if have += w.Records; w.LeftOut == "" {
				lacking += w.Shared - w.Records
			}
		}
	}
	switch {
	case settled || have > 0 || lacking == 0:
		return nil
	case !watched:
		fmt.Fprintf(a.std.err, "git-trace: hint: others share the texts of %s; git trace pull --records fetches them\n",
			numbers.Count(lacking, "conversation"))
		return nil
	}
	fmt.Fprintf(a.std.err, "others share the texts of %s. Fetch them? all now and with each pull (a),\n"+
		"each when you look at it (e), or nothing (N): ", numbers.Count(lacking, "conversation"))
	answer := a.answer()
	if err := sharing.SettleOnDemand(ctx, log.Repo(), answer == "e" || answer == "each"); err != nil {
		return err
	}
	if answer != "a" && answer != "all" {
		return nil
	}
	for _, r := range sources {
		p, err := sharing.Pull(ctx, log, r, sharing.What{Records: true})
		if err != nil {
			a.tellRemote(err)
			return sharing.Explain(err)
		}
		shared.Pulled(terminal.Quietly(a.std.out), p)
	}
	return nil
}

// pullJSON lists the results of a pull.
type pullJSON struct {
	Schema  string            `json:"schema"`
	DryRun  bool              `json:"dry_run"`
	Remotes []*sharing.Pulled `json:"remotes"`
}
