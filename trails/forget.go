package trails

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// Drop tells what must not be kept: the texts that a tool call declared for a path, of a conversation.
type Drop func(trace events.TraceID, path string, texts ...string) bool

// Forget drops texts that the timeline of a work tree keeps of open tool calls, and boundaries that were put aside with
// such texts or prompts. It gives how many files were changed or deleted. With dry set it only counts.
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

// forgetLate deletes boundaries that were put aside.
func forgetLate(repo *refs.Repo, drop Drop, dry bool) (int, error) {
	names, err := filepath.Glob(filepath.Join(globSafe(spoolDir(repo)), "*"+lateSuffix))
	if err != nil {
		return 0, err
	}
	n := 0
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		var b events.Boundary
		if json.Unmarshal(raw, &b) != nil {
			continue
		}
		texts := []string{string(raw)}
		if b.Prompt != nil {
			texts = append(texts, b.Prompt.Text)
		}
		if !drop(events.NewTraceID(b.Agent, b.Session), "", texts...) {
			continue
		}
		n++
		if !dry {
			if err := os.Remove(name); err != nil {
				return n, fmt.Errorf("drop boundary: %w", err)
			}
		}
	}
	return n, nil
}

// globSafe takes the meaning from characters that filepath.Glob gives one.
func globSafe(path string) string {
	return strings.NewReplacer("*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}
