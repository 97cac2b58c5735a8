package main

import (
	"bytes"
	"os"
	"path/filepath"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails"
)

// purgedMark is the file that says that a conversation was purged. Its first line is when; where the conversation went
// on afterwards, the second line is when it did so last.
func purgedMark(repo *refs.Repo, trace events.TraceID) string {
	return filepath.Join(purgedDir(repo), filepath.Base(string(trace)))
}

func purgedDir(repo *refs.Repo) string { return filepath.Join(repo.TracesDir(), "purged") }

func markPurged(repo *refs.Repo, trace events.TraceID, times ...time.Time) error {
	var text []byte
	for _, at := range times {
		text = append(at.UTC().AppendFormat(text, time.RFC3339), '\n')
	}
	return refs.WriteFileAtomic(purgedMark(repo, trace), text, 0o600)
}

func wasPurged(repo *refs.Repo, trace events.TraceID) bool {
	_, err := os.Stat(purgedMark(repo, trace))
	return err == nil
}

// passPurged notes that a conversation went on after it was purged, and forgets what was typed in it: no record will
// hold that.
func passPurged(repo *refs.Repo, trace events.TraceID, now time.Time) error {
	purged := now
	if times := purgedTimes(repo, string(trace)); len(times) > 0 {
		purged = times[0]
	}
	if err := markPurged(repo, trace, purged, now); err != nil {
		return err
	}
	prompts := trails.NewPrompts(repo)
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

func purgedTimes(repo *refs.Repo, name string) []time.Time {
	raw, err := os.ReadFile(filepath.Join(purgedDir(repo), name))
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

// purgedTalks are the conversations that are not recorded any more, since they were purged as a whole or for a path.
type purgedTalks struct {
	Count  int        `json:"count"`
	WentOn int        `json:"went_on"` // those of them that went on afterwards
	Last   *time.Time `json:"last"`    // when one of them did so last
}

func purgedConversations(repo *refs.Repo) purgedTalks {
	var p purgedTalks
	entries, _ := os.ReadDir(purgedDir(repo)) // what is not there marks none
	for _, entry := range entries {
		p.Count++
		times := purgedTimes(repo, entry.Name())
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
