package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-trace/git-trace/correlate/reconcile"
	"github.com/git-trace/git-trace/hooks/runner"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/records/redact"
	"github.com/git-trace/git-trace/records/redact/configured"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/report/shared"
	"github.com/git-trace/git-trace/sharing"
	"github.com/git-trace/git-trace/upkeep/keeping"
)

func pushCommand() *command {
	return &command{
		Name: "push",
		Does: "let others see who wrote the lines of published commits",
		Form: "git trace push [<remote>] [--to <level>] [--dry-run] [--review] [--no-verify] [--json]\n" +
			"git trace push --rebuild-digest [--dry-run] [--no-verify] [--json] [<remote>]\n" +
			"git trace push --retract [--records] [<remote>]\n" +
			"git trace push --adopt <id>… [--dry-run] [--no-verify] [<remote>]",
		About: "Sends recorded data to a remote, apart from its branches. First it lists the data that would\n" +
			"leave. If no level was chosen for this remote yet, it asks. remote.<name>.traceShare keeps the\n" +
			"answer for the present URL of the remote; nothing is sent to another URL. Nothing is pushed\n" +
			"automatically, unless trace.autoPush is true.\n\n" +
			"commits: the owners of the lines of each recorded commit that the remote has: paths, line\n" +
			"numbers, agent, model, number and time of the prompt.\n" +
			"Texts of prompts and answers, unpublished commits and other files stay here.\n" +
			"conversations: also the texts of the conversations that wrote these lines, redacted once more\n" +
			"before they leave.\n" +
			"log: also the whole event log, with the names of all files, the times of all calls, and discarded\n" +
			"work.\n\n" +
			"--rebuild-digest publishes the present state in place of all that was published. Use it after you\n" +
			"have removed a path from the history of all branches. Readers see a message. --adopt publishes a\n" +
			"digest that another clone published elsewhere, for instance in a fork, and that you pulled. That\n" +
			"clone must allow it with trace.allowAdopt.\n\n" +
			"The exit status is 1 when the push is refused, 2 when the remote was not reached.",
		Options: options("to", "dry-run", "review", "no-verify", "rebuild-digest", "retract", "records", "adopt", "json"),
		Examples: []example{
			{"git trace push --dry-run origin", "what would leave, and what stays here"},
			{"git trace push --to commits origin", "let others see who wrote the published lines"},
		},
		Run:    (*app).push,
		Traits: common,
		Tries:  []string{"--dry-run origin", "", "origin", "--to commits origin"},
	}
}

// push adopts publications, retracts its own, or sends a plan.
func (a *app) push(c *call, ops operands) error {
	to, err := a.destination(c, ops)
	if err != nil {
		return err
	}
	do := a.plannedPush
	switch {
	case len(c.StringSlice("adopt")) > 0:
		do = a.adopt
	case c.Bool("retract"):
		do = a.retract
	}
	return do(c, to)
}

// plannedPush makes a plan, and shows or sends it.
func (a *app) plannedPush(c *call, to destination) error {
	p, err := a.planPush(c, to)
	if err != nil {
		return err
	}
	defer p.Close()
	var sent []sharing.Pushed
	switch {
	case c.Bool("review"):
		return shared.Review(terminal.Quietly(a.std.out), p)
	case c.Bool("dry-run"):
		if !c.Bool("json") {
			shared.Plan(terminal.Quietly(a.std.out), p)
		}
	default:
		var agreed bool
		if sent, agreed, err = a.sendPlan(c, to, p); err != nil || !agreed {
			return err
		}
	}
	switch {
	case c.Bool("json"):
		err = writeJSON(terminal.Quietly(a.std.out), shared.PushOf(p, sent, c.Bool("dry-run")))
	case !c.Bool("dry-run"):
		shared.Pushed(terminal.Quietly(a.std.out), p, sent)
	}
	for _, k := range p.Records.Kept {
		if k.Fault && err == nil {
			err = exit.Fail(exit.Finding, fmt.Errorf("%s was not sent: %s", k.Trace, k.Why), "the others were")
		}
	}
	return err
}

// planPush makes a plan that adds to the publication on the remote, or starts it again.
func (a *app) planPush(c *call, to destination) (*sharing.Plan, error) {
	level := sharing.Level(c.String("to"))
	switch {
	case level == "" && to.remote.Share != sharing.LevelNone:
		level = to.remote.Share
	case level == "":
		level = sharing.LevelCommits
	case level.Wider(sharing.LevelNone):
	default:
		return nil, exit.Usage("option '--to': '%s' is not allowed; it is commits, conversations or log", string(level))
	}
	plan := sharing.MakePlan
	if c.Bool("rebuild-digest") {
		if to.remote.Share == sharing.LevelNone {
			return nil, sharing.Explain(fmt.Errorf("%w: %s", sharing.ErrNotChosen, to.remote.Name))
		}
		plan = sharing.MakePlanAnew
	}
	p, err := plan(c.Context, to.log, to.settings, to.remote, level, meansToShare(to.log.Repo()))
	var foreign *sharing.NotOwn
	if errors.As(err, &foreign) {
		shared.Events(terminal.Quietly(a.std.err), foreign.Events)
	}
	return p, sharing.Explain(err)
}

// sendPlan sends a plan. For a remote without a level, or with a new URL, it shows the plan first, and asks.
func (a *app) sendPlan(c *call, to destination, p *sharing.Plan) (sent []sharing.Pushed, agreed bool, err error) {
	chosen := p.Level.Wider(p.Remote.Share) || p.Remote.Pinned == ""
	if chosen {
		if !c.Bool("json") {
			shared.Plan(terminal.Quietly(a.std.out), p)
		}
		if ok, err := a.agreesToPush(c, p); err != nil || !ok {
			return nil, false, err
		}
		if err := sharing.Settle(c.Context, to.log.Repo(), p.Remote.Name, p.Level, p.URL); err != nil {
			return nil, false, err
		}
	}
	if sent, err = p.Push(c.Context, !c.Bool("no-verify")); err != nil {
		a.tellRemote(err)
		return nil, false, choiceStays(sharing.Explain(err), p.Remote.Name, chosen)
	}
	return sent, true, nil
}

// meansToShare returns the functions of other packages that a push needs.
func meansToShare(repo *refs.Repo) sharing.Means {
	return sharing.Means{
		Redactor: func(ctx context.Context) (*redact.Redactor, error) { return configured.Redactor(ctx, repo) },
		Store: func(ctx context.Context) error {
			job, err := keeping.NewJob(ctx, repo)
			if err != nil {
				return fmt.Errorf("%w: %w", sharing.ErrUnredacted, err)
			}
			defer job.Close()
			failed, err := job.Drain(ctx, store.Patience, func(keeping.Outcome) {})
			for _, f := range failed {
				runner.NoteFailure(repo, f)
			}
			return err
		},
		Reconcile: reconcile.Remote,
	}
}

// choiceStays adds to a hint that the choice for a remote is kept, though nothing was sent.
func choiceStays(err error, remote string, chosen bool) error {
	var told *exit.Failure
	if chosen && errors.As(err, &told) {
		told.Hint += anotherHint + "the choice for " + cells.Message(remote) + " stays; git config --unset remote." +
			cells.Message(remote) + ".traceShare takes it back"
	}
	return err
}

// retract removes this clone's publications from a remote.
func (a *app) retract(c *call, to destination) error {
	gone, err := to.settings.Retract(c.Context, to.log, to.remote, c.Bool("records"))
	if err != nil {
		a.tellRemote(err)
		return sharing.Explain(err)
	}
	w := terminal.Quietly(a.std.out)
	if len(gone) == 0 {
		fmt.Fprintf(w, "%s has nothing of that\n", cells.Message(to.remote.Name))
		return nil
	}
	for _, r := range gone {
		fmt.Fprintf(w, "taken off %s: %s\n", cells.Message(to.remote.Name), cells.Message(r.Ref))
	}
	fmt.Fprint(w, shared.TakenOff)
	return nil
}

// adopt passes on the publications of other clones.
func (a *app) adopt(c *call, to destination) error {
	for _, other := range []string{"to", "review", "retract", "records", "json"} {
		if c.IsSet(other) {
			return exit.Usage("options '--adopt' and '--%s' exclude each other", other)
		}
	}
	k, err := sharing.PlanAdopt(c.Context, to.log, to.settings, to.remote, c.StringSlice("adopt"))
	if err != nil {
		a.tellRemote(err)
		return sharing.Explain(err)
	}
	defer k.Close()
	w := terminal.Quietly(a.std.out)
	fmt.Fprintf(w, "to %s (%s); whoever can read it will read this\n", cells.Message(to.remote.Name),
		cells.Message(sharing.Bare(k.URL)))
	shared.Kept(w, k)
	if c.Bool("dry-run") {
		return nil
	}
	if terminal.Is(a.std.err) && !a.asks("pass that on?") { // naming the clones is consent
		fmt.Fprintln(a.std.err, "nothing was sent")
		return nil
	}
	return a.keep(c, k, "adopted")
}

// agreesToPush asks the person. Without a terminal, --to with the level is the consent. A server may forbid things that
// cannot be known before, so the text says what a retraction needs.
func (a *app) agreesToPush(c *call, p *sharing.Plan) (bool, error) {
	if p.Remote.Share == sharing.LevelNone {
		fmt.Fprintln(a.std.err, "git-trace: hint: git trace push --retract takes it back, unless the server forbids "+
			"rewinding and deleting refs")
	}
	if !terminal.Is(a.std.err) {
		if c.IsSet("to") {
			return true, nil
		}
		return false, exit.Fail(exit.Misuse,
			fmt.Errorf("no level was chosen for %s, and there is no terminal to ask on", p.Remote.Name),
			"git trace push "+p.Remote.Name+" --to commits chooses without asking; --dry-run says what would leave")
	}
	yes := a.asks("send that, now and with each later git trace push?")
	if !yes {
		fmt.Fprintln(a.std.err, "nothing was sent")
	}
	return yes, nil
}

// tellRemote prints the lines that the remote's server wrote.
func (a *app) tellRemote(err error) {
	var remote *sharing.RemoteError
	if !errors.As(err, &remote) {
		return
	}
	for _, line := range remote.Lines {
		fmt.Fprintf(a.std.err, "git: %s\n", cells.Message(line))
	}
}
