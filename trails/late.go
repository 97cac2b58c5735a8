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

// The suffixes of boundaries among the spooled files of a work tree: those that were put aside, and those that a process
// has begun to take. The name begins with the time and the number of the process.
const (
	lateSuffix  = ".boundary"
	begunSuffix = ".begun"
)

// begunLong is how old the note of a process is that has ended for sure, whatever has its number now.
const begunLong = time.Minute

// maxLate bounds how many late boundaries one step takes in.
const maxLate = 256

func spoolDir(repo *refs.Repo) string { return filepath.Join(repo.WorktreeTracesDir(), "spool") }

// Late puts a boundary aside that could not be taken in time. The next boundary takes it first. The work tree as it was
// at its moment is lost, which the events say; which windows were open is not.
func (e *Engine) Late(b events.Boundary) error {
	if b.Tool != nil {
		tool := *b.Tool
		tool.Edits = nil // texts are of use only together with the snapshot of their moment
		b.Tool = &tool
	}
	raw, err := json.Marshal(b)
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

func spooledName(repo *refs.Repo, at time.Time, suffix string) string {
	return filepath.Join(spoolDir(repo), fmt.Sprintf("%020d-%d%s", at.UnixNano(), os.Getpid(), suffix))
}

// begin leaves a note that a boundary is being taken, for the next one to find should this process be killed. It is a
// single write: a note that is not whole says nothing. The function it returns takes the note away.
func (e *Engine) begin(b events.Boundary) (end func()) {
	if b.Tool != nil {
		tool := *b.Tool
		tool.Edits = nil
		b.Tool = &tool
	}
	name := spooledName(e.repo, b.Time, begunSuffix)
	raw, err := json.Marshal(b)
	if err == nil {
		err = os.WriteFile(name, raw, 0o600)
	}
	if errors.Is(err, fs.ErrNotExist) && os.MkdirAll(spoolDir(e.repo), 0o700) == nil {
		_ = os.WriteFile(name, raw, 0o600) // without a note a kill is as if the hook had not been called
	}
	return func() { _ = os.Remove(name) }
}

// abandonedNote tells whether a spooled file is the note of a process that was killed.
func abandonedNote(name string, now time.Time) bool {
	stem, found := strings.CutSuffix(name, begunSuffix)
	at, pid, _ := strings.Cut(stem, "-")
	number, err := strconv.Atoi(pid)
	nanos, timeErr := strconv.ParseInt(at, 10, 64)
	if !found || err != nil || timeErr != nil {
		return false
	}
	return !events.ProcessLives(number) || now.Sub(time.Unix(0, nanos)) > begunLong
}

// boundaryLost tells whether a process was killed while it took a boundary, and no other one has come since.
func (s *step) boundaryLost() bool {
	entries, _ := os.ReadDir(spoolDir(s.repo)) // what cannot be read is not there
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return abandonedNote(e.Name(), time.Now()) })
}

// takeLate takes the boundaries that were put aside, oldest first. Their files go when the step is saved.
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
		killed := abandonedNote(entry.Name(), now)
		if !killed && !strings.HasSuffix(entry.Name(), lateSuffix) || len(s.late) == maxLate {
			continue
		}
		name := filepath.Join(spoolDir(s.repo), entry.Name())
		s.late = append(s.late, name)
		raw, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		var b events.Boundary
		if json.Unmarshal(raw, &b) != nil || b.Session == "" {
			continue
		}
		s.time = b.Time
		if killed {
			s.state.Lost = s.interval
		}
		if err := s.takeUnseen(b); err != nil {
			return err
		}
	}
	return nil
}

// takeUnseen is take without a look at the work tree: sessions, prompts and windows move on. What changed meanwhile is
// settled by the next look, with every window that was open since the last one as a possible writer. After a kill, unlike
// after a boundary that was put aside, only what a call declared is given to it (see doubted).
func (s *step) takeUnseen(b events.Boundary) error {
	b.Limits = unionLimits(b.Limits, []events.Limit{events.LimitBoundaryLate})
	b.Session = s.sessionOf(b)
	trace := events.NewTraceID(b.Agent, b.Session)
	s.envelope(trace, b)
	sess, adopted := s.adopt(trace, b)
	s.pair(sess, trace, &b)
	if err := s.recordEnds(s.endWindows(trace, b)); err != nil {
		return err
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
