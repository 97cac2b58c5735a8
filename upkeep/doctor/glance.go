package doctor

import (
	"context"
	"time"

	"github.com/git-trace/git-trace/hooks"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/refs/recorded"
)

// Glance holds the facts that are quick to find out.
type Glance struct {
	Recording bool
	Listed    *Listing
	GitHooks  hooks.Status
	Agents    []Agent
	Log       *LogEnd
	Spooled   int
	Failure   *Failure // the last failure, if it is recent
	Attention []Finding
}

// recentFailure is the age up to which a failure is mentioned.
const recentFailure = 24 * time.Hour

// Glance checks the hooks, the settings and the end of the log.
func (d *Doctor) Glance(ctx context.Context, now time.Time) (g Glance, err error) {
	g = Glance{Recording: recorded.Is(d.repo), Listed: d.listed(), Attention: []Finding{}}
	found := func(more []Finding) { g.Attention = append(g.Attention, more...) }
	_, unlisted := d.checkListed(ctx)
	found(unlisted)
	if g.GitHooks, err = d.hooks.Status(ctx); err != nil {
		return g, err
	}
	g.Agents = d.examineAgents(ctx)
	if g.Log, err = d.logEnd(); err != nil {
		found([]Finding{ofLog("the log cannot be read", err, Finding{Mend: "git trace verify"})})
	}
	found(d.lossFindings())
	misnamed, err := d.log.Misnamed(ctx)
	if err != nil {
		return g, err
	}
	found(misnamedFindings(misnamed))
	if files, err := d.log.Spooled(); err == nil {
		g.Spooled = len(files)
	}
	failures, err := Failures(d.repo)
	if n := len(failures); err == nil && n > 0 && now.Sub(failures[n-1].Time) < recentFailure {
		g.Failure = &failures[n-1]
	}
	if !g.Recording {
		return g, nil
	}
	found(d.settingsFindings(ctx))
	found(d.hookFindings(g.GitHooks))
	found(d.agentFindings(ctx, g.Agents))
	found(d.untracedFindings(ctx, g.Agents))
	found(d.unheardFindings(g.Agents))
	found(d.editorFindings(ctx))
	found(d.untoldFindings(now))
	found(d.spoolFindings())
	found(d.laterFindings())
	found(d.purgeFindings())
	return g, nil
}

// shownFailures is the number of failures that are listed.
const shownFailures = 5

// Notes returns facts that are not faults, one on each line. For example: hooks of other programs that may hide the
// writer of a line, session files newer than the tested versions of their parser, and failures that hooks noted.
func (d *Doctor) Notes(ctx context.Context, now time.Time) (notes []string) {
	notes = append(d.foreignHooks(ctx), d.untested(ctx, now)...)
	for _, f := range d.editorFindings(ctx) {
		notes = append(notes, f.What+": "+f.Mend)
	}
	if d.deeds.Remotes != nil {
		remotes, err := d.deeds.Remotes(ctx, now)
		if err != nil {
			remotes = append(remotes, "what is shared with the remotes is not known: "+err.Error())
		}
		notes = append(notes, remotes...)
	}
	for _, past := range d.Past(now) {
		notes = append(notes, past.What+": "+past.Mend)
	}
	failures, err := Failures(d.repo)
	if err != nil {
		notes = append(notes, "what hooks could not do is not known: "+err.Error())
	}
	for _, f := range failures[max(0, len(failures)-shownFailures):] {
		notes = append(notes, "a hook failed "+numbers.Ago(f.Time, now)+": "+f.What)
	}
	if n := len(failures) - shownFailures; n > 0 {
		notes = append(notes, numbers.Count(n, "failure")+" before that in "+d.shorten(d.repo.HookLog()))
	}
	return notes
}
