package trails

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// Drop reports whether the texts that a tool call of a conversation declared for a path must not be kept.
type Drop func(trace events.TraceID, path string, texts ...string) bool

// Forget drops texts of tool calls that the timeline of a work tree keeps. It also drops boundaries with such texts or
// prompts, if they were put aside or their processes were killed. It gives how many files were changed or deleted. With
// dry set it only counts.
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
		said := len(w.Said)
		w.Said = slices.DeleteFunc(w.Said, func(one saying) bool { return drop(w.Trace, one.Path) })
		changed = changed || len(w.Said) < said
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

// forgetLate deletes boundaries that were put aside, and empties the notes of killed processes: an empty note still
// shows that something was lost.
func forgetLate(repo *refs.Repo, drop Drop, dry bool) (int, error) {
	n := 0
	for _, kind := range []struct {
		suffix string
		decode func([]byte) (putAside, error)
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
			if err != nil || saysGitWrote(name, raw) {
				continue
			}
			b, _ := kind.decode(raw) // what is damaged may hold the text all the same
			if !dropsBoundary(repo, b.Boundary, raw, drop) {
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

// dropsBoundary asks drop about the bytes of a boundary, about its prompt, and about the texts that its call
// declared for each path.
func dropsBoundary(repo *refs.Repo, b events.Boundary, raw []byte, drop Drop) bool {
	trace := events.NewTraceID(b.Agent, b.Session)
	texts := []string{string(raw)}
	if b.Prompt != nil {
		texts = append(texts, b.Prompt.Text)
	}
	if drop(trace, "", texts...) {
		return true
	}
	if b.Tool == nil {
		return false
	}
	for _, e := range b.Tool.Edits {
		path, _ := inside(repo.WorkTree, target(e.Path)) // none, where it lies elsewhere
		d := declared{Path: path, Old: e.Old, New: e.New, Before: e.Before, After: e.After}
		if drop(trace, path, d.texts()...) {
			return true
		}
	}
	return false
}

// globSafe takes the meaning from characters that filepath.Glob gives one.
func globSafe(path string) string {
	return strings.NewReplacer("*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}
