package main

import (
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/records/search"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/refs"
)

// logEntry is a conversation of the list with what its record says.
type logEntry struct {
	conversation
	Usage *usageOf `json:"usage"` // null without a record

	recordOnly bool // the log has no event of it
}

// usageOf is what a conversation used, by its record.
type usageOf struct {
	Steps      int      `json:"steps"`
	Input      int64    `json:"input"`
	Output     int64    `json:"output"`
	CacheRead  int64    `json:"cache_read"`
	CacheWrite int64    `json:"cache_write"`
	CostUSD    *float64 `json:"cost_usd"` // null when a price is not known
	Redactions int      `json:"redactions"`
}

// recordDigests sums up the conversations that have a record. Without any, nothing is opened.
func (a *app) recordDigests(c *cli.Context, repo *refs.Repo) (map[events.TraceID]search.Digest, error) {
	records := store.Open(repo)
	defer func() { _ = records.Close() }()
	tips, err := records.Tips(c.Context)
	if err != nil || len(tips) == 0 {
		return nil, err
	}
	ix, err := a.openSearch(c, repo, records)
	if err != nil {
		return nil, err
	}
	defer ix.Close()
	list, err := ix.Digests()
	if err != nil {
		return nil, fail(exitUnchecked, err, "git trace rebuild makes the caches anew")
	}
	out := make(map[events.TraceID]search.Digest, len(list))
	for _, d := range list {
		if d.Unreadable == "" {
			out[d.Trace] = d
		}
	}
	return out, nil
}

// withRecords adds the conversations of which only the record is here, and keeps the order: the latest first.
func withRecords(logged []index.Trace, digests map[events.TraceID]search.Digest) []index.Trace {
	known := map[events.TraceID]bool{}
	for _, t := range logged {
		known[t.ID] = true
	}
	out := slices.Clone(logged)
	for id, d := range digests {
		if known[id] {
			continue
		}
		t := index.Trace{ID: id, Agent: d.Agent, Session: d.Session, Prompts: d.Prompts, Calls: d.Calls}
		for _, m := range d.Models {
			if m.Model != "" {
				t.Models = append(t.Models, m.Model)
			}
		}
		t.First, _ = time.Parse(time.RFC3339Nano, d.Start) // what is no time is long ago
		t.Last, _ = time.Parse(time.RFC3339Nano, d.End)
		out = append(out, t)
	}
	slices.SortStableFunc(out, func(a, b index.Trace) int { return b.Last.Compare(a.Last) })
	return out
}

// entries puts what records say beside what the log says.
func entries(list []conversation, digests map[events.TraceID]search.Digest) []logEntry {
	out := make([]logEntry, len(list))
	for i, c := range list {
		out[i].conversation = c
		d, found := digests[c.Trace]
		if !found {
			continue
		}
		out[i].Usage = &usageOf{
			Steps: d.Steps, Input: d.Input, Output: d.Output, CacheRead: d.CacheRead, CacheWrite: d.CacheWrite, CostUSD: d.Cost,
			Redactions: d.Redactions,
		}
		out[i].recordOnly = c.Writer == ""
		if out[i].recordOnly && d.Title != "" {
			out[i].Prompt = &promptText{1, d.Title}
		}
	}
	return out
}
