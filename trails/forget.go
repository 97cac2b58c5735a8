package trails

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// Drop tells what must not be kept: the texts that a tool call declared for a path, of a conversation.
type Drop func(trace events.TraceID, path string, texts ...string) bool

// Forget drops texts that the timeline of a work tree keeps of open tool calls, and boundaries that were put aside, or
// whose processes were killed, with such texts or prompts. It gives how many files were changed or deleted. With dry set it only counts.
func Forget(repo *refs.Repo, drop Drop, dry bool) (int, error) {
	lock, err := refs.Flock(lockFile(repo), lockWait)
	if err != nil {
		return 0, fmt.Errorf("lock timeline: %w", err)
	}
	defer lock.Unlock()
	n, err := forgetLate(repo, drop, dry)
	if err != nil {
		return n, err
	}
	s, err := loadState(repo)
	if err != nil {
		return n, err
	}
	changed := false
	for _, w := range s.Windows {
		for _, e := range w.Edits {
			if drop(w.Trace, e.Path, e.texts()...) {
				w.Edits, changed = nil, true // half of what a call declared says something wrong
				break
			}
		}
	}
	if !changed {
		return n, nil
	}
	if !dry {
		err = s.save(repo)
	}
	return n + 1, err
}

func (d *declared) texts() []string {
	out := []string{d.Old, d.New}
	for _, text := range []*string{d.Before, d.After} {
		if text != nil {
			out = append(out, *text)
		}
	}
	return out
}

// forgetLate deletes boundaries that were put aside, and empties the notes that killed processes left: that they are there
// still tells that something was lost.
func forgetLate(repo *refs.Repo, drop Drop, dry bool) (int, error) {
	n := 0
	for _, kind := range []struct {
		suffix string
		decode func([]byte) (events.Boundary, error)
		forget func(name string) error
	}{
		{lateSuffix, decodeLate, os.Remove},
		{begunSuffix, decodeNote, func(name string) error { return os.Truncate(name, 0) }},
	} {
		names, err := filepath.Glob(filepath.Join(globSafe(spoolDir(repo)), "*"+kind.suffix))
		if err != nil {
			return n, err
		}
		for _, name := range names {
			raw, err := os.ReadFile(name)
			if err != nil || string(raw) == gitWrote {
				continue
			}
			b, _ := kind.decode(raw) // what is damaged may hold the text all the same
			if !drop(events.NewTraceID(b.Agent, b.Session), "", append(boundaryTexts(b), string(raw))...) {
				continue
			}
			n++
			if dry {
				continue
			}
			if err := kind.forget(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return n, fmt.Errorf("drop boundary: %w", err)
			}
		}
	}
	return n, nil
}

func boundaryTexts(b events.Boundary) []string {
	if b.Prompt == nil {
		return nil
	}
	return []string{b.Prompt.Text}
}

// globSafe takes the meaning from characters that filepath.Glob gives one.
func globSafe(path string) string {
	return strings.NewReplacer("*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}
