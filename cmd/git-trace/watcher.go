package main

import (
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
	"github.com/git-trace/git-trace/internal/companion"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails"
	"github.com/git-trace/git-trace/upkeep/keeping"
	"github.com/git-trace/git-trace/upkeep/testimony"
)

// watcher notices conversations without hooks. Its memory between looks is <common git dir>/traces/watch.json.
type watcher struct {
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

	collector *keeping.Collector // nil without --otlp
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

func (a *app) watcher(repo *refs.Repo) (*watcher, error) {
	env, err := companion.Env()
	if err != nil {
		return nil, err
	}
	w := &watcher{repo: repo, out: a.std.out, err: a.std.err}
	for _, agent := range agents.All(env) {
		if agent.Discoverer != nil { // also agents whose program is not found, for example those inside an editor
			w.agents = append(w.agents, agent)
		}
	}
	return w, w.load()
}

func (w *watcher) log(repo *refs.Repo) *events.Log { return events.OpenLog(repo) }

func (w *watcher) memoryFile() string { return filepath.Join(w.repo.TracesDir(), "watch.json") }

// load reads the memory. A missing or damaged memory counts as empty: then every session is new.
func (w *watcher) load() error {
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

func (w *watcher) save() error {
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
func (w *watcher) forget() {
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

// begin starts a look. The first look of all counts existing session files as known, and reads only files that were
// written recently.
func (w *watcher) begin(now time.Time) {
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
func (w *watcher) unreported(repo *refs.Repo) ([]trails.Unreported, error) {
	var out []trails.Unreported
	var failed error
	engine := trails.New(repo, w.log(repo), nil)
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
