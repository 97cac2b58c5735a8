package recorder

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/agents/packed"
	"github.com/git-trace/git-trace/agents/several"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records/prices"
	"github.com/git-trace/git-trace/records/redact"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/records/waiting"
	"github.com/git-trace/git-trace/refs"
)

// The errors of a conversation that cannot be stored.
var (
	ErrNoParser     = errors.New("session files of this agent cannot be read")
	ErrNoTranscript = errors.New("the session file is not there")
)

// Prompts provides the texts of prompts as they were typed.
type Prompts interface {
	List(trace events.TraceID) (map[int]string, error)
	Drop(trace events.TraceID, index int) error
}

// Log receives the event of a stored record.
type Log interface {
	Append(ctx context.Context, drafts []events.Draft) ([]events.Event, error)
}

// Recorder stores the conversations of a repository.
type Recorder struct {
	Repo     *refs.Repo
	Env      agents.Env
	Log      Log
	Store    *store.Store
	Redactor *redact.Redactor
	Prices   *prices.Table // nil for git-trace's own table
	Prompts  Prompts
	// Relative returns the path of a file relative to the work tree.
	Relative func(path string) (string, bool)
	// Facts finds the facts from the log and the repository; may be nil.
	Facts Gatherer
	// Completions returns the accepted completions of a conversation, oldest first; may be nil.
	Completions func(ctx context.Context, trace events.TraceID) ([]Completion, error)
	// `Heard` is called with a session file that no longer changes, before it is read; may be nil.
	Heard func(ctx context.Context, s waiting.Session, path string, earlier []string)
	// Settle is the time for which a session file must be unchanged before it is read. The total wait is at most ten times
	// as long. The agent may still be writing the end of the turn.
	Settle time.Duration
	// Said is the text of a note that was just appended, for the record of its conversation.
	Said string
}

// Outcome is the result of recording a conversation.
type Outcome struct {
	Stored     store.Stored
	Steps      int
	Redactions int
	Generation int
}

// tries is the number of attempts to store a record if somebody else stores the conversation in the meantime.
const tries = 3

// Record updates the stored record of a conversation from its session file and its commits.
func (r *Recorder) Record(ctx context.Context, s waiting.Session) (Outcome, error) {
	agent, _ := agents.Lookup(r.Env, s.Agent)
	var out Outcome
	var err error
	for range tries {
		out, err = r.record(ctx, agent, s)
		if !errors.Is(err, store.ErrMoved) {
			break
		}
	}
	if err != nil {
		return out, fmt.Errorf("record conversation %s: %w", s.Trace, err)
	}
	return out, nil
}

func (r *Recorder) record(ctx context.Context, agent agents.Agent, s waiting.Session) (Outcome, error) {
	path, err := "", ErrNoParser
	if agent.Parser != nil {
		path, err = r.found(ctx, agent, s)
	}
	gone := errors.Is(err, ErrNoParser) || errors.Is(err, ErrNoTranscript)
	if gone {
		if out, done, err := r.collected(ctx, s); done || err != nil {
			return out, err
		}
	}
	if gone && r.Completions != nil {
		list, err := r.Completions(ctx, s.Trace)
		if err != nil {
			return Outcome{}, err
		}
		if len(list) > 0 {
			return r.completed(ctx, s, list)
		}
	}
	if errors.Is(err, ErrNoTranscript) {
		return r.relinked(ctx, s, err)
	}
	if err != nil {
		return Outcome{}, err
	}
	if s.Transcript != "" && path != s.Transcript {
		agent = packed.Agent(agent, r.Env.Unzstd)
	}
	w := &work{Recorder: r, session: s, path: path, calls: newCallBook()}
	defer w.close()
	w.earlier = w.filesBeside()
	for _, file := range append(slices.Clone(w.earlier), path) {
		size, changed, err := r.settled(ctx, file)
		if err != nil {
			return Outcome{}, err
		}
		w.size += size
		if changed.After(w.changed) {
			w.changed = changed
		}
	}
	if r.Heard != nil {
		r.Heard(ctx, s, path, w.earlier)
	}
	if err := w.load(ctx); err != nil {
		return Outcome{}, err
	}
	if w.current() {
		return w.relink(ctx)
	}
	if len(w.earlier) > 0 {
		return w.read(ctx, several.Parser{SessionParser: agent.Parser, Earlier: w.earlier})
	}
	return w.read(ctx, agent.Parser)
}

// `relinked` updates the commits of a stored record whose session file is missing; if there is no record, it returns
// the error `gone`.
func (r *Recorder) relinked(ctx context.Context, s waiting.Session, gone error) (Outcome, error) {
	w := &work{Recorder: r, session: s, calls: newCallBook()}
	defer w.close()
	last := w.loadState()
	w.path, w.earlier, w.size, w.changed = last.Path, last.Earlier, last.Size, last.Changed
	if err := w.load(ctx); err != nil {
		return Outcome{}, err
	}
	if w.prior == nil {
		return Outcome{}, gone
	}
	return w.relink(ctx)
}

// filesBeside returns the other session files of the conversation: those in the note, or the sources of the stored
// record.
func (w *work) filesBeside() []string {
	named := w.session.Beside()
	if len(named) == 0 {
		named = w.loadState().Earlier
	}
	return slices.DeleteFunc(named, func(file string) bool {
		_, err := os.Stat(file)
		return err != nil || file == w.path
	})
}

// SessionFile returns the path of a conversation's session file, or ErrNoTranscript.
func SessionFile(env agents.Env, s waiting.Session) (string, error) {
	agent, found := agents.Lookup(env, s.Agent)
	if !found {
		return "", ErrNoParser
	}
	return find(agent, s)
}

// find returns the path of a session file: the path from a hook, even if the file was compressed since, or the agent's
// usual place.
func find(agent agents.Agent, s waiting.Session) (string, error) {
	if s.Transcript != "" {
		if path := packed.Beside(s.Transcript); path != "" {
			return path, nil
		}
	}
	if agent.Discoverer == nil {
		return "", ErrNoTranscript
	}
	sessions, err := agent.Discoverer.ProjectSessions(s.WorkTree, time.Time{})
	if err != nil {
		return "", err
	}
	for _, session := range sessions {
		if session.ID == s.Session {
			return session.Path, nil
		}
	}
	return "", ErrNoTranscript
}

// `found` does the same as find, but it waits for a session file that a hook names for the first time: some agents
// create the file after their hooks. It waits as long as for a file that is still being written.
func (r *Recorder) found(ctx context.Context, agent agents.Agent, s waiting.Session) (string, error) {
	limit := time.Now().Add(10 * r.Settle)
	for {
		path, err := find(agent, s)
		if !errors.Is(err, ErrNoTranscript) || s.Transcript == "" || LastRead(r.Repo, s.Trace) != "" ||
			!time.Now().Before(limit) {
			return path, err
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(r.Settle):
		}
	}
}

// `settled` waits until a session file has not changed for a moment, and returns its size and time.
func (r *Recorder) settled(ctx context.Context, path string) (int64, time.Time, error) {
	limit := time.Now().Add(10 * r.Settle)
	for {
		info, err := os.Stat(path)
		if err != nil {
			return 0, time.Time{}, err
		}
		age := time.Since(info.ModTime())
		if age >= r.Settle || age < 0 || time.Now().After(limit) {
			return info.Size(), info.ModTime(), nil
		}
		select {
		case <-ctx.Done():
			return 0, time.Time{}, ctx.Err()
		case <-time.After(r.Settle - age):
		}
	}
}
