package trails

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/codec"
	"github.com/git-trace/git-trace/refs/recorded"
	"github.com/git-trace/git-trace/trails/gitfacts"
	"github.com/git-trace/git-trace/trails/process"
)

// The file begins with a word that changes with the format of the state: a file with another word counts as missing. It
// ends with the CRC-32 of everything before, big-endian.
const stateMagic = "gtline\x00\x0e"

// state is the memory of one work tree's timeline from one process to the next: <git dir>/traces/timeline.
type state struct {
	Interval int64 // number of the last boundary
	LastFull int64
	Tree     refs.OID
	Git      gitfacts.Mark
	// RestoredAt is the interval in which a git hook last noted writes of git to the work tree.
	RestoredAt int64
	// Squash is the last commit of a branch that was squashed since the last full snapshot.
	Squash refs.OID
	// Marks hold git's position at the last scoped snapshots after the last full one. Older ones list stashes that are
	// gone; other work trees need them.
	Marks    []lookMark
	Windows  []*Window
	Sessions map[events.TraceID]*sessionState
	// Scoped holds, for each path that a scoped snapshot saw after the last full one, the interval of that snapshot.
	Scoped map[string]int64
	// Anchored holds the last anchored commits. A second hook for the same commit finds it here.
	Anchored []refs.OID
	// Lost says which boundaries were lost.
	Lost loss
	// Notes holds the notes about contents.
	Notes notes
	// Spooled holds the names of the spooled files whose boundaries this state has: they are about to be removed. If a
	// killed process left such a file, it is not taken again.
	Spooled []string
}

// A loss says which boundaries were lost.
type loss struct {
	// `At` is the interval in which a boundary was last found to be lost, with the look that it would have taken (lose).
	// Until the next look at a path, its changes may be anybody's.
	At int64
	// `Why` gives the reason, if it is known.
	Why events.Limit
	// Missed holds the hooks that could not record (package recorded).
	Missed recorded.Missed
}

// notes holds the facts that later looks need about contents.
type notes struct {
	// Expected maps paths to contents that are not on disk yet: a tool reported them, or a restore is about to write them.
	Expected map[string]refs.OID
	// Shifts lists the changes that may have another half, the newest last (moves.go).
	Shifts []*shift
	// Taken holds, by path, contents that git removed from the work tree and that no known commit has. Other work trees
	// need them: a stash may have carried them there and be gone now.
	Taken map[string]taken
	// Shared lists the lines of which a completion and a person wrote parts, the newest last (completions.go).
	Shared []sharedLine
	// Buffers lists the last texts of editors' buffers, the newest last (buffer.go).
	Buffers []buffer
}

// sessionState is the timeline's memory of a conversation in this work tree.
type sessionState struct {
	Agent      string
	Session    string
	Model      string // the last known one
	Stated     string // the model that the session itself names, for calls without one
	Prompts    int
	Earlier    int    // prompts before the first one that hooks count
	LastPrompt string // the agent's id of the last prompt
	Steps      int    // tool calls that opened a window
	Last       time.Time
	Ended      bool
	Befores    bool     // its agent reports tool calls before they run
	Subagents  []string // the announced sub-agents
	Unnamed    int      // tool calls without an id of the agent
	// `From` is the process that calls its hooks.
	From source
	// Idle is true if the turn has ended and a new one has not begun.
	Idle bool
}

// source holds the process of a conversation's last hooks, and their number.
type source struct {
	Host  process.ID
	Heard int
}

// maxAnchored limits the number of commits that the state remembers.
const maxAnchored = 64

// maxSessions limits the number of conversations in the state: beyond it, the conversations silent for longest are
// dropped.
const maxSessions = 64

// StatePath returns the path of the timeline's memory of a work tree.
func StatePath(repo *refs.Repo) string {
	return filepath.Join(repo.WorktreeTracesDir(), "timeline")
}

// loadState reads the state. A missing, damaged or foreign state is empty: the next snapshot is then a first one, and
// changes in between belong to nobody.
func loadState(repo *refs.Repo) (*state, error) {
	// an earlier snapshot may exist without a state
	fresh := &state{Sessions: map[events.TraceID]*sessionState{}, Lost: loss{At: 1}}
	raw, err := refs.ReadFile(StatePath(repo))
	if errors.Is(err, fs.ErrNotExist) {
		return fresh, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read timeline state: %w", err)
	}
	s, err := decodeState(raw)
	if err != nil {
		return fresh, nil //nolint:nilerr // a damaged state counts as missing
	}
	if s.Sessions == nil {
		s.Sessions = map[events.TraceID]*sessionState{}
	}
	return s, nil
}

var errState = errors.New("not a state of the timeline, or a damaged one")

// errOtherState reports the state of another program.
var errOtherState = errors.New("another version of git-trace wrote it")

func encodeState(s *state) []byte {
	w := &codec.Writer{Out: append(make([]byte, 0, 4096), stateMagic...)}
	codec.Value(w, s)
	return binary.BigEndian.AppendUint32(w.Out, crc32.ChecksumIEEE(w.Out))
}

func decodeState(raw []byte) (*state, error) {
	n := len(raw) - 4
	if like := stateMagic[:len(stateMagic)-1]; n > len(like) && string(raw[:len(like)]) == like &&
		raw[len(like)] != stateMagic[len(like)] {
		return nil, errOtherState
	}
	if n < len(stateMagic) || string(raw[:len(stateMagic)]) != stateMagic ||
		crc32.ChecksumIEEE(raw[:n]) != binary.BigEndian.Uint32(raw[n:]) {
		return nil, errState
	}
	s, r := &state{}, &codec.Reader{In: string(raw[len(stateMagic):n])}
	codec.Value(r, s)
	if r.End() != nil {
		return nil, errState
	}
	return s, nil
}

// Position returns the number of boundaries that the timeline of a work tree has seen, and the tree of its last
// snapshot. The error is os.ErrNotExist if there is no timeline yet.
func Position(repo *refs.Repo) (interval int64, tree refs.OID, err error) {
	raw, err := refs.ReadFile(StatePath(repo))
	if err != nil {
		return 0, tree, fmt.Errorf("read timeline state: %w", err)
	}
	s, err := decodeState(raw)
	if err != nil {
		return 0, tree, err
	}
	return s.Interval, s.Tree, nil
}

// Anchored lists the last anchored commits, the newest last. It takes no lock.
func (e *Engine) Anchored() []refs.OID {
	s, err := loadState(e.repo)
	if err != nil {
		return nil
	}
	return s.Anchored
}

// save writes the state, as the last step of a boundary.
func (s *state) save(repo *refs.Repo) error {
	s.forget()
	if err := refs.WriteFileAtomic(StatePath(repo), encodeState(s), 0o600); err != nil {
		return fmt.Errorf("write timeline state: %w", err)
	}
	return nil
}

// forget drops the sessions and windows that no later boundary can need: the sessions silent for longest, and windows
// closed before the last look at every path. A window stays if git skips one of its paths, or if hooks may still change
// its files.
func (s *state) forget() {
	s.boundSayings()
	s.boundTexts()
	kept := s.Windows[:0]
	for _, w := range s.Windows {
		if w.Closed == 0 || w.Closed > s.LastFull || len(w.Says.Hidden) > 0 || w.Tail {
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

// `seen` returns the interval of the last look at the path.
func (s *state) seen(path string) int64 {
	if n, ok := s.Scoped[path]; ok && n > s.LastFull {
		return n
	}
	return s.LastFull
}

func (s *state) lostWhy() []events.Limit {
	if s.Lost.Why == "" {
		return nil
	}
	return []events.Limit{s.Lost.Why}
}

// openWindows returns the windows without an after-boundary, background calls included.
func (s *state) openWindows() []*Window {
	var out []*Window
	for _, w := range s.Windows {
		if w.Closed == 0 {
			out = append(out, w)
		}
	}
	return out
}
