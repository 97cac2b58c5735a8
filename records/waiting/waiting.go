// Package waiting remembers the conversations with data that is not in a record yet.
//
// Hooks write a note for each conversation, a file in <common git dir>/traces/pending. Then they start a process that
// stores the conversations, and do not wait for it. Hooks link this package, so it imports nothing heavy. A note names
// the session file, but contains none of its text.
package waiting

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// Session is a conversation that waits to be stored.
type Session struct {
	Trace      events.TraceID `json:"trace"`
	Agent      string         `json:"agent"`
	Session    string         `json:"session"`              // the agent's own id
	Transcript string         `json:"transcript,omitempty"` // path of the session file; "" if not reported
	WorkTree   string         `json:"work_tree"`
	// Files holds the other session files of the conversation, in the order of their start, separated by NUL.
	Files string `json:"files,omitempty"`
	// Open says that the turn continues: the note is kept after the conversation is stored.
	Open bool `json:"open"`
}

// Beside returns Files as a list.
func (s Session) Beside() []string {
	if s.Files == "" {
		return nil
	}
	return strings.Split(s.Files, "\x00")
}

// List is the list of waiting conversations of a repository.
type List struct{ dir string }

// Open returns the list of a repository. It neither reads nor writes.
func Open(repo *refs.Repo) *List { return &List{dir: filepath.Join(repo.TracesDir(), "pending")} }

func (l *List) path(trace events.TraceID) string {
	return filepath.Join(l.dir, filepath.Base(string(trace))+noteEnd)
}

// Note puts a conversation on the list, and replaces an older note.
func (l *List) Note(s Session) error {
	if err := refs.WriteJSON(l.path(s.Trace), s, refs.WriteFileAtomic); err != nil {
		return fmt.Errorf("note conversation: %w", err)
	}
	return nil
}

// NoteOnce puts a conversation on the list unless it is already there. An existing note has more data.
func (l *List) NoteOnce(s Session) error {
	if _, err := os.Lstat(l.path(s.Trace)); err == nil {
		return nil
	}
	return l.Note(s)
}

// noteEnd is the extension of notes. Files with other names were left by a process that was killed while it wrote a
// note.
const noteEnd = ".json"

// `Any` reports whether any conversation waits. It only reads the start of a directory.
func (l *List) Any() bool {
	dir, err := os.Open(l.dir)
	if err != nil {
		return false
	}
	defer dir.Close()
	for {
		names, err := dir.Readdirnames(64)
		if slices.ContainsFunc(names, func(name string) bool { return strings.HasSuffix(name, noteEnd) }) {
			return true
		}
		if err != nil || len(names) == 0 {
			return false
		}
	}
}

// abandoned is the age from which an unfinished file is certainly no longer being written.
const abandoned = time.Hour

// `All` returns the waiting conversations, sorted by id. It skips unreadable notes.
func (l *List) All() ([]Session, error) {
	entries, err := os.ReadDir(l.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list conversations: %w", err)
	}
	var out []Session
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), noteEnd) {
			if info, err := entry.Info(); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > abandoned {
				_ = os.Remove(filepath.Join(l.dir, entry.Name()))
			}
			continue
		}
		raw, err := os.ReadFile(filepath.Join(l.dir, entry.Name()))
		var s Session
		if err != nil || json.Unmarshal(raw, &s) != nil || string(s.Trace)+noteEnd != entry.Name() {
			continue
		}
		out = append(out, s)
	}
	return out, nil
}

// Done removes a conversation from the list, unless its note has changed.
func (l *List) Done(s Session) error {
	raw, err := os.ReadFile(l.path(s.Trace))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var now Session
	if err != nil || json.Unmarshal(raw, &now) == nil && now != s {
		return err
	}
	if err := os.Remove(l.path(s.Trace)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("take conversation off the list: %w", err)
	}
	return nil
}
