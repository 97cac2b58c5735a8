package trails

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/codec"
	"github.com/git-trace/git-trace/refs/recorded"
)

// A process that takes part in the timeline leaves a note among the spooled files of the work tree. It does so
// before it begins, and takes the note away when it is done. If its process is gone, the note shows a loss: a look
// at the work tree is missing, and with it the proof of a window's beginning or end. The note holds
//
//   - nothing, as long as the process does not know what it is about. Any window may have ended then;
//   - a boundary of an agent (boundaryFields), without the texts that a call declares.
//
// That of a hook that git calls when it has written to the work tree says so by its name: there is no moment at which
// it is there and does not say it.

// begunSuffix is the suffix of notes. The name begins with the time and the number of the process.
const begunSuffix = ".begun"

// wroteSuffix is the suffix of the note of a git hook that could not take its step; while the hook is at work,
// begunSuffix stands behind it.
const wroteSuffix = ".wrote"

// gitWrote is the content of a git hook's note in the form without its own suffix.
const gitWrote = "git wrote\n"

// saysGitWrote reports whether a note is a git hook's.
func saysGitWrote(name string, content []byte) bool {
	return strings.HasSuffix(strings.TrimSuffix(name, begunSuffix), wroteSuffix) ||
		string(content) == gitWrote && !strings.HasSuffix(name, lateSuffix)
}

// begunLong is the age from which the process of a note has ended for sure, whatever process has its number now.
const begunLong = time.Minute

// Note is the note of a process at work. A nil Note stands for a note that could not be left.
type Note struct {
	name string
	file *os.File // while it is empty
}

// Announce leaves an empty note in a work tree, for a process that has just begun. Where it cannot be left, a kill is
// as if the process had not been started.
func Announce(repo *refs.Repo, at time.Time) *Note { return announce(repo, at, begunSuffix) }

func announce(repo *refs.Repo, at time.Time, suffix string) *Note {
	name := spooledName(repo, at, suffix)
	const flags = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	file, err := os.OpenFile(name, flags, 0o600)
	if errors.Is(err, fs.ErrNotExist) && refs.MakeDirs(spoolDir(repo), 0o700) == nil {
		file, err = os.OpenFile(name, flags, 0o600)
	}
	if err != nil {
		return nil
	}
	return &Note{name, file}
}

// announceWrote leaves the note of a git hook.
func announceWrote(repo *refs.Repo, at time.Time) *Note {
	n := announce(repo, at, wroteSuffix+begunSuffix)
	if n != nil {
		_ = n.file.Close()
		n.file = nil
	}
	return n
}

// AtWork reports whether a process is at work on the timeline of a work tree: it has its lock, or has left a note and
// lives.
func AtWork(repo *refs.Repo) bool {
	entries, _ := os.ReadDir(spoolDir(repo)) // what cannot be read is not there
	for _, entry := range entries {
		pid, name := spooledBy(entry.Name()), entry.Name()
		if strings.HasSuffix(name, begunSuffix) && !abandonedNote(name, time.Now()) && pid != os.Getpid() {
			return true
		}
	}
	if _, err := os.Stat(lockFile(repo)); err != nil {
		return false
	}
	lock, err := refs.Flock(lockFile(repo), 0)
	if err != nil {
		return true
	}
	lock.Unlock()
	return false
}

func leaveNote(repo *refs.Repo, at time.Time, content []byte) *Note {
	n := Announce(repo, at)
	n.fill(content)
	return n
}

// fill writes the content of the note, in a single write. Half a note counts as an empty note: it shows only that a
// process was there.
func (n *Note) fill(content []byte) {
	if n == nil || n.file == nil {
		return
	}
	_, _ = n.file.Write(content)
	_ = n.file.Close()
	n.file = nil
}

// End takes the note away. Doing so again does nothing.
func (n *Note) End() {
	if n == nil || n.name == "" {
		return
	}
	if n.file != nil {
		_ = n.file.Close()
	}
	_ = os.Remove(n.name)
	*n = Note{}
}

// stay leaves the note of a git hook to the next step.
func (n *Note) stay() {
	if n == nil {
		return
	}
	// under its old name it counts once the process is gone
	_ = os.Rename(n.name, strings.TrimSuffix(n.name, begunSuffix))
}

// leaveMissed leaves the empty note of a boundary that could not even be put aside. A full disk takes an empty file as
// a rule, for that needs no room but a name.
func leaveMissed(repo *refs.Repo) {
	if n := Announce(repo, time.Now()); n != nil {
		_ = n.file.Close()
	}
}

// begin leaves the note of a boundary, or fills in the one that the process has left before it knew of it. The function
// it returns takes the note away.
func (e *Engine) begin(b events.Boundary) (end func()) {
	raw, n := encodeNote(b), e.Announced
	if n == nil || n.file == nil || filepath.Dir(n.name) != spoolDir(e.repo) {
		return leaveNote(e.repo, b.Time, raw).End
	}
	n.fill(raw)
	return n.End
}

func encodeNote(b events.Boundary) []byte {
	if !b.Answered.IsZero() && b.Kind != events.ToolBefore {
		b.Model = "" // whether it is the call's is not known later
	}
	w := &codec.Writer{}
	boundaryFields(w, &b)
	return w.Out
}

func decodeNote(raw []byte) (b putAside, err error) {
	r := &codec.Reader{In: string(raw)}
	boundaryFields(r, &b.Boundary)
	return b, r.End()
}

// abandonedNote reports whether a spooled file is the note of a process that was killed. This one was not, whatever
// its clock says.
func abandonedNote(name string, now time.Time) bool {
	stem, found := strings.CutSuffix(name, begunSuffix)
	at, pid, _ := strings.Cut(strings.TrimSuffix(stem, wroteSuffix), "-")
	number, err := strconv.Atoi(pid)
	nanos, timeErr := strconv.ParseInt(at, 10, 64)
	if !found || err != nil || timeErr != nil || number == os.Getpid() {
		return false
	}
	return !events.ProcessLives(number) || now.Sub(time.Unix(0, nanos)) > begunLong
}

// leftNote reports whether a spooled file is a note that a process left and will not act on: it was killed, for
// example.
func leftNote(name string, now time.Time) bool {
	return strings.HasSuffix(name, wroteSuffix) || abandonedNote(name, now)
}

// readNotes handles the notes of killed processes for readers: it takes no boundary, and puts the changes since the
// last look in doubt.
func (s *workTree) readNotes() {
	entries, _ := os.ReadDir(spoolDir(s.repo)) // what cannot be read is not there
	for _, entry := range entries {
		if !s.isLate(entry.Name(), time.Now()) {
			continue
		}
		raw, err := os.ReadFile(filepath.Join(spoolDir(s.repo), entry.Name()))
		switch {
		case err != nil:
		case saysGitWrote(entry.Name(), raw):
			s.restoredNow()
		default:
			s.lose(events.LimitBoundaryLate)
		}
	}
	if recorded.MissedIn(s.repo.GitDir, s.state.Missed.Last).Hooks > 0 {
		s.lose(events.LimitHookMissed)
	}
}

// lose notes that boundaries were lost since the last look, and why if that is known.
func (s *workTree) lose(why events.Limit) { s.state.Lost, s.state.LostWhy = s.interval, why }

// hearMissed takes into account which hooks could not record, and says so in the log.
func (s *step) hearMissed() error {
	missed := recorded.MissedIn(s.repo.GitDir, s.state.Missed.Last)
	if missed.Hooks == 0 {
		return nil
	}
	s.missed = &missed
	s.state.Missed.Add(missed)
	s.lose(events.LimitHookMissed)
	s.doubtWindows()
	return s.draft(events.CaptureIncomplete, events.IncompleteData{
		Boundary: string(events.ToolAfter), Reason: "not_recorded",
	}, func(d *events.Draft) { d.Method = []events.Method{events.Manual} })
}

// MissedHooks returns the hooks of a work tree that could not record.
func MissedHooks(repo *refs.Repo) recorded.Missed {
	var known recorded.Missed
	if state, err := loadState(repo); err == nil {
		known = state.Missed
	}
	known.Add(recorded.MissedIn(repo.GitDir, known.Last))
	return known
}

// restoredNow notes that git wrote to the work tree since the last look.
func (s *workTree) restoredNow() {
	s.state.RestoredAt, s.asks.Whole.Restored, s.asks.Whole.Doubtful = s.interval, true, false
}

// doubtWindows notes that any window that is open may have ended.
func (s *workTree) doubtWindows() {
	for _, w := range s.state.openWindows() {
		w.Doubt = true
	}
}

// doubtEarlier marks the open windows of a conversation when its next call begins, or ends without a known
// beginning. The next call may run beside them; or their end was lost, and later changes are not theirs.
func (s *workTree) doubtEarlier(trace events.TraceID, b events.Boundary) {
	for _, w := range s.state.openWindows() {
		if w.Trace == trace && w.Subagent == b.Subagent && w.CallID != b.Tool.CallID && !w.Background {
			w.Doubt = true
		}
	}
}
