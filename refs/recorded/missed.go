package recorded

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/refs"
)

// A hook that cannot record leaves a note wherever the user can write: in the state directory, in the runtime
// directory, in a directory for temporary files. The next process that can record finds it by the git directory. A note
// has the time and the reason, but nothing from the hook's input.

// Reasons of notes.
const (
	WhyUnlisted  = "unlisted"  // the repository was recorded, but not by this user, at this place
	WhyUnwritten = "unwritten" // the git directory could not be written
)

// Missed holds the facts in a work tree's notes.
type Missed struct {
	Calls       int // tool calls whose ends were missed
	Hooks       int // all hooks that were missed
	First, Last time.Time
	Why         []string // the reasons, sorted
	files       []string
}

// Add adds the missed hooks of another time.
func (m *Missed) Add(o Missed) {
	m.Calls, m.Hooks = m.Calls+o.Calls, m.Hooks+o.Hooks
	if m.First.IsZero() || !o.First.IsZero() && o.First.Before(m.First) {
		m.First = o.First
	}
	if o.Last.After(m.Last) {
		m.Last = o.Last
	}
	m.Why = append(m.Why, o.Why...)
	slices.Sort(m.Why)
	m.Why = slices.Compact(m.Why)
}

// maxNote bounds a note, in bytes; hooks missed beyond that are not counted.
const maxNote = 64 << 10

// NoteMissed leaves a note that a hook in a work tree could not record; call is true at the end of a call. It leaves
// one in each place, because a reader may not see all of them. It reports whether it found a place.
func NoteMissed(gitDir, why string, call bool) (left bool) {
	kind := "hook"
	if call {
		kind = "call"
	}
	line := fmt.Sprintf("%s %d %s %s\n", time.Now().UTC().Format(time.RFC3339Nano), os.Getpid(), kind, why)
	for _, dir := range missedDirs() {
		if os.MkdirAll(dir, 0o700) != nil || !private(dir) {
			continue
		}
		path := filepath.Join(dir, name(gitDir))
		if info, err := os.Lstat(path); err == nil && (!info.Mode().IsRegular() || info.Size() > maxNote) {
			left = left || info.Mode().IsRegular() // the full file reports the loss
			continue
		}
		file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			continue
		}
		_, err = file.WriteString(line)
		left = file.Close() == nil && err == nil || left
	}
	return left
}

// NoteUnlisted leaves a note if the found repository has a mark, and so was recorded once, by another user or at
// another place. It does not open the mark.
func NoteUnlisted(found *refs.Found, call bool) {
	if mark, err := os.Lstat(markFile(found.CommonDir)); err == nil && mark.Mode().IsRegular() {
		NoteMissed(found.GitDir, WhyUnlisted, call)
	}
}

// MissedIn reads the notes of a work tree that are later than a moment. Without notes that costs a system call for
// each place.
func MissedIn(gitDir string, after time.Time) Missed {
	var m Missed
	known := map[string]bool{} // the same line is in more places than one
	for _, dir := range missedDirs() {
		path := filepath.Join(dir, name(gitDir))
		if _, err := os.Lstat(path); err != nil || !private(dir) {
			continue
		}
		text, err := readSmall(path)
		if err != nil {
			continue
		}
		m.files = append(m.files, path)
		for line := range strings.Lines(string(text)) {
			if !known[line] {
				known[line] = true
				m.add(strings.Fields(line), after)
			}
		}
	}
	slices.Sort(m.Why)
	m.Why = slices.Compact(m.Why)
	return m
}

// add counts one line of a note.
func (m *Missed) add(fields []string, after time.Time) {
	if len(fields) != 4 {
		return
	}
	at, err := time.Parse(time.RFC3339Nano, fields[0])
	if err != nil || !at.After(after) {
		return
	}
	m.Hooks++
	if fields[2] == "call" {
		m.Calls++
	}
	if m.First.IsZero() || at.Before(m.First) {
		m.First = at
	}
	if at.After(m.Last) {
		m.Last = at
	}
	if fields[3] == WhyUnlisted || fields[3] == WhyUnwritten {
		m.Why = append(m.Why, fields[3])
	}
}

// Forget removes the notes, once their content is stored.
func (m *Missed) Forget() {
	for _, path := range m.files {
		_ = os.Remove(path)
	}
}

// missedDirs returns the places for notes.
func missedDirs() []string {
	var out []string
	add := func(parts ...string) {
		if dir := filepath.Join(parts...); filepath.IsAbs(dir) && !slices.Contains(out, dir) {
			out = append(out, dir)
		}
	}
	if dir, err := StateDir(); err == nil {
		add(dir, "missed")
	}
	uid := strconv.Itoa(os.Getuid())
	if dir := os.Getenv("XDG_RUNTIME_DIR"); dir != "" {
		add(dir, "git-trace", "missed")
	}
	add(os.TempDir(), "git-trace-"+uid, "missed")
	if os.PathSeparator == '/' {
		add("/run/user", uid, "git-trace", "missed")
		add("/tmp", "git-trace-"+uid, "missed")
	}
	return out
}
