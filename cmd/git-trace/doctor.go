package main

import (
	"context"
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-trace/git-trace/numbers"
)

func (a *app) doctorCommand() *cli.Command {
	return readingCommand(&cli.Command{
		Name:      "doctor",
		Usage:     "check everything that recording depends on, and mend it",
		UsageText: "git trace doctor [--fix]",
		Description: "Each thing that recording depends on is checked, the whole log included. With --fix hooks are " +
			"installed\n" +
			"again, what waits in the spool is appended, damaged state is made anew, and a repository that was moved,\n" +
			"or recorded by an earlier version, is put on the list of recorded ones again. The exit status is 1 when\n" +
			"problems remain.",
		Flags: []cli.Flag{&cli.BoolFlag{Name: "fix", Usage: "mend what can be mended"}, colorFlag()},
	}, a.doctor)
}

// check is one thing that doctor looks at.
type check struct {
	name string
	run  func(context.Context) (fine string, problems []finding)
}

func (a *app) doctor(c *cli.Context, ops operands) error {
	if err := ops.none(); err != nil {
		return err
	}
	repo, err := a.workTree()
	if err != nil {
		return err
	}
	h, err := a.health(repo)
	if err != nil {
		return err
	}
	screen, _, err := a.plainScreen(repo, c.String("color"))
	if err != nil {
		return err
	}
	remain, err := h.examine(c.Context, screen, check{"recording", h.checkListed}, c.Bool("fix"))
	if err != nil {
		return err
	}
	if !h.recording() {
		return silent(exitFinding)
	}
	for _, one := range h.checks() {
		left, err := h.examine(c.Context, screen, one, c.Bool("fix"))
		if err != nil {
			return err
		}
		remain += left
	}
	if err := h.printForeign(c.Context, screen); err != nil {
		return err
	}
	if err := h.printUntested(c.Context, screen); err != nil {
		return err
	}
	if err := h.printFailures(screen, time.Now()); err != nil {
		return err
	}
	if remain > 0 {
		return silent(exitFinding)
	}
	return nil
}

// examine runs one check, mends what it found if that is asked for, and returns how many problems remain.
func (h *health) examine(ctx context.Context, s *screen, one check, mend bool) (remain int, err error) {
	t := rows{screen: s}
	fine, problems := one.run(ctx)
	if len(problems) == 0 {
		t.row("ok", one.name+": "+fine, "")
		return 0, t.write()
	}
	if !mend {
		t.findings("problem", problems)
		return len(problems), t.write()
	}
	var left, mended []finding
	tried := map[*repair]error{}
	for _, p := range problems {
		if p.fix == nil {
			left = append(left, p)
			continue
		}
		err, done := tried[p.fix]
		if !done {
			err = p.fix.run(ctx)
			tried[p.fix] = err
		}
		if err != nil {
			left = append(left, finding{What: p.What + "; it could not be mended: " + err.Error()})
			continue
		}
		mended = append(mended, finding{What: p.What, Mend: p.fix.what})
	}
	t.findings("mended", mended)
	if len(left) == 0 { // a repair that helped leaves nothing to find
		_, left = one.run(ctx)
	}
	t.findings("problem", left)
	return len(left), t.write()
}

// shownFailures bounds the failures that doctor lists.
const shownFailures = 5

// printFailures lists what hooks could not tell anybody.
func (h *health) printFailures(s *screen, now time.Time) error {
	failures, err := hookFailures(h.repo)
	t := rows{screen: s}
	if err != nil {
		t.row("note", "what hooks could not do is not known: "+err.Error(), "")
	}
	for _, f := range failures[max(0, len(failures)-shownFailures):] {
		t.row("note", "a hook failed "+numbers.Ago(f.Time, now)+": "+f.What, "")
	}
	if n := len(failures) - shownFailures; n > 0 {
		t.row("note", fmt.Sprintf("%s before that in %s", plural(n, "failure"), h.shorten(h.repo.HookLog())), "")
	}
	return t.write()
}
