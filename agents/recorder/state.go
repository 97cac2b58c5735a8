package recorder

import (
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// state is the place at which the reading of a session file ended. It is a cache: without it, the file is read from its
// beginning. The cursor may contain unredacted texts of the conversation, so only the user can read it.
type state struct {
	Form        int             `json:"form"` // the version of the parser; a record by an earlier version is made again
	Path        string          `json:"path"`
	Earlier     []string        `json:"earlier,omitempty"` // the other files of the conversation
	Size        int64           `json:"size"`
	Changed     time.Time       `json:"changed"`
	Blob        refs.OID        `json:"blob,omitzero"`    // the record that was stored then
	Fingerprint string          `json:"fingerprint"`      // the fingerprint of the redactor
	Counts      []int           `json:"counts,omitempty"` // the number of redactions in each step
	Cursor      json.RawMessage `json:"cursor,omitempty"`
	Prompt      int             `json:"prompt,omitempty"` // the last prompt whose typed text was kept at that time
}

// form is raised whenever records get more data from session files.
const form = 6

// StateDir returns the directory of the states of a repository.
func StateDir(repo *refs.Repo) string {
	return filepath.Join(repo.TracesDir(), "cache", "sessions")
}

func (r *Recorder) statePath(trace events.TraceID) string {
	return filepath.Join(StateDir(r.Repo), string(trace)+".json")
}

func (w *work) loadState() state {
	var s state
	raw, err := os.ReadFile(w.statePath(w.session.Trace))
	if err != nil || json.Unmarshal(raw, &s) != nil {
		return state{}
	}
	return s
}

// LastRead returns the session file from which the stored record was made; "" if unknown.
func LastRead(repo *refs.Repo, trace events.TraceID) string {
	w := work{Recorder: &Recorder{Repo: repo}}
	w.session.Trace = trace
	return w.loadState().Path
}

// saveState saves the state; if that fails, the whole file is read next time.
func (w *work) saveState(s state) {
	s.Form = form
	_ = refs.WriteJSON(w.statePath(w.session.Trace), s, refs.WriteFileAtomic)
}
