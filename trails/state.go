package trails

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// stateVersion is raised when the shape of the state changes; another version is read as no state.
const stateVersion = 1

// state is what the timeline of one work tree remembers between two processes: <git dir>/traces/timeline.json.
type state struct {
	V        int      `json:"v"`
	Interval int64    `json:"interval"` // number of the last boundary
	LastFull int64    `json:"last_full"`
	Tree     refs.OID `json:"tree,omitzero"`
	Git      gitMark  `json:"git"`
	// RestoredAt is the interval in which a git hook last noted that git wrote to the work tree.
	RestoredAt int64 `json:"restored_at,omitempty"`
	// Marks say where git stood at the last looks at some paths that came after the last look at everything.
	Marks    []lookMark                       `json:"marks,omitempty"`
	Windows  []*Window                        `json:"windows,omitempty"`
	Sessions map[events.TraceID]*sessionState `json:"sessions,omitempty"`
	// Scoped remembers in which interval a path was last seen by a scoped snapshot that came after the last full one.
	Scoped map[string]int64 `json:"scoped,omitempty"`
	// Anchored are the last commits that were taken in: a hook that is called twice for one finds it here.
	Anchored []refs.OID `json:"anchored,omitempty"`
	// Expected are contents that a tool said it wrote and that were not on disk yet: path → blob.
	Expected map[string]refs.OID `json:"expected,omitempty"`
	// Lost is the interval in which it last turned out that a boundary had been lost, with the look that it would have
	// taken (notes.go). What changed in a path that was not looked at since may be anybody's.
	Lost int64 `json:"lost,omitempty"`
}

// sessionState is what the timeline remembers of a conversation that was seen in this work tree.
type sessionState struct {
	Agent      string    `json:"agent"`
	Session    string    `json:"session"`
	Model      string    `json:"model,omitempty"`  // the last one that was heard of
	Stated     string    `json:"stated,omitempty"` // the one that the session itself stated, for calls that tell none
	Prompts    int       `json:"prompts"`
	LastPrompt string    `json:"last_prompt,omitempty"` // the agent's id of the last prompt
	Steps      int       `json:"steps,omitempty"`       // tool calls that opened a window
	Last       time.Time `json:"last"`
	Ended      bool      `json:"ended,omitempty"`
	Befores    bool      `json:"befores,omitempty"`   // its agent reports tool calls before they run
	Subagents  []string  `json:"subagents,omitempty"` // those already announced
	Unnamed    int       `json:"unnamed,omitempty"`   // tool calls to which the agent gave no id
}

// maxAnchored bounds the commits that the state remembers.
const maxAnchored = 64

// maxSessions bounds the state: conversations beyond it are forgotten, the longest silent first.
const maxSessions = 64

func statePath(repo *refs.Repo) string {
	return filepath.Join(repo.WorktreeTracesDir(), "timeline.json")
}

// loadState reads the state. A missing, damaged or foreign state is an empty one: the next snapshot is then an origin,
// and what changed in between belongs to nobody.
func loadState(repo *refs.Repo) (*state, error) {
	fresh := &state{V: stateVersion, Sessions: map[events.TraceID]*sessionState{}}
	raw, err := os.ReadFile(statePath(repo))
	if errors.Is(err, fs.ErrNotExist) {
		return fresh, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read timeline state: %w", err)
	}
	s := &state{}
	if json.Unmarshal(raw, s) != nil || s.V != stateVersion {
		return fresh, nil
	}
	if s.Sessions == nil {
		s.Sessions = map[events.TraceID]*sessionState{}
	}
	return s, nil
}

// Anchored lists the last commits that were taken in, the newest last. It takes no lock.
func (e *Engine) Anchored() []refs.OID {
	s, err := loadState(e.repo)
	if err != nil {
		return nil
	}
	return s.Anchored
}

// save writes the state; it is the last step of a boundary.
func (s *state) save(repo *refs.Repo) error {
	s.forget()
	raw, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("encode timeline state: %w", err)
	}
	if err := refs.WriteFileAtomic(statePath(repo), raw, 0o600); err != nil {
		return fmt.Errorf("write timeline state: %w", err)
	}
	return nil
}

// forget drops what no later boundary can need: windows closed before every path's last sighting, and the sessions
// longest silent.
func (s *state) forget() {
	kept := s.Windows[:0]
	for _, w := range s.Windows {
		if w.Closed == 0 || w.Closed > s.LastFull {
			kept = append(kept, w)
		}
	}
	s.Windows = kept
	s.Anchored = s.Anchored[max(0, len(s.Anchored)-maxAnchored):]
	for p, seen := range s.Scoped {
		if seen <= s.LastFull {
			delete(s.Scoped, p)
		}
	}
	for len(s.Sessions) > maxSessions {
		var oldest events.TraceID
		for id, one := range s.Sessions {
			if oldest == "" || one.Last.Before(s.Sessions[oldest].Last) {
				oldest = id
			}
		}
		delete(s.Sessions, oldest)
	}
}

// seen is the interval in which the path was last looked at.
func (s *state) seen(path string) int64 {
	if n, ok := s.Scoped[path]; ok && n > s.LastFull {
		return n
	}
	return s.LastFull
}

// openWindows are the windows without an after-boundary, background calls included.
func (s *state) openWindows() []*Window {
	var out []*Window
	for _, w := range s.Windows {
		if w.Closed == 0 {
			out = append(out, w)
		}
	}
	return out
}
