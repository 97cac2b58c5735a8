package keeping

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/hooks/runner"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/companion"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails"
	"github.com/git-trace/git-trace/trails/snapshot"
	"github.com/git-trace/git-trace/upkeep/testimony"
)

// Times of a running watcher.
const (
	watchSessions = 15 * time.Second // pause between two searches for session files
	watchLimit    = 30 * time.Second // the longest time of one look
)

// Watcher notices conversations without hooks. Its memory between looks is <common git dir>/traces/watch.json.
type Watcher struct {
	repo     *refs.Repo
	agents   []capability.Agent
	out, err io.Writer

	memory  watchMemory
	changed bool      // the memory has changed since it was saved
	since   time.Time // session files last changed before this time are not read
	due     bool      // this look searches session files, even if no file changed
	first   bool      // no watcher has looked here before
	started bool      // this process has looked before
	told    bool      // something was printed

	wait time.Duration // the longest wait for another process that stores conversations

	Collector *Collector // nil without --otlp
}

// watchMemory is the memory of the watcher.
type watchMemory struct {
	V        int                    `json:"v"`
	Looked   time.Time              `json:"looked"`   // the time of the last search for session files
	Sessions map[string]sessionMark `json:"sessions"` // recent or reported sessions, by agent and session id
}

// sessionMark describes a session file at the last look.
type sessionMark struct {
	Changed time.Time `json:"changed"`
	Told    bool      `json:"told,omitempty"` // the log notes that no hook reports it
}

const (
	// watchMemoryVersion grows when the form of the memory changes. A memory of another version is ignored.
	watchMemoryVersion = 2
	// maxSessionMarks limits the memory. The session without a change for the longest time is forgotten first. If a
	// forgotten conversation continues, it is reported again.
	maxSessionMarks = 4096
)

// NewWatcher makes the watcher of a repository. It writes what it notices to `out`, and failed looks to `failures`.
func NewWatcher(repo *refs.Repo, out, failures io.Writer) (*Watcher, error) {
	env, err := companion.Env()
	if err != nil {
		return nil, err
	}
	w := &Watcher{repo: repo, out: out, err: failures}
	for _, agent := range agents.All(env) {
		if agent.Discoverer != nil { // also agents whose program is not found, for example those inside an editor
			w.agents = append(w.agents, agent)
		}
	}
	return w, w.load()
}

// Once looks once, and reports whether it noticed something.
func (w *Watcher) Once(ctx context.Context) (told bool, err error) {
	w.wait = watchLimit
	err = w.tick(ctx, time.Now())
	return w.told, err
}

func (w *Watcher) memoryFile() string { return filepath.Join(w.repo.TracesDir(), "watch.json") }

// load reads the memory. A missing or damaged memory counts as empty: then every session is new.
func (w *Watcher) load() error {
	raw, err := os.ReadFile(w.memoryFile())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read the state of the watcher: %w", err)
	}
	if err == nil && json.Unmarshal(raw, &w.memory) == nil && w.memory.V == watchMemoryVersion &&
		w.memory.Sessions != nil {
		return nil
	}
	w.memory = watchMemory{V: watchMemoryVersion}
	return nil
}

func (w *Watcher) save() error {
	if !w.changed {
		return nil
	}
	w.forget()
	raw, err := json.Marshal(w.memory)
	if err == nil {
		err = refs.WriteFileAtomic(w.memoryFile(), raw, 0o600)
	}
	if err != nil {
		return fmt.Errorf("store the state of the watcher: %w", err)
	}
	w.changed = false
	return nil
}

// forget removes the parts of the memory that no look needs.
func (w *Watcher) forget() {
	marks := w.memory.Sessions
	maps.DeleteFunc(marks, func(_ string, m sessionMark) bool {
		return !m.Told && m.Changed.Before(w.memory.Looked.Add(-testimony.WatchSlack))
	})
	if len(marks) <= maxSessionMarks {
		return
	}
	keys := slices.SortedFunc(maps.Keys(marks),
		func(a, b string) int { return marks[a].Changed.Compare(marks[b].Changed) })
	for _, key := range keys[:len(keys)-maxSessionMarks] {
		delete(marks, key)
	}
}

// `begin` starts a look. The first look of all counts existing session files as known, and reads only files that were
// written recently.
func (w *Watcher) begin(now time.Time) {
	if w.first = w.memory.Sessions == nil; w.first {
		w.memory.Sessions, w.memory.Looked = map[string]sessionMark{}, now
	}
	w.due = w.first || !w.started || now.Sub(w.memory.Looked) >= watchSessions
	w.started = true
	if !w.due {
		return
	}
	w.since = w.memory.Looked.Add(-testimony.WatchSlack)
	w.memory.Looked, w.changed = now, true
}

// unreported lists the conversations in a directory of the work tree that changed since the last search, and that no
// hook reported. At the first look of all the list is empty.
func (w *Watcher) unreported(repo *refs.Repo) ([]trails.Unreported, error) {
	var out []trails.Unreported
	var failed error
	engine := trails.New(repo, events.OpenLog(repo), nil)
	for _, agent := range w.agents {
		sessions, err := agent.Discoverer.ProjectSessions(repo.WorkTree, w.since)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", agent.Name, err))
			continue
		}
		for _, session := range sessions {
			if session.ID == "" {
				continue
			}
			key := agent.Name + " " + session.ID
			mark := w.memory.Sessions[key]
			if !session.Changed.After(mark.Changed) {
				continue
			}
			fresh := sessionMark{Changed: session.Changed, Told: mark.Told}
			if !w.first && !engine.Heard(events.NewTraceID(agent.Name, session.ID), session.Changed) {
				out = append(out, trails.Unreported{Agent: agent.Name, Session: session.ID, Known: mark.Told})
				fresh.Told = true
			}
			w.memory.Sessions[key], w.changed = fresh, true
		}
	}
	return out, failed
}

// Run looks again and again until it is stopped. It writes the error of a failed look, and continues. Then it ends the
// collector.
func (w *Watcher) Run(ctx context.Context, pause time.Duration) (err error) {
	monitors := map[string]*snapshot.Monitor{} // by git directory
	defer func() {
		for _, m := range monitors {
			m.Close()
		}
		if w.Collector != nil {
			err = errors.Join(err, w.Collector.End(watchLimit))
		}
	}()
	for {
		for _, repo := range testimony.WorkTreesOf(w.repo) {
			if monitors[repo.GitDir] == nil {
				if m, err := trails.Monitor(repo); err == nil { // else every look compares all files, as without a watcher
					monitors[repo.GitDir] = m
				}
			}
		}
		err := w.tick(ctx, time.Now())
		var ended chan error
		if w.Collector != nil {
			err = errors.Join(err, w.Collector.Store(ctx))
			ended = w.Collector.Ended
		}
		if err != nil && ctx.Err() == nil {
			fmt.Fprintf(w.err, "git-trace: warning: %s\n", cells.Message(err.Error()))
		}
		select {
		case <-ctx.Done():
			return nil
		case err := <-ended:
			ended <- nil
			return err
		case <-time.After(pause):
		}
	}
}

// tick looks at every work tree once.
func (w *Watcher) tick(ctx context.Context, now time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, watchLimit)
	defer cancel()
	w.begin(now)
	var failed error
	noticed := false
	for _, repo := range testimony.WorkTreesOf(w.repo) {
		var active []trails.Unreported
		var err error
		if w.due {
			active, err = w.unreported(repo)
		}
		if err == nil {
			active, err = w.look(ctx, repo, active, now)
		}
		noticed = noticed || len(active) > 0
		failed = errors.Join(failed, err)
	}
	if noticed && failed == nil {
		failed = w.store(ctx)
	}
	return errors.Join(failed, w.save())
}

// store reads the session files of the noticed conversations and stores their records, as the background process of
// hooks does.
func (w *Watcher) store(ctx context.Context) error {
	job, err := NewJob(ctx, w.repo)
	if err != nil {
		return err
	}
	defer job.Close()
	failed, err := job.TakeIn(ctx, w.wait, func(Outcome) {})
	return errors.Join(append(failed, err)...)
}

// `look` checks one work tree, and returns the conversations that no hook reported.
func (w *Watcher) look(
	ctx context.Context, repo *refs.Repo, active []trails.Unreported, now time.Time,
) ([]trails.Unreported, error) {
	others := func() (list []trails.Unreported, err error) {
		active, err = w.unreported(repo)
		return active, err
	}
	if w.due { // active already lists them
		others = nil
	}
	engine := trails.New(repo, events.OpenLog(repo), nil)
	engine.Editing = runner.Editing(repo)
	changed, err := engine.Watch(ctx, now, active, others)
	if err != nil {
		return nil, err
	}
	if changed > 0 {
		w.told = true
		fmt.Fprintf(w.out, "%s changed in %s\n", numbers.Count(changed, "file"), cells.Message(repo.WorkTree))
	}
	for _, one := range active {
		if !one.Known {
			w.told = true
			fmt.Fprintf(w.out, "%s %s is not reported by hooks; its session file is read\n", one.Agent,
				cells.Message(one.Session))
		}
	}
	return active, nil
}
