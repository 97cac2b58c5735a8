package purge

import (
	"bytes"
	"os"
	"path/filepath"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/ledger"
)

// markOf returns the file that marks a conversation as purged. Its first line is the time of the purge. If the
// conversation continued after it, the second line is the last such time.
func markOf(repo *refs.Repo, trace events.TraceID) string {
	return filepath.Join(marksDir(repo), filepath.Base(string(trace)))
}

func marksDir(repo *refs.Repo) string { return filepath.Join(repo.TracesDir(), "purged") }

func mark(repo *refs.Repo, trace events.TraceID, times ...time.Time) error {
	var text []byte
	for _, at := range times {
		text = append(at.UTC().AppendFormat(text, time.RFC3339), '\n')
	}
	return refs.WriteFileAtomic(markOf(repo, trace), text, 0o600)
}

// Was reports whether a conversation was purged as a whole, and is therefore no longer recorded.
func Was(repo *refs.Repo, trace events.TraceID) bool {
	_, err := os.Stat(markOf(repo, trace))
	return err == nil
}

// Pass notes that a conversation continued after its purge, and drops its typed prompts, because no record will contain
// them.
func Pass(repo *refs.Repo, trace events.TraceID, now time.Time) error {
	purged := now
	if times := timesOf(repo, string(trace)); len(times) > 0 {
		purged = times[0]
	}
	if err := mark(repo, trace, purged, now); err != nil {
		return err
	}
	prompts := ledger.NewPrompts(repo)
	typed, err := prompts.List(trace)
	if err != nil {
		return err
	}
	for index := range typed {
		if err := prompts.Drop(trace, index); err != nil {
			return err
		}
	}
	return nil
}

func timesOf(repo *refs.Repo, name string) []time.Time {
	raw, err := os.ReadFile(filepath.Join(marksDir(repo), name))
	if err != nil {
		return nil
	}
	var out []time.Time
	for line := range bytes.Lines(raw) {
		at, err := time.Parse(time.RFC3339, string(bytes.TrimSpace(line)))
		if err != nil {
			break
		}
		out = append(out, at)
	}
	return out
}

// Talks describes the conversations that were purged as a whole, and are therefore no longer recorded.
type Talks struct {
	Count  int        `json:"count"`
	WentOn int        `json:"went_on"` // number of conversations that continued after the purge
	Last   *time.Time `json:"last"`    // the last time when one continued
}

// Allow lets a conversation be recorded again.
func Allow(repo *refs.Repo, trace events.TraceID) error { return os.Remove(markOf(repo, trace)) }

// Conversations counts the conversations that have a mark.
func Conversations(repo *refs.Repo) Talks {
	var p Talks
	entries, _ := os.ReadDir(marksDir(repo)) // without the directory there are no marks
	for _, entry := range entries {
		p.Count++
		times := timesOf(repo, entry.Name())
		if len(times) < 2 {
			continue
		}
		p.WentOn++
		if p.Last == nil || times[1].After(*p.Last) {
			p.Last = &times[1]
		}
	}
	return p
}
