package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-trace/git-trace/agents/recorder"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/hooks/runner"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/records/waiting"
	"github.com/git-trace/git-trace/upkeep/keeping"
	"github.com/git-trace/git-trace/upkeep/purge"
	"github.com/git-trace/git-trace/view/lookup"
)

func recordCommand() *command {
	return &command{
		Name: "record",
		Does: "store conversations that have no record yet, and update old records",
		Form: "git trace record [--force] [--json] [<conversation>…]",
		About: "Hooks start it at the end of a turn and at a commit, and do not wait for it. It reads the agent's\n" +
			"session file, removes secrets and names, and stores the rest on refs/traces/records. Named\n" +
			"conversations are read again. Without a name it updates all records of this clone: with later\n" +
			"commits, and with data that an earlier version did not read. It removes purged data again. It\n" +
			"records a conversation that was purged as a whole only with --force.",
		Options: append(options("quiet"),
			opt("force", "a conversation was purged, and with all that its session file holds"), jsonFlag()),
		Examples: []example{
			{"git trace record", "store all conversations that wait"},
		},
		Run:    (*app).record,
		Traits: seals,
		Tries:  []string{"1234", ""},
	}
}

const recordSchema = "git-trace.record/1"

// recordReport lists the records that a run stored, in the form of --json.
type recordReport struct {
	Schema        string            `json:"schema"`
	Conversations []keeping.Outcome `json:"conversations"`
	Failed        []string          `json:"failed"`
}

func (a *app) record(c *call, ops operands) error {
	repo, err := a.workTree()
	if err != nil {
		return err
	}
	report := recordReport{Schema: recordSchema, Conversations: []keeping.Outcome{}, Failed: []string{}}
	tell := func(one keeping.Outcome) { report.Conversations = append(report.Conversations, one) }
	told := false
	if !c.Bool("json") {
		tell = func(one keeping.Outcome) { told = true; fmt.Fprintln(a.std.out, one) }
	}
	if c.Bool("quiet") {
		tell = func(keeping.Outcome) {}
	}
	job, err := keeping.NewJob(c.Context, repo)
	if err != nil {
		if c.Bool("quiet") {
			runner.NoteFailure(repo, fmt.Errorf("record conversations: %w", err))
		}
		return exit.Fail(exit.Unchecked, err, "nothing is stored until that is fixed")
	}
	defer job.Close()
	if names := ops.All(); len(names) > 0 {
		err := a.recordNamed(c.Context, job, names, c.Bool("force"), tell)
		if err == nil && c.Bool("json") {
			err = writeJSON(a.std.out, report)
		}
		return err
	}
	wait := store.Patience
	if c.Bool("quiet") {
		runner.LowerPriority()
		wait = 0
	}
	failed, err := job.TakeIn(c.Context, wait, tell)
	if err == nil && !c.Bool("quiet") {
		var more []error
		shown := a.line.Progress("conversations")
		more, err = job.Mend(c.Context, shown.At, tell)
		shown.Clear()
		failed = append(failed, more...)
	}
	keeping.ExpirePromptsDaily(c.Context, repo)
	for _, f := range failed {
		if c.Bool("quiet") {
			runner.NoteFailure(repo, f)
		} else {
			fmt.Fprintf(a.std.err, "git-trace: error: %s\n", cells.Message(f.Error()))
		}
		report.Failed = append(report.Failed, f.Error())
	}
	switch {
	case err != nil:
	case c.Bool("json"):
		err = writeJSON(a.std.out, report)
	case !told && len(failed) == 0 && !c.Bool("quiet"):
		fmt.Fprintln(a.std.err, "git-trace: hint: there is no conversation to store")
	}
	if err == nil && len(failed) > 0 {
		return exit.Silent(exit.Unchecked)
	}
	return err
}

// recordNamed stores the named conversations, which the log must know.
func (a *app) recordNamed(ctx context.Context, job *keeping.Job, names []string, force bool,
	tell func(keeping.Outcome)) error {
	known, err := a.openConversations(ctx, job.Repo)
	if err != nil {
		return err
	}
	defer known.Close()
	var ids []events.TraceID
	for _, name := range names { // check before the lock, because a lock makes a file
		id, err := known.FindTrace(name)
		if err != nil {
			return lookup.ReportAmbiguous(a.std.err, err)
		}
		ids = append(ids, id)
	}
	lock, err := job.Lock(ctx, store.Patience)
	if err != nil {
		return exit.Fail(exit.Unchecked, err, "")
	}
	defer lock.Unlock()
	for _, id := range ids {
		t, _, err := known.Conversation(id)
		if err != nil {
			return err
		}
		if purge.Was(job.Repo, id) {
			if !force {
				return exit.Fail(exit.Finding, fmt.Errorf("conversation %.8s was purged", id),
					"--force records it again, with all that its session file still holds")
			}
			if err := purge.Allow(job.Repo, id); err != nil {
				return err
			}
		}
		session := waiting.Session{Trace: id, Agent: t.Agent, Session: t.Session, WorkTree: job.Repo.WorkTree}
		if err := job.One(ctx, session, tell); err != nil {
			hint := "the session file may be gone: agents delete theirs after some weeks"
			if errors.Is(err, recorder.ErrNoParser) {
				hint = fmt.Sprintf("git trace show %.8s tells what the log has", id)
			}
			return exit.Fail(exit.Unchecked, err, hint)
		}
	}
	return nil
}
