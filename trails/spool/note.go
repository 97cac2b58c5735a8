package spool

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/codec"
)

// A process that takes part in the timeline leaves a note among the spooled files of the work tree. It writes the note
// before it begins, and removes it when it is done. If the process is gone and the note is not, something was lost: a
// snapshot of the work tree is missing, and with it the proof of the beginning or end of a window. The note contains
//
//   - nothing, while the process does not know its task. Then any window may have ended;
//   - a boundary of an agent, without the texts that a call declares.
//
// If git calls a hook after it has written to the work tree, the name of the hook's note says so from the beginning.

// BegunSuffix is the suffix of notes. The name begins with the time and the id of the process.
const BegunSuffix = ".begun"

// WroteSuffix is the suffix for the note of a git hook that could not do its step. While the hook is running,
// BegunSuffix follows it.
const WroteSuffix = ".wrote"

// GitWrote is the content of a git hook's note in the form whose name has no WroteSuffix.
const GitWrote = "git wrote\n"

// SaysGitWrote reports whether a note is from a git hook.
func SaysGitWrote(name string, content []byte) bool {
	return strings.HasSuffix(strings.TrimSuffix(name, BegunSuffix), WroteSuffix) ||
		string(content) == GitWrote && !strings.HasSuffix(name, LateSuffix)
}

// begunLong is the age from which the process of a note has certainly ended, even if a process has its id now.
const begunLong = time.Minute

// Note is the note of a running process. A nil Note means that the note could not be written.
type Note struct {
	name string
	file *os.File // open while the note is empty
}

// Announce leaves an empty note in a work tree for a process that has just started. If the note cannot be written and
// the process is killed, nothing shows this.
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

// AnnounceWrote leaves a note whose name says that git has written to the work tree.
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

// fill writes the content of the note in a single write. An incomplete note counts as an empty one: it shows only that
// there was a process.
func (n *Note) fill(content []byte) {
	if n == nil || n.file == nil {
		return
	}
	_, _ = n.file.Write(content)
	_ = n.file.Close()
	n.file = nil
}

// End removes the note. Calling it again does nothing.
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

// Stay leaves the note of a git hook for the next step.
func (n *Note) Stay() {
	if n == nil {
		return
	}
	// under this name the note counts when the process has ended
	_ = os.Rename(n.name, strings.TrimSuffix(n.name, BegunSuffix))
}

// LeaveMissed leaves an empty note for a boundary that could not even be stored. An empty file can usually be created
// on a full disk, because it needs only a name.
func LeaveMissed(repo *refs.Repo) {
	if n := Announce(repo, time.Now()); n != nil {
		_ = n.file.Close()
	}
}

// EncodeNote leaves out the texts of edits, because they need the snapshot of that moment.
func EncodeNote(b events.Boundary) []byte {
	if !b.Answered.IsZero() && b.Kind != events.ToolBefore {
		b.Model = "" // later it cannot be known whether this belongs to the call
	}
	b.Answered = time.Time{}
	if b.Tool != nil {
		tool := *b.Tool
		tool.Edits, tool.Names = nil, nil
		b.Tool = &tool
	}
	w := &codec.Writer{}
	codec.Value(w, &b)
	return w.Out
}

func DecodeNote(raw []byte) (b Boundary, err error) {
	r := &codec.Reader{In: string(raw)}
	codec.Value(r, &b.Boundary)
	return b, r.End()
}

// Abandoned reports whether a spooled file is a note whose process has ended, or that is older than begunLong. A note
// of this process never counts.
func Abandoned(name string, now time.Time) bool {
	pid, at := By(name), At(name)
	if !strings.HasSuffix(name, BegunSuffix) || pid == 0 || pid == os.Getpid() || at.UnixNano() == 0 {
		return false
	}
	return !events.ProcessLives(pid) || now.Sub(at) > begunLong
}

// `Left` reports whether a spooled file is a note for which its process will do nothing, for example because it was
// killed.
func Left(name string, now time.Time) bool {
	return strings.HasSuffix(name, WroteSuffix) || Abandoned(name, now)
}

// Begin leaves the note of a boundary, or fills in the note that the process left before it knew the boundary. The
// result `end` removes the note.
func (n *Note) Begin(repo *refs.Repo, b events.Boundary) (end func()) {
	raw := EncodeNote(b)
	if n == nil || n.file == nil || filepath.Dir(n.name) != Dir(repo) {
		return leave(repo, b.Time, raw).End
	}
	n.fill(raw)
	return n.End
}
