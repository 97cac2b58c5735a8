package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/report/shared"
	"github.com/git-trace/git-trace/sharing"
)

// silentFor is the time without a publication after which archive treats a clone as dead.
const silentFor = 30 * 24 * time.Hour

func archiveCommand() *command {
	return &command{
		Name: "archive",
		Does: "move the refs of inactive clones into few refs",
		Form: "git trace archive [<remote>] [--until <date>] [--dry-run] [--yes] [--no-verify]\n" +
			"git trace archive [<remote>] --drop <id>… [--yes]",
		About: "Each clone has its own refs on a remote, and each git push reads all of them. archive takes the\n" +
			"clones that published nothing for 30 days, or since --until. It moves their refs into one ref of\n" +
			"this clone for each kind, and deletes them on the remote. Readers see the same as before. If such\n" +
			"a clone publishes again, it gets refs again. The remote needs a level, which git trace push asks\n" +
			"for. --drop removes a clone from this clone's archives, with its history: then nobody can read its log.",
		Options: append(options("drop", "dry-run", "no-verify", "yes"), opt("until", "")),
		Examples: []example{
			{"git trace archive origin --dry-run", "clones that published nothing for 30 days"},
		},
		Run:   (*app).archive,
		Tries: []string{"--dry-run origin", "", "origin", "--drop 0123456789abcdef --yes origin"},
	}
}

// destination is a remote, and the log that is pushed there.
type destination struct {
	log      *events.Log
	settings *sharing.Settings
	remote   sharing.Remote
}

// destination returns the named remote, or the default one.
func (a *app) destination(c *call, ops operands) (to destination, err error) {
	if len(ops.All()) > 1 {
		return to, exit.Usage("unexpected argument '%s'", ops.All()[1])
	}
	repo, err := a.repo()
	if err != nil {
		return to, err
	}
	to.log = events.OpenLog(repo)
	if to.settings, err = sharing.ReadSettings(c.Context, repo); err != nil {
		return to, err
	}
	name := ""
	if len(ops.All()) == 1 {
		name = ops.All()[0]
	}
	to.remote, err = to.settings.Destination(name)
	if errors.Is(err, sharing.ErrNoRemote) { // a hint with all options: without them, push would send
		hint := "git remote -v lists the remotes; git trace " + c.Name + askedFor(c) + " <remote> names one"
		return to, exit.Fail(exit.Misuse, err, hint)
	}
	if err != nil {
		return to, sharing.Explain(err)
	}
	return to, nil
}

// askedFor returns the options of push that the person gave and a hint must repeat.
func askedFor(c *call) (text string) {
	for _, option := range []string{"retract", "records", "rebuild-digest"} {
		if c.Bool(option) {
			text += " --" + option
		}
	}
	return text
}

func (a *app) archive(c *call, ops operands) error {
	to, err := a.destination(c, ops)
	if err != nil {
		return err
	}
	if len(c.StringSlice("drop")) > 0 {
		return a.dropArchived(c, to)
	}
	remote := to.remote
	since, err := gitDate(c, to.log.Repo(), "until")
	if err != nil {
		return err
	}
	if since.IsZero() {
		since = time.Now().Add(-silentFor)
	}
	k, err := sharing.PlanArchive(c.Context, to.log, to.settings, remote, since)
	if err != nil {
		a.tellRemote(err)
		return sharing.Explain(err)
	}
	defer k.Close()
	w := terminal.Quietly(a.std.out)
	if k.Left > 0 {
		fmt.Fprintf(a.std.err, "git-trace: hint: %s not sound and %s; git trace pull names them\n",
			numbers.Agree(k.Left, "1 log is", numbers.Thousands(k.Left)+" logs are"), numbers.Agree(k.Left, "stays", "stay"))
	}
	if len(k.Writers) == 0 {
		fmt.Fprintf(w, "every clone on %s has published since %s\n", cells.Message(remote.Name),
			since.Local().Format("2 Jan 2006"))
		return nil
	}
	fmt.Fprintf(w, "on %s (%s) %s published nothing since %s\n", cells.Message(remote.Name),
		cells.Message(sharing.Bare(k.URL)), numbers.Count(len(k.Writers), "clone"), since.Local().Format("2 Jan 2006"))
	shared.Kept(w, k)
	if c.Bool("dry-run") {
		return nil
	}
	if !c.Bool("yes") {
		ok, err := a.confirm("put them into archives and delete "+numbers.Count(k.Refs(), "ref")+" there?", "archives them")
		if err != nil || !ok {
			return err
		}
	}
	return a.keep(c, k, "archived")
}

// keep carries out the plan.
func (a *app) keep(c *call, k *sharing.Keeping, what string) error {
	if err := k.Keep(c.Context, !c.Bool("no-verify")); err != nil {
		a.tellRemote(err)
		return sharing.Explain(err)
	}
	fmt.Fprintf(terminal.Quietly(a.std.out), "%s on %s: %s\n", what, cells.Message(k.Remote.Name),
		numbers.Count(len(k.Writers), "clone"))
	return nil
}

// dropArchived removes clones from the archives.
func (a *app) dropArchived(c *call, to destination) error {
	if c.Bool("dry-run") || c.IsSet("until") {
		return exit.Usage("--drop has no --dry-run and no --until")
	}
	writers := c.StringSlice("drop")
	if !c.Bool("yes") {
		ok, err := a.confirm("after this nobody can read the logs of "+numbers.Count(len(writers), "clone")+"; go on?",
			"drops them")
		if err != nil || !ok {
			return err
		}
	}
	refs, err := sharing.Drop(c.Context, to.log, to.settings, to.remote, writers, !c.Bool("no-verify"))
	if err != nil {
		a.tellRemote(err)
		return sharing.Explain(err)
	}
	fmt.Fprintf(terminal.Quietly(a.std.out), "dropped from the archives on %s: %s\n"+shared.TakenOff,
		cells.Message(to.remote.Name), numbers.Count(refs, "ref"))
	return nil
}
