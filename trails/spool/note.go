package spool

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
)

// A process that takes part in the timeline leaves a note among the spooled files of the work tree. It does so before
// it begins, and removes the note when it is done. If its process is gone, the note shows a loss: a look at the work
// tree is missing, and with it the proof of a window's beginning or end. The note holds
//
//   - nothing, while the process does not know its task. Any window may have ended then;
//   - a boundary of an agent (boundaryFields), without the texts that a call declares.
//
// That of a hook that git calls when it has written to the work tree says so by its name: there is no moment at which
// it is there and does not say it.

// BegunSuffix is the suffix of notes. The name begins with the time and the number of the process.
const BegunSuffix = ".begun"

// WroteSuffix is the suffix of the note of a git hook that could not take its step; while the hook is running,
// BegunSuffix follows it.
const WroteSuffix = ".wrote"

// GitWrote is the content of a git hook's note in the form without its own suffix.
const GitWrote = "git wrote\n"

// SaysGitWrote reports whether a note is a git hook's.
func SaysGitWrote(name string, content []byte) bool {
	return strings.HasSuffix(strings.TrimSuffix(name, BegunSuffix), WroteSuffix) ||
		string(content) == GitWrote && !strings.HasSuffix(name, LateSuffix)
}

// begunLong is the age from which the process of a note has certainly ended, whatever process has its number now.
const begunLong = time.Minute

// Note is the note of a running process. A nil Note is a note that could not be written.
type Note struct {
	name string
	file *os.File // while it is empty
}

// Announce leaves an empty note in a work tree, for a process that has just begun. If it cannot write the note, a
// killed process leaves no trace.
func Announce(repo *refs.Repo, at time.Time) *Note { return announce(repo, at, BegunSuffix) }

func announce(repo *refs.Repo, at time.Time, suffix string) *Note {
	name := Name(repo, at, suffix)
	const flags = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	file, err := os.OpenFile(name, flags, 0o600)
	if errors.Is(err, fs.ErrNotExist) && refs.MakeDirs(Dir(repo), 0o700) == nil {
		file, err = os.OpenFile(name, flags, 0o600)
	}
	if err != nil {
		return nil
	}
	return &Note{name, file}
}

// AnnounceWrote leaves a note that git has written to the work tree. The name of the note says so.
func AnnounceWrote(repo *refs.Repo, at time.Time) *Note {
	n := announce(repo, at, WroteSuffix+BegunSuffix)
	if n != nil {
		_ = n.file.Close()
		n.file = nil
	}
	return n
}

func leave(repo *refs.Repo, at time.Time, content []byte) *Note {
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

// End removes the note. A second call does nothing.
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

// Stay leaves the note of a git hook to the next step.
func (n *Note) Stay() {
	if n == nil {
		return
	}
	// under its old name it counts once the process has ended
	_ = os.Rename(n.name, strings.TrimSuffix(n.name, BegunSuffix))
}

// LeaveMissed leaves the empty note of a boundary that could not even be put aside. A full disk usually takes an empty
// file, because that needs only a name.
func LeaveMissed(repo *refs.Repo) {
	if n := Announce(repo, time.Now()); n != nil {
		_ = n.file.Close()
	}
}

func EncodeNote(b events.Boundary) []byte {
	if !b.Answered.IsZero() && b.Kind != events.ToolBefore {
		b.Model = "" // whether it is the call's is not known later
	}
	w := &codec.Writer{}
	boundaryFields(w, &b)
	return w.Out
}

func DecodeNote(raw []byte) (b Boundary, err error) {
	r := &codec.Reader{In: string(raw)}
	boundaryFields(r, &b.Boundary)
	return b, r.End()
}

// Abandoned reports whether a spooled file is a note whose process has ended, or that is older than begunLong. A note
// of this process is not, whatever its time.
func Abandoned(name string, now time.Time) bool {
	stem, found := strings.CutSuffix(name, BegunSuffix)
	at, pid, _ := strings.Cut(strings.TrimSuffix(stem, WroteSuffix), "-")
	number, err := strconv.Atoi(pid)
	nanos, timeErr := strconv.ParseInt(at, 10, 64)
	if !found || err != nil || timeErr != nil || number == os.Getpid() {
		return false
	}
	return !events.ProcessLives(number) || now.Sub(time.Unix(0, nanos)) > begunLong
}

// Left reports whether a spooled file is a note that a process left and will not act on: it was killed, for
// example.
func Left(name string, now time.Time) bool {
	return strings.HasSuffix(name, WroteSuffix) || Abandoned(name, now)
}

// Begin leaves the note of a boundary, or fills in the note that the process left before it knew the boundary. end
// removes the note.
func (n *Note) Begin(repo *refs.Repo, b events.Boundary) (end func()) {
	raw := EncodeNote(b)
	if n == nil || n.file == nil || filepath.Dir(n.name) != Dir(repo) {
		return leave(repo, b.Time, raw).End
	}
	n.fill(raw)
	return n.End
}
