package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/git-trace/git-trace/agents/recorder"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/hooks/runner"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/companion"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/records/prices"
	"github.com/git-trace/git-trace/records/purged"
	"github.com/git-trace/git-trace/records/redact/configured"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/records/waiting"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/ledger"
	"github.com/git-trace/git-trace/trails/route"
	"github.com/git-trace/git-trace/upkeep/purge"
	"github.com/git-trace/git-trace/upkeep/testimony"
	"github.com/git-trace/git-trace/view"
	"github.com/git-trace/git-trace/view/facts"
	"github.com/git-trace/git-trace/view/lookup"
)

const (
	// settleTime is the time for which a session file must be unchanged: agents write the end of a turn after its hook.
	settleTime = 200 * time.Millisecond
)

func recordCommand() *command {
	return &command{
		name: "record",
		does: "store conversations that have no record yet, and update old records",
		form: "git trace record [--force] [--json] [<conversation>…]",
		about: "Hooks start it at the end of a turn and at a commit, and do not wait for it. It reads the agent's\n" +
			"session file, removes secrets and names, and stores the rest on refs/traces/records. Named\n" +
			"conversations are read again. Without a name it updates all records of this clone: with later\n" +
			"commits, and with data that an earlier version did not read. It removes purged data again. It\n" +
			"records a conversation that was purged as a whole only with --force.",
		options: append(options("quiet"),
			opt("force", "a conversation was purged, and with all that its session file holds"), jsonFlag()),
		examples: []example{
			{"git trace record", "store all conversations that wait"},
		},
		run:    (*app).record,
		traits: seals,
		tries:  []string{"1234", ""},
	}
}

const recordSchema = "git-trace.record/1"

// recordReport lists the records that a run stored, in the form of --json.
type recordReport struct {
	Schema        string                 `json:"schema"`
	Conversations []recordedConversation `json:"conversations"`
	Failed        []string               `json:"failed"`
}

// recordedConversation is a conversation whose session file was read.
type recordedConversation struct {
	Trace    events.TraceID `json:"trace"`
	Stored   bool           `json:"stored"` // false: the record did not change
	Steps    int            `json:"steps"`
	Redacted int            `json:"redacted"` // number of places
}

func (r recordedConversation) String() string {
	if !r.Stored {
		return string(r.Trace) + " is stored already"
	}
	return fmt.Sprintf("%s stored: %s, %d redacted", r.Trace, numbers.Count(r.Steps, "step"), r.Redacted)
}

func (a *app) record(c *call, ops operands) error {
	repo, err := a.workTree()
	if err != nil {
		return err
	}
	report := recordReport{Schema: recordSchema, Conversations: []recordedConversation{}, Failed: []string{}}
	tell := func(one recordedConversation) { report.Conversations = append(report.Conversations, one) }
	told := false
	if !c.Bool("json") {
		tell = func(one recordedConversation) { told = true; fmt.Fprintln(a.std.out, one) }
	}
	if c.Bool("quiet") {
		tell = func(recordedConversation) {}
	}
	job, err := newRecording(c.Context, repo)
	if err != nil {
		if c.Bool("quiet") {
			runner.NoteFailure(repo, fmt.Errorf("record conversations: %w", err))
		}
		return exit.Fail(exit.Unchecked, err, "nothing is stored until that is fixed")
	}
	defer job.close()
	if names := ops.all(); len(names) > 0 {
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
	failed, err := job.takeIn(c.Context, wait, tell)
	if err == nil && !c.Bool("quiet") {
		var more []error
		more, err = job.mend(c.Context, a.line.Progress("conversations"), tell)
		failed = append(failed, more...)
	}
	expirePromptsDaily(c.Context, repo)
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
func (a *app) recordNamed(ctx context.Context, job *recording, names []string, force bool,
	tell func(recordedConversation)) error {
	known, err := a.openConversations(ctx, job.repo)
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
	lock, err := job.lock(ctx, store.Patience)
	if err != nil {
		return exit.Fail(exit.Unchecked, err, "")
	}
	defer lock.Unlock()
	for _, id := range ids {
		t, _, err := known.Conversation(id)
		if err != nil {
			return err
		}
		if purge.Was(job.repo, id) {
			if !force {
				return exit.Fail(exit.Finding, fmt.Errorf("conversation %.8s was purged", id),
					"--force records it again, with all that its session file still holds")
			}
			if err := purge.Allow(job.repo, id); err != nil {
				return err
			}
		}
		session := waiting.Session{Trace: id, Agent: t.Agent, Session: t.Session, WorkTree: job.repo.WorkTree}
		if err := job.one(ctx, session, tell); err != nil {
			hint := "the session file may be gone: agents delete theirs after some weeks"
			if errors.Is(err, recorder.ErrNoParser) {
				hint = fmt.Sprintf("git trace show %.8s tells what the log has", id)
			}
			return exit.Fail(exit.Unchecked, err, hint)
		}
	}
	return nil
}

// recording holds everything that is needed to store the conversations of a repository.
type recording struct {
	repo     *refs.Repo
	list     *waiting.List
	recorder *recorder.Recorder
	off      bool // the user does not want records
	purged   *purged.Set
	stamp    string // the state of the purge rules that the redactor applies
}

func newRecording(ctx context.Context, repo *refs.Repo) (*recording, error) {
	config, err := repo.Config(ctx)
	if err != nil {
		return nil, err
	}
	env, err := companion.Env()
	if err != nil {
		return nil, err
	}
	stamp := purged.Stamp(repo)
	before, err := purged.Load(repo)
	if err != nil {
		return nil, err
	}
	redactor, err := configured.Redactor(ctx, repo)
	if err != nil {
		return nil, err
	}
	table, err := prices.Configured(config)
	if err != nil {
		return nil, err
	}
	job := &recording{repo: repo, list: waiting.Open(repo), off: !config.Bool("trace.records", true), purged: before,
		stamp: stamp}
	job.recorder = &recorder.Recorder{
		Repo: repo, Env: env, Log: events.OpenLog(repo), Store: store.Open(repo), Redactor: redactor, Prices: table,
		Prompts:  ledger.NewPrompts(repo),
		Relative: func(path string) (string, bool) { return route.Relative(repo, path) },
		Facts:    facts.For(repo), Completions: facts.Completions(repo), Settle: settleTime,
		Heard: func(ctx context.Context, s waiting.Session, path string, earlier []string) {
			if err := (&testimony.Witnesses{Repo: repo, Env: env}).Session(ctx, s, path, earlier); err != nil {
				runner.NoteFailure(repo, fmt.Errorf("read the session file: %w", err))
			}
		},
	}
	return job, nil
}

func (r *recording) close() { _ = r.recorder.Store.Close() }

// lock takes the lock for storing conversations. A purge that held it meanwhile has left new rules and new packs. So
// lock reads the rules, and opens the store, again.
func (r *recording) lock(ctx context.Context, wait time.Duration) (*refs.FileLock, error) {
	lock, err := store.Lock(r.repo, wait)
	if err != nil {
		return nil, err
	}
	stamp := purged.Stamp(r.repo)
	if stamp == r.stamp {
		return lock, nil
	}
	redactor, err := configured.Redactor(ctx, r.repo)
	if err != nil {
		lock.Unlock()
		return nil, err
	}
	if r.purged, err = purged.Load(r.repo); err != nil {
		lock.Unlock()
		return nil, err
	}
	_ = r.recorder.Store.Close()
	r.recorder.Redactor, r.recorder.Store, r.stamp = redactor, store.Open(r.repo), stamp
	return lock, nil
}

// takeIn reads the session files that no hook reported, then stores the waiting conversations.
func (r *recording) takeIn(ctx context.Context, wait time.Duration, tell func(recordedConversation)) (failed []error,
	err error) {
	unheard := (&testimony.Witnesses{Repo: r.repo,
		Env: r.recorder.Env}).All(ctx) // it puts its findings on the waiting list
	failed, err = r.drain(ctx, wait, tell)
	if unheard != nil {
		failed = append(failed, fmt.Errorf("read session files: %w", unheard))
	}
	return failed, err
}

// drain stores conversations until none waits, one process at a time. A process that does not want to wait for the lock
// may leave: the working process checks the list again after it has released the lock.
func (r *recording) drain(ctx context.Context, wait time.Duration, tell func(recordedConversation)) (failed []error,
	err error) {
	if r.off || !r.repo.HasTraces() { // nothing waits, so no lock file is made
		return nil, nil
	}
	tried := map[waiting.Session]bool{}
	for {
		lock, err := r.lock(ctx, wait)
		if errors.Is(err, refs.ErrLockTimeout) {
			return failed, nil
		}
		if err != nil {
			return failed, err
		}
		rest, err := r.pass(ctx, tried, tell)
		lock.Unlock()
		failed = append(failed, rest...)
		if err != nil {
			return failed, err
		}
		if more, err := r.untried(tried); err != nil || len(more) == 0 {
			return failed, err
		}
	}
}

// untried lists the waiting conversations that this run has not tried.
func (r *recording) untried(tried map[waiting.Session]bool) ([]waiting.Session, error) {
	all, err := r.list.All()
	var out []waiting.Session
	for _, s := range all {
		if !tried[s] {
			out = append(out, s)
		}
	}
	return out, err
}

func (r *recording) pass(
	ctx context.Context, tried map[waiting.Session]bool, tell func(recordedConversation),
) (failed []error, err error) {
	list, err := r.untried(tried)
	if err != nil {
		return nil, err
	}
	for _, s := range list {
		tried[s] = true
		if purge.Was(r.repo, s.Trace) {
			if err := errors.Join(purge.Pass(r.repo, s.Trace, time.Now()), r.list.Done(s)); err != nil {
				failed = append(failed, err)
			}
			continue
		}
		err := r.one(ctx, s, tell)
		if errors.Is(err, recorder.ErrNoTranscript) || errors.Is(err, recorder.ErrNoParser) {
			err = nil // there is nothing to read, and never will be
		}
		if err != nil {
			failed = append(failed, err)
			continue
		}
		if !s.Open {
			if err := r.list.Done(s); err != nil {
				failed = append(failed, err)
			}
		}
	}
	return failed, nil
}

// mend updates every record of this clone: with commits made or removed since, and with parts of session files that
// only this version reads. It also stores conversations of the log that have no record.
func (r *recording) mend(
	ctx context.Context, shown *terminal.Progress, tell func(recordedConversation),
) (failed []error, err error) {
	defer shown.Clear()
	if r.off || !r.repo.HasTraces() {
		return nil, nil
	}
	list, err := r.behind(ctx)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	lock, err := r.lock(ctx, store.Patience)
	if err != nil {
		return nil, err
	}
	defer lock.Unlock()
	for i, s := range list {
		shown.At(i, len(list))
		err := r.one(ctx, s, func(one recordedConversation) {
			if one.Stored {
				tell(one)
			}
		})
		if err != nil && !errors.Is(err, recorder.ErrNoTranscript) && !errors.Is(err, recorder.ErrNoParser) {
			failed = append(failed, err)
		}
	}
	return failed, nil
}

// behind lists the conversations whose records may be out of date: those that this clone stored, and those that hooks
// reported to it.
func (r *recording) behind(ctx context.Context) ([]waiting.Session, error) {
	known, err := view.Open(ctx, r.repo, view.Options{LogOnly: true})
	if err != nil {
		return nil, err
	}
	defer known.Close()
	log := known.Log()
	stored, err := r.recorder.Store.List(ctx)
	if err != nil {
		return nil, err
	}
	mine := map[events.TraceID]bool{}
	for _, e := range stored {
		mine[e.Trace] = e.Own()
	}
	own, err := log.OwnWriter()
	if err != nil {
		return nil, err
	}
	traces, err := log.Traces()
	if err != nil {
		return nil, err
	}
	var out []waiting.Session
	for i := range traces {
		t := &traces[i]
		hooked := t.Hooked > 0 && t.Writer == own
		read := recorder.LastRead(r.repo, t.ID) // an imported conversation has no session file, so its record does not change
		if !hooked && (!mine[t.ID] || read == "") || t.Agent == "" || t.Session == "" || purge.Was(r.repo, t.ID) {
			continue
		}
		out = append(out, waiting.Session{Trace: t.ID, Agent: t.Agent, Session: t.Session,
			Transcript: read, WorkTree: r.repo.WorkTree})
	}
	return out, nil
}

// one stores one conversation.
func (r *recording) one(ctx context.Context, s waiting.Session, tell func(recordedConversation)) error {
	ctx, cancel := context.WithTimeout(ctx, store.Patience)
	defer cancel()
	out, err := r.recorder.Record(ctx, s)
	if err != nil {
		return err
	}
	tell(recordedConversation{Trace: s.Trace, Stored: out.Stored.Changed, Steps: out.Steps, Redacted: out.Redactions})
	return nil
}
