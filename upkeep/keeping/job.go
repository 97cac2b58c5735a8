package keeping

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/git-trace/git-trace/agents/recorder"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/hooks/runner"
	"github.com/git-trace/git-trace/internal/companion"
	"github.com/git-trace/git-trace/internal/numbers"
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
)

// Outcome is a conversation whose session file was read.
type Outcome struct {
	Trace    events.TraceID `json:"trace"`
	Stored   bool           `json:"stored"` // false: the record did not change
	Steps    int            `json:"steps"`
	Redacted int            `json:"redacted"` // number of places
}

func (r Outcome) String() string {
	if !r.Stored {
		return string(r.Trace) + " is stored already"
	}
	return fmt.Sprintf("%s stored: %s, %d redacted", r.Trace, numbers.Count(r.Steps, "step"), r.Redacted)
}

// Job holds everything that is needed to store the conversations of a repository.
type Job struct {
	Repo     *refs.Repo
	list     *waiting.List
	Recorder *recorder.Recorder
	off      bool // the user does not want records
	purged   *purged.Set
	stamp    string // the state of the purge rules that the redactor applies
}

func NewJob(ctx context.Context, repo *refs.Repo) (*Job, error) {
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
	job := &Job{Repo: repo, list: waiting.Open(repo), off: !config.Bool("trace.records", true), purged: before,
		stamp: stamp}
	job.Recorder = &recorder.Recorder{
		Repo: repo, Env: env, Log: events.OpenLog(repo), Store: store.Open(repo), Redactor: redactor, Prices: table,
		Prompts:  ledger.NewPrompts(repo),
		Relative: func(path string) (string, bool) { return route.Relative(repo, path) },
		Facts:    facts.For(repo), Completions: facts.Completions(repo), Settle: SettleTime,
		Heard: func(ctx context.Context, s waiting.Session, path string, earlier []string) {
			if err := (&testimony.Witnesses{Repo: repo, Env: env}).Session(ctx, s, path, earlier); err != nil {
				runner.NoteFailure(repo, fmt.Errorf("read the session file: %w", err))
			}
		},
	}
	return job, nil
}

func (r *Job) Close() { _ = r.Recorder.Store.Close() }

// Lock takes the lock for storing conversations. A purge that held it meanwhile has left new rules and new packs. So
// lock reads the rules, and opens the store, again.
func (r *Job) Lock(ctx context.Context, wait time.Duration) (*refs.FileLock, error) {
	lock, err := store.Lock(r.Repo, wait)
	if err != nil {
		return nil, err
	}
	stamp := purged.Stamp(r.Repo)
	if stamp == r.stamp {
		return lock, nil
	}
	redactor, err := configured.Redactor(ctx, r.Repo)
	if err != nil {
		lock.Unlock()
		return nil, err
	}
	if r.purged, err = purged.Load(r.Repo); err != nil {
		lock.Unlock()
		return nil, err
	}
	_ = r.Recorder.Store.Close()
	r.Recorder.Redactor, r.Recorder.Store, r.stamp = redactor, store.Open(r.Repo), stamp
	return lock, nil
}

// TakeIn reads the session files that no hook reported, then stores the waiting conversations.
func (r *Job) TakeIn(ctx context.Context, wait time.Duration, tell func(Outcome)) (failed []error,
	err error) {
	unheard := (&testimony.Witnesses{Repo: r.Repo,
		Env: r.Recorder.Env}).All(ctx) // it puts its findings on the waiting list
	failed, err = r.Drain(ctx, wait, tell)
	if unheard != nil {
		failed = append(failed, fmt.Errorf("read session files: %w", unheard))
	}
	return failed, err
}

// Drain stores conversations until none waits, one process at a time. A process that does not want to wait for the lock
// may leave: the working process checks the list again after it has released the lock.
func (r *Job) Drain(ctx context.Context, wait time.Duration, tell func(Outcome)) (failed []error,
	err error) {
	if r.off || !r.Repo.HasTraces() { // nothing waits, so no lock file is made
		return nil, nil
	}
	tried := map[waiting.Session]bool{}
	for {
		lock, err := r.Lock(ctx, wait)
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
func (r *Job) untried(tried map[waiting.Session]bool) ([]waiting.Session, error) {
	all, err := r.list.All()
	var out []waiting.Session
	for _, s := range all {
		if !tried[s] {
			out = append(out, s)
		}
	}
	return out, err
}

func (r *Job) pass(
	ctx context.Context, tried map[waiting.Session]bool, tell func(Outcome),
) (failed []error, err error) {
	list, err := r.untried(tried)
	if err != nil {
		return nil, err
	}
	for _, s := range list {
		tried[s] = true
		if purge.Was(r.Repo, s.Trace) {
			if err := errors.Join(purge.Pass(r.Repo, s.Trace, time.Now()), r.list.Done(s)); err != nil {
				failed = append(failed, err)
			}
			continue
		}
		err := r.One(ctx, s, tell)
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

// Mend updates every record of this clone: with commits made or removed since, and with parts of session files that
// only this version reads. It also stores conversations of the log that have no record.
func (r *Job) Mend(
	ctx context.Context, shown func(done, total int), tell func(Outcome),
) (failed []error, err error) {
	if r.off || !r.Repo.HasTraces() {
		return nil, nil
	}
	list, err := r.behind(ctx)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	lock, err := r.Lock(ctx, store.Patience)
	if err != nil {
		return nil, err
	}
	defer lock.Unlock()
	for i, s := range list {
		shown(i, len(list))
		err := r.One(ctx, s, func(one Outcome) {
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

// `behind` lists the conversations whose records may be out of date: those that this clone stored, and those that hooks
// reported to it.
func (r *Job) behind(ctx context.Context) ([]waiting.Session, error) {
	known, err := view.Open(ctx, r.Repo, view.Options{LogOnly: true})
	if err != nil {
		return nil, err
	}
	defer known.Close()
	log := known.Log()
	stored, err := r.Recorder.Store.List(ctx)
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
		read := recorder.LastRead(r.Repo, t.ID) // an imported conversation has no session file, so its record does not change
		if !hooked && (!mine[t.ID] || read == "") || t.Agent == "" || t.Session == "" || purge.Was(r.Repo, t.ID) {
			continue
		}
		out = append(out, waiting.Session{Trace: t.ID, Agent: t.Agent, Session: t.Session,
			Transcript: read, WorkTree: r.Repo.WorkTree})
	}
	return out, nil
}

// One stores one conversation.
func (r *Job) One(ctx context.Context, s waiting.Session, tell func(Outcome)) error {
	ctx, cancel := context.WithTimeout(ctx, store.Patience)
	defer cancel()
	out, err := r.Recorder.Record(ctx, s)
	if err != nil {
		return err
	}
	tell(Outcome{Trace: s.Trace, Stored: out.Stored.Changed, Steps: out.Steps, Redacted: out.Redactions})
	return nil
}

// SettleTime is the time for which a session file must be unchanged: agents write the end of a turn after its hook.
const SettleTime = 200 * time.Millisecond
