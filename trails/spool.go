package trails

import (
	"context"
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
	"github.com/git-trace/git-trace/trails/snapshot"
)

// lateSuffix is the suffix of boundaries that were put aside among the spooled files of a work tree. The name begins
// with the time and the number of the process.
const lateSuffix = ".boundary"

// maxLate bounds how many late boundaries one step takes in.
const maxLate = 256

// errTooLate is of a step that has taken so many and left others, which come before its own boundary.
var errTooLate = fmt.Errorf("more boundaries were put aside than one step takes: %w", context.DeadlineExceeded)

func spoolDir(repo *refs.Repo) string { return filepath.Join(repo.WorktreeTracesDir(), "spool") }

// Late puts aside a boundary that could not be taken in time, with a glance at the work tree if ctx leaves time.
// The next boundary takes it first. So the open windows are not lost.
func (e *Engine) Late(ctx context.Context, b events.Boundary) error {
	aside := putAside{Boundary: withFewTexts(b), Glance: e.glance(ctx, b)}
	if err := refs.MakeDirs(spoolDir(e.repo), 0o700); err != nil {
		return fmt.Errorf("put boundary aside: %w", err)
	}
	at := b.Time
	if aside.Glance != nil { // the boundaries of several agents are in the order in which those looked
		// the stamp of this file must be later than the stamps of the files that the call wrote
		time.Sleep(time.Until(at.Add(snapshot.Slack * 3 / 2)))
		at = time.Now()
	}
	if err := refs.WriteJSON(spooledName(e.repo, at, lateSuffix), aside, refs.WriteFileAtomic); err != nil {
		leaveMissed(e.repo)
		return fmt.Errorf("put boundary aside: %w", err)
	}
	return nil
}

// withFewTexts returns a boundary that is small enough to store: a call's texts can be as large as files.
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

// spooledAt returns the time in the name of a spooled file.
func spooledAt(name string) time.Time {
	at, _, _ := strings.Cut(name, "-")
	nanos, _ := strconv.ParseInt(at, 10, 64) // no number: long ago
	return time.Unix(0, nanos)
}

// spooledBy returns the process in it.
func spooledBy(name string) int {
	_, rest, _ := strings.Cut(name, "-")
	number, _, _ := strings.Cut(rest, ".")
	pid, _ := strconv.Atoi(number) // no number: no process
	return pid
}

// isLate reports whether a spooled file is a boundary that was put aside. The note of a process that was killed
// before it took its step counts as one, too.
func isLate(name string, now time.Time) bool {
	return strings.HasSuffix(name, lateSuffix) || leftNote(name, now)
}

// isLate reports whether a boundary was put aside that no step has taken.
func (s *workTree) isLate(name string, now time.Time) bool {
	return isLate(name, now) && !slices.Contains(s.state.Spooled, name)
}

// waiting lists the boundaries that were put aside and the boundaries of killed processes, oldest first. Those that
// this step has taken are left out.
func (s *step) waiting() []string {
	var out []string
	entries, _ := os.ReadDir(spoolDir(s.repo)) // what cannot be read does not wait
	now := time.Now()
	for _, entry := range entries { // in order of name, which is the order of time
		name := filepath.Join(spoolDir(s.repo), entry.Name())
		if s.isLate(entry.Name(), now) && !slices.Contains(s.queue.late, name) {
			out = append(out, name)
		}
	}
	return out
}

// takeLate takes boundaries that were put aside. Their files are removed when the step is saved. The changes of a
// look that came after them are divided among them as far as the evidence allows; o is nil without a look.
func (s *step) takeLate(names []string, o *observation) error {
	now := s.time
	defer func() { s.time, s.queue.glance = now, nil }()
	if !s.engine.Patient && len(s.queue.late)+len(names) > maxLate {
		return errTooLate
	}
	blind := false // what a call left running may have written at any time since
	for i, name := range names {
		s.queue.late = append(s.queue.late, name)
		raw, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		killed := !strings.HasSuffix(name, lateSuffix)
		if saysGitWrote(name, raw) {
			s.restoredNow()
			continue
		}
		decode := decodeLate
		if killed {
			decode = decodeNote
		}
		b, err := decode(raw)
		blind = blind || b.Glance == nil && endsCommand(b.Boundary)
		s.queue.glance = b.Glance
		if blind || !s.divides(o) {
			s.queue.glance = nil
		}
		s.time = now
		settle := func() error { return s.settleUntil(o, earliest(names[i:])) }
		if err != nil || b.Session == "" {
			err = settle()
			s.lose("")
			s.doubtWindows()
		} else {
			s.time = b.Time
			err = s.takeUnseen(b.Boundary, settle)
		}
		if err != nil {
			return err
		}
		s.countGlance()
	}
	return nil
}

// lookAhead takes the boundaries that were put aside before a hook takes its own. It looks at the work tree and
// settles the changes that were made before each of them. The rest is left to the look of the hook's own boundary,
// which may end a call that reported its edits.
func (s *step) lookAhead() error {
	if !s.engine.Behind() {
		return nil
	}
	s.askProcesses(s.time)
	s.doubtGone()
	s.env = events.Draft{Method: []events.Method{events.Manual}}
	news := s.meanwhile()
	o, err := s.observe(nil)
	if err == nil {
		err = s.takeMeanwhile(&o, news)
	}
	if err != nil {
		return fmt.Errorf("snapshot: %w", err)
	}
	s.queue.ahead = &o
	return nil
}

// takeUnseen is take without a look at the work tree of its own: sessions, prompts and windows move on. settle
// settles the changes that are known to be earlier. Without a glance the others may be earlier too: then a call
// gets only its declared edits (see doubted, segments).
func (s *step) takeUnseen(b events.Boundary, settle func() error) error {
	if s.queue.glance == nil {
		b.Limits = unionLimits(b.Limits, []events.Limit{events.LimitBoundaryLate})
	}
	b.Session = s.sessionOf(b)
	trace := events.NewTraceID(b.Agent, b.Session)
	s.envelope(trace, b)
	if b.Kind == events.ConsentAsked {
		s.asked(trace, b)
		return nil
	}
	if ofEditor(b.Kind) {
		if err := settle(); err != nil {
			return err
		}
		return s.takeBuffer(trace, b, false)
	}
	sess, adopted := s.adopt(trace, b)
	if s.queue.glance != nil {
		s.live(trace, b)
	}
	s.pair(sess, trace, &b)
	s.closing = s.endWindows(trace, b)
	ended := s.closing
	err := settle()
	s.closing = nil
	if err != nil {
		return err
	}
	if s.queue.glance == nil {
		s.lose(events.LimitBoundaryLate)
	}
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
	snap := s.snap
	s.snap = nil // it cannot keep what was there
	err = s.begin(sess, trace, b)
	s.snap = snap
	if err != nil || s.queue.glance != nil {
		return err
	}
	return s.draft(events.CaptureIncomplete, events.IncompleteData{Boundary: string(b.Kind), Reason: "time_limit"}, nil)
}

// dropLate removes the files of boundaries that are in the saved state, and returns the names that could not be
// removed.
func (s *step) dropLate() (left []string) {
	for _, name := range s.state.Spooled {
		if err := os.Remove(filepath.Join(spoolDir(s.repo), name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			left = append(left, name)
		}
	}
	return left
}
