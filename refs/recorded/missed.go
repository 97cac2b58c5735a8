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

// A hook that cannot record leaves a note in every place where the user can write: the state directory, the runtime
// directory, a directory for temporary files. The next process that can record finds the note by the git directory. A
// note contains the time and the reason, and nothing from the hook's input.

// Reasons in notes.
const (
	WhyUnlisted  = "unlisted"  // the repository was recorded, but by another user or at another path
	WhyUnwritten = "unwritten" // the git directory is not writable
)

// Missed is a summary of a work tree's notes.
type Missed struct {
	Calls       int // number of tool calls whose ends were missed
	Hooks       int // number of all missed hooks
	First, Last time.Time
	Why         []string // the reasons, sorted
	files       []string
}

// Add adds the numbers of another summary.
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

// maxNote limits the size of a note in bytes. Missed hooks beyond the bound are not counted.
const maxNote = 64 << 10

// NoteMissed leaves a note that a hook in a work tree could not record. The parameter `call` is true for the end of a
// tool call. It writes the note to every place, because a reader may not have access to all of them. It reports whether
// it could write one.
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
			left = left || info.Mode().IsRegular() // a full file already reports the loss
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

// NoteUnlisted leaves a note if the found repository has a mark. Then the repository was recorded before, by another
// user or at another path. NoteUnlisted does not read the mark.
func NoteUnlisted(found *refs.Found, call bool) {
	if mark, err := os.Lstat(markFile(found.CommonDir)); err == nil && mark.Mode().IsRegular() {
		NoteMissed(found.GitDir, WhyUnlisted, call)
	}
}

// MissedIn reads the notes of a work tree that are later than a given time. Without notes it costs one system call for
// each place.
func MissedIn(gitDir string, after time.Time) Missed {
	var m Missed
	known := map[string]bool{} // several places have the same line
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

// add adds the data of one line of a note.
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

// Forget removes the notes. Callers store their content before.
func (m *Missed) Forget() {
	for _, path := range m.files {
		_ = os.Remove(path)
	}
}

// missedDirs returns the directories for notes.
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
