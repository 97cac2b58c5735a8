package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/sharing"
)

// silentFor is the time without a publication after which archive treats a clone as gone.
const silentFor = 30 * 24 * time.Hour

func archiveCommand() *command {
	return &command{
		name: "archive",
		does: "move the refs of inactive clones into few refs",
		form: "git trace archive [<remote>] [--until <date>] [--dry-run] [--yes] [--no-verify]\n" +
			"git trace archive [<remote>] --drop <id>… [--yes]",
		about: "Each clone has its own refs on a remote, and each git push reads all of them. archive takes the\n" +
			"clones that published nothing for 30 days, or since --until. It moves their refs into one ref of\n" +
			"this clone for each kind, and deletes them on the remote. Readers see the same as before. If such\n" +
			"a clone publishes again, it gets refs again. The remote needs a level, which git trace push asks\n" +
			"for. --drop removes a clone from this clone's archives, with its history: then nobody can read its log.",
		options: append(options("drop", "dry-run", "no-verify", "yes"), opt("until", "")),
		examples: []example{
			{"git trace archive origin --dry-run", "clones that published nothing for 30 days"},
		},
		run:   (*app).archive,
		tries: []string{"--dry-run origin", "", "origin", "--drop 0123456789abcdef --yes origin"},
	}
}

// settledRemote returns the named remote, or the default one.
func (a *app) settledRemote(c *call, ops operands) (log *events.Log, s *sharing.Settings, r sharing.Remote,
	err error) {
	if len(ops.all()) > 1 {
		return nil, nil, r, usage("unexpected argument '%s'", ops.all()[1])
	}
	repo, err := a.repo()
	if err != nil {
		return nil, nil, r, err
	}
	if s, err = sharing.ReadSettings(c.Context, repo); err != nil {
		return nil, nil, r, err
	}
	name := ""
	if len(ops.all()) == 1 {
		name = ops.all()[0]
	}
	r, err = s.Destination(name)
	if errors.Is(err, sharing.ErrNoRemote) { // a hint with all options: without them push sends
		hint := "git remote -v lists the remotes; git trace " + c.command.name + askedFor(c) + " <remote> names one"
		return nil, nil, r, fail(exitUsage, err, hint)
	}
	if err != nil {
		return nil, nil, r, explainSharing(err)
	}
	return events.OpenLog(repo), s, r, nil
}

// askedFor returns the options that make another command of a push.
func askedFor(c *call) (text string) {
	for _, option := range []string{"retract", "records", "rebuild-digest"} {
		if c.Bool(option) {
			text += " --" + option
		}
	}
	return text
}

func (a *app) archive(c *call, ops operands) error {
	log, s, remote, err := a.settledRemote(c, ops)
	if err != nil {
		return err
	}
	if len(c.StringSlice("drop")) > 0 {
		return a.dropArchived(c, log, s, remote)
	}
	since, err := gitDate(c, log.Repo(), "until")
	if err != nil {
		return err
	}
	if since.IsZero() {
		since = time.Now().Add(-silentFor)
	}
	k, err := sharing.PlanArchive(c.Context, log, s, remote, since)
	if err != nil {
		a.tellRemote(err)
		return explainSharing(err)
	}
	defer k.Close()
	w := quietWriter{a.std.out}
	if k.Left > 0 {
		fmt.Fprintf(a.std.err, "git-trace: hint: %s not sound and %s; git trace pull names them\n",
			numbers.Agree(k.Left, "1 log is", thousands(k.Left)+" logs are"), numbers.Agree(k.Left, "stays", "stay"))
	}
	if len(k.Writers) == 0 {
		fmt.Fprintf(w, "every clone on %s has published since %s\n", printable(remote.Name),
			since.Local().Format("2 Jan 2006"))
		return nil
	}
	fmt.Fprintf(w, "on %s (%s) %s published nothing since %s\n", printable(remote.Name),
		printable(sharing.Bare(k.URL)), plural(len(k.Writers), "clone"), since.Local().Format("2 Jan 2006"))
	sayKept(w, k)
	if c.Bool("dry-run") {
		return nil
	}
	if !c.Bool("yes") {
		ok, err := a.confirm("put them into archives and delete "+plural(k.Refs(), "ref")+" there?", "archives them")
		if err != nil || !ok {
			return err
		}
	}
	return a.keep(c, k, "archived")
}

// sayKept lists clones, the first of many.
func sayKept(w io.Writer, k *sharing.Keeping) {
	const most = 10
	for i, one := range k.Writers {
		if i == most {
			fmt.Fprintf(w, "  and %s more\n", thousands(len(k.Writers)-most))
			return
		}
		texts := "no texts"
		if one.Texts {
			texts = "with texts"
		}
		fmt.Fprintf(w, "  %s  %s, %s, published last on %s\n", one.Writer, plural(one.Commits, "commit"), texts,
			one.Last.Local().Format("2 Jan 2006"))
	}
}

// keep carries out the plan.
func (a *app) keep(c *call, k *sharing.Keeping, what string) error {
	if err := k.Keep(c.Context, !c.Bool("no-verify")); err != nil {
		a.tellRemote(err)
		return explainSharing(err)
	}
	fmt.Fprintf(quietWriter{a.std.out}, "%s on %s: %s\n", what, printable(k.Remote.Name), plural(len(k.Writers), "clone"))
	return nil
}

// dropArchived takes clones out of the archives.
func (a *app) dropArchived(c *call, log *events.Log, s *sharing.Settings, remote sharing.Remote) error {
	if c.Bool("dry-run") || c.IsSet("until") {
		return usage("--drop has no --dry-run and no --until")
	}
	writers := c.StringSlice("drop")
	if !c.Bool("yes") {
		ok, err := a.confirm("after this nobody can read the logs of "+plural(len(writers), "clone")+"; go on?", "drops them")
		if err != nil || !ok {
			return err
		}
	}
	refs, err := sharing.Drop(c.Context, log, s, remote, writers, !c.Bool("no-verify"))
	if err != nil {
		a.tellRemote(err)
		return explainSharing(err)
	}
	fmt.Fprintf(quietWriter{a.std.out}, "dropped from the archives on %s: %s\n"+takenOff,
		printable(remote.Name), plural(refs, "ref"))
	return nil
}

// adopt passes on the publications of clones elsewhere.
func (a *app) adopt(c *call, log *events.Log, s *sharing.Settings, remote sharing.Remote) error {
	for _, other := range []string{"to", "review", "retract", "records", "json"} {
		if c.IsSet(other) {
			return usage("options '--adopt' and '--%s' exclude each other", other)
		}
	}
	k, err := sharing.PlanAdopt(c.Context, log, s, remote, c.StringSlice("adopt"))
	if err != nil {
		a.tellRemote(err)
		return explainSharing(err)
	}
	defer k.Close()
	w := quietWriter{a.std.out}
	fmt.Fprintf(w, "to %s (%s); whoever can read it will read this\n", printable(remote.Name),
		printable(sharing.Bare(k.URL)))
	sayKept(w, k)
	if c.Bool("dry-run") {
		return nil
	}
	if _, terminal := terminalOf(a.std.err); terminal && !a.asks("pass that on?") { // naming the clones is the answer
		fmt.Fprintln(a.std.err, "nothing was sent")
		return nil
	}
	return a.keep(c, k, "adopted")
}
