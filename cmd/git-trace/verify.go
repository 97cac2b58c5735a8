package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/checkpoint"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/report/answers"
	"github.com/git-trace/git-trace/report/shared"
	"github.com/git-trace/git-trace/sharing"
	"github.com/git-trace/git-trace/upkeep/purge"
)

func verifyCommand() *command {
	return &command{
		Name: "verify",
		Does: "check that nothing in the event log was changed",
		Form: "git trace verify [--anchored] [--json]\n" +
			"git trace verify --fetched [--json]\n" +
			"git trace verify --attestation <file> [--json]",
		About: "Reads the log from where it is stored, hashes every byte again, and lists every fault. A log is\n" +
			"consistent; or consistent and anchored up to an event, which a signed checkpoint or a fetched\n" +
			"copy confirms; or broken. The exit status is 0 for the first two, 1 for a broken log, and 2 when\n" +
			"the log could not be checked.\n" +
			"--fetched checks each log of other clones instead, as a whole, and says who signed it.\n" +
			"--attestation checks a statement of attest: its signature, its commits and tree, the log that it names,\n" +
			"and its figures. The exit status is 1 if one of these does not hold.",
		Options: options("anchored", "attestation", "fetched", "json", "color"),
		Examples: []example{
			{"git trace verify", "is the log whole and unchanged"},
		},
		Run:    (*app).verify,
		Traits: alone | bounded,
		Shows:  []string{"", "--json", "--fetched"},
		Tries:  []string{"--anchored"},
	}
}

func (a *app) verify(c *call, _ operands) error {
	repo, err := a.repo()
	if err != nil {
		return err
	}
	log := events.OpenLog(repo)
	if name := c.String("attestation"); name != "" {
		return a.verifyAttestation(c, repo, log, name)
	}
	if c.Bool("fetched") {
		return a.verifyFetched(c, log)
	}
	report, err := log.Verify(c.Context, events.Verification{Anchors: checkpoint.Sources()})
	if err != nil {
		return exit.Fail(exit.Unchecked, err, "git fsck shows whether the repository is damaged")
	}
	if unfinished := purge.Unfinished(repo); unfinished != "" {
		report.Notes = append(report.Notes, unfinished+": git trace doctor --fix")
	}
	write := func(w io.Writer) error { return printReport(w, report) }
	if c.Bool("json") {
		write = func(w io.Writer) error { return writeVerifyJSON(w, report) }
	}
	if err := write(terminal.Quietly(a.std.out)); err != nil {
		return err
	}
	switch {
	case report.State == events.Broken:
		return exit.Fail(exit.Finding, errors.New("the log is damaged"),
			"the log is sound before the first fault; restore "+cells.Message(relativeTo(a.dir, log.JournalPath()))+
				" from a copy, or move it away: the log then continues from what "+refs.EventsRef+" holds")
	case c.Bool("anchored") && report.State != events.Anchored:
		return exit.Fail(exit.Finding, errors.New("the log is not confirmed"),
			"git trace checkpoint signs it; a copy that was fetched confirms it too")
	}
	return nil
}

// verifyFetched checks the fetched logs.
func (a *app) verifyFetched(c *call, log *events.Log) error {
	states, err := sharing.Verify(c.Context, log)
	if err != nil {
		return exit.Fail(exit.Unchecked, err, "git fsck shows whether the repository is damaged")
	}
	left := 0
	for _, s := range states {
		if s.Why != "" {
			left++
		}
	}
	w := terminal.Quietly(a.std.out)
	if c.Bool("json") {
		err = writeJSON(w,
			answers.Fetched{Schema: answers.FetchedSchema, Fetched: append([]sharing.FetchedState{}, states...)})
	} else {
		for _, s := range states {
			fmt.Fprintln(w, shared.FetchedLog(s))
		}
		if len(states) == 0 {
			fmt.Fprintln(w, "nothing was fetched")
		}
	}
	if err == nil && left > 0 {
		return exit.Silent(exit.Finding)
	}
	return err
}

// printReport prints the state, then the faults, one a line.
func printReport(w io.Writer, report events.Report) error {
	if report.Empty() && len(report.Notes) == 0 {
		_, err := fmt.Fprintln(w, "there is no log yet: nothing has been recorded")
		return err
	}
	summary := fmt.Sprintf("%s, %s", report.Summary(), numbers.Count(report.Events, "event"))
	if report.AnchoredBy != "" {
		summary += " (" + cells.Safe(report.AnchoredBy) + ")"
	}
	if _, err := fmt.Fprintln(w, summary); err != nil {
		return err
	}
	for _, fault := range report.Faults {
		if _, err := fmt.Fprintf(w, "event %d: %s: %s\n", fault.Seq, fault.Kind,
			cells.Safe(fault.Detail)); err != nil {
			return err
		}
	}
	if report.MoreFaults > 0 {
		if _, err := fmt.Fprintf(w, "and %s more\n", numbers.Count(report.MoreFaults, "fault")); err != nil {
			return err
		}
	}
	for _, note := range report.Notes {
		if _, err := fmt.Fprintf(w, "note: %s\n", cells.Safe(note)); err != nil {
			return err
		}
	}
	return nil
}

func writeVerifyJSON(w io.Writer, report events.Report) error {
	return writeJSON(w, answers.Verify{Schema: answers.VerifySchema, Report: report,
		Faults: append([]events.Fault{}, report.Faults...)})
}
