package trails

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// lateSuffix is that of boundaries that were put aside among the spooled files of a work tree. The name begins with the
// time and the number of the process.
const lateSuffix = ".boundary"

// maxLate bounds how many late boundaries one step takes in.
const maxLate = 256

func spoolDir(repo *refs.Repo) string { return filepath.Join(repo.WorktreeTracesDir(), "spool") }

// Late puts a boundary aside that could not be taken in time. The next boundary takes it first. The work tree as it was
// at its moment is lost, which the events say; which windows were open is not.
func (e *Engine) Late(b events.Boundary) error {
	raw, err := json.Marshal(withFewTexts(b))
	if err != nil {
		return fmt.Errorf("put boundary aside: %w", err)
	}
	if err := os.MkdirAll(spoolDir(e.repo), 0o700); err != nil {
		return fmt.Errorf("put boundary aside: %w", err)
	}
	if err := refs.WriteFileAtomic(spooledName(e.repo, b.Time, lateSuffix), raw, 0o600); err != nil {
		return fmt.Errorf("put boundary aside: %w", err)
	}
	return nil
}

// withFewTexts is a boundary as it may be put down: what a call declares can be as large as files are.
func withFewTexts(b events.Boundary) events.Boundary {
	if b.Tool != nil && textSize(b.Tool.Edits) > maxDeclared {
		tool := *b.Tool
		tool.Edits = nil
		b.Tool = &tool
	}
	return b
}

func spooledName(repo *refs.Repo, at time.Time, suffix string) string {
	return filepath.Join(spoolDir(repo), fmt.Sprintf("%020d-%d%s", at.UnixNano(), os.Getpid(), suffix))
}

// spooledAt is the time in the name of a spooled file.
func spooledAt(name string) time.Time {
	at, _, _ := strings.Cut(name, "-")
	nanos, _ := strconv.ParseInt(at, 10, 64) // no number: long ago
	return time.Unix(0, nanos)
}

// isLate tells whether a spooled file is a boundary that was put aside, or the note of a process that does not take its step any
// more.
func isLate(name string, now time.Time) bool {
	return strings.HasSuffix(name, lateSuffix) || leftNote(name, now)
}

// takeLate takes the boundaries that were put aside and those whose processes were killed, oldest first. Their files go
// when the step is saved.
func (s *step) takeLate() error {
	entries, err := os.ReadDir(spoolDir(s.repo))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read boundaries put aside: %w", err)
	}
	now := s.time
	defer func() { s.time = now }()
	for _, entry := range entries { // in order of name, which is the order of time
		if !isLate(entry.Name(), now) || len(s.late) == maxLate {
			continue
		}
		killed := !strings.HasSuffix(entry.Name(), lateSuffix)
		name := filepath.Join(spoolDir(s.repo), entry.Name())
		if slices.Contains(s.late, name) {
			continue
		}
		s.late = append(s.late, name)
		raw, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		if killed && string(raw) == gitWrote {
			s.restoredNow()
			continue
		}
		s.state.Lost = s.interval
		decode := decodeLate
		if killed {
			decode = decodeNote
		}
		b, err := decode(raw)
		if err != nil || b.Session == "" {
			s.doubtWindows()
			continue
		}
		s.time = b.Time
		if err := s.takeUnseen(b); err != nil {
			return err
		}
	}
	return nil
}

func decodeLate(raw []byte) (b events.Boundary, err error) {
	err = json.Unmarshal(raw, &b)
	return b, err
}

// lookAhead takes the boundaries that were put aside before a hook takes its own, with a look at the work tree: what had changed
// before the first of them is settled without them. The rest is left to the look of the hook's own boundary, which may be the end
// of a call that told what it wrote.
func (s *step) lookAhead() error {
	if !s.Behind() {
		return nil
	}
	s.askProcesses(s.time)
	s.doubtGone()
	s.env = events.Draft{Method: []events.Method{events.Manual}}
	o, err := s.observe(nil)
	if err == nil {
		err = s.settleFirst(&o, s.meanwhile())
	}
	if err == nil {
		err = s.takeMeanwhile()
	}
	if err != nil {
		return fmt.Errorf("snapshot: %w", err)
	}
	s.ahead = &o
	return nil
}

// takeUnseen is take without a look at the work tree: sessions, prompts and windows move on. What changed meanwhile is
// settled by the next look; only what a call declared is given to it then (see doubted, segments).
func (s *step) takeUnseen(b events.Boundary) error {
	b.Limits = unionLimits(b.Limits, []events.Limit{events.LimitBoundaryLate})
	b.Session = s.sessionOf(b)
	trace := events.NewTraceID(b.Agent, b.Session)
	s.envelope(trace, b)
	sess, adopted := s.adopt(trace, b)
	s.pair(sess, trace, &b)
	ended := s.endWindows(trace, b)
	if err := s.recordEnds(ended); err != nil {
		return err
	}
	if b.Kind == events.ToolBefore || beganUnheard(ended) {
		s.doubtEarlier(trace, b)
	}
	if adopted && b.Kind != events.SessionStart {
		if err := s.startSession(b, "adopted"); err != nil {
			return err
		}
	}
	if err := s.begin(sess, trace, b); err != nil {
		return err
	}
	return s.draft(events.CaptureIncomplete, events.IncompleteData{Boundary: string(b.Kind), Reason: "time_limit"}, nil)
}

// dropLate removes the files of the boundaries that were taken.
func (s *step) dropLate() {
	for _, name := range slices.Backward(s.late) {
		_ = os.Remove(name) // one that stays is taken again: windows and prompts it names are known by then
	}
}
