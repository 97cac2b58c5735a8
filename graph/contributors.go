package graph

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// bestAnchor puts the parts of anchors together. A commit may have been anchored more than once: from two work trees, or
// in the logs of two people. Of those that are whole, the one that leaves fewest lines unknown counts, then those of the
// log that comes first, which is the own one, and then the last. What was claimed of the commit later is laid over it. ok is false when there is none.
func bestAnchor(commit refs.OID, recorded []events.Event) (best []events.CommitData, ok bool) {
	parts := map[string][]events.CommitData{} // by writer: each log has its own order
	var claims []events.CommitData
	claimed := false // the best is a claim itself
	writer := ""     // of the best
	for i := range recorded {
		e := &recorded[i]
		var data events.CommitData
		if e.Type != events.CommitAnchored || json.Unmarshal(e.Data, &data) != nil || data.Commit != commit {
			continue // foreign, and not what it says it is
		}
		claim := e.Claimed()
		if claim && ok {
			claims = append(claims, data)
			continue
		}
		current := parts[e.Writer]
		if data.Part == 0 {
			current = nil
		}
		if data.Part != len(current) {
			continue // a part of an anchor whose beginning is not here
		}
		if current = append(current, data); len(current) >= max(1, data.Parts) {
			fewer := ok && current[0].Unknown < best[0].Unknown
			later := ok && current[0].Unknown == best[0].Unknown && e.Writer == writer
			if !ok || claimed || fewer || later {
				best, writer, ok, claimed = current, e.Writer, true, claim
			}
			current = nil
		}
		parts[e.Writer] = current
	}
	if len(claims) > 0 {
		best = []events.CommitData{overlay(best, claims)}
	}
	return best, ok
}

// Uncommitted makes a commit without an id of what the work tree has and HEAD has not: the same data that an anchor has,
// about lines that no commit holds yet.
func Uncommitted(data events.CommitData) Commit {
	c := Commit{Subject: "not committed", edges: edges{commit: "○ ", pad: "| "}}
	c.credit([]events.CommitData{data})
	return c
}

// credit fills in what an anchor says of the commit.
func (c *Commit) credit(anchor []events.CommitData) {
	c.Anchored = true
	c.Added, c.AI, c.Human, c.Unknown = anchor[0].Added, anchor[0].AI, anchor[0].Human, anchor[0].Unknown
	t := tally{at: map[who]int{}}
	for _, part := range anchor {
		for _, f := range part.Files {
			for _, run := range f.Runs {
				if run.Owner >= 0 && run.Owner < len(part.Owners) && run.Count > 0 {
					t.add(part.Owners[run.Owner], f.Path, run.Count)
				}
			}
		}
	}
	c.Contributors = t.sorted()
}

// who tells contributors apart.
type who struct {
	kind       events.OwnerKind
	trace      events.TraceID
	prompt     int
	candidates string
}

// tally adds up lines by contributor.
type tally struct {
	list []Contributor
	at   map[who]int
}

func (t *tally) add(o events.AnchorOwner, stored string, lines int) {
	k := who{kind: o.Kind}
	byAI := o.Kind == events.OwnerAI || o.Kind == events.OwnerMixed
	switch {
	case byAI && o.Trace != "":
		k = who{kind: events.OwnerAI, trace: o.Trace, prompt: o.Prompt}
	case byAI:
		k.kind = events.OwnerAI
		for _, c := range o.Candidates {
			k.candidates += string(c.Trace) + "\x00"
		}
	case o.Kind != events.OwnerHuman:
		k.kind = events.OwnerUnknown
	}
	i, ok := t.at[k]
	if !ok {
		i = len(t.list)
		t.at[k] = i
		t.list = append(t.list, newContributor(k, o))
	}
	c := &t.list[i]
	c.Lines += lines
	if o.Kind == events.OwnerMixed {
		c.Mixed += lines
	}
	if c.Model == "" && byAI {
		c.Model = o.Model
	}
	path := events.RawPath(stored)
	if last := len(c.Files) - 1; last >= 0 && c.Files[last].Path == path {
		c.Files[last].Lines += lines
		return
	}
	c.Files = append(c.Files, FileLines{path, lines})
}

func newContributor(k who, o events.AnchorOwner) Contributor {
	c := Contributor{Kind: k.kind}
	if k.kind != events.OwnerAI {
		return c
	}
	c.Trace, c.Prompt, c.Agent, c.Model, c.Session = k.trace, k.prompt, o.Agent, o.Model, o.Session
	if c.Trace != "" {
		return c
	}
	for _, one := range o.Candidates {
		if !slices.ContainsFunc(c.Candidates, func(seen Candidate) bool { return seen.Trace == one.Trace }) {
			c.Candidates = append(c.Candidates, Candidate{one.Trace, one.Agent})
		}
	}
	return c
}

// sorted puts conversations first, then people, then unknown; conversations by lines, then in a fixed order.
func (t *tally) sorted() []Contributor {
	rank := map[events.OwnerKind]int{events.OwnerAI: 0, events.OwnerHuman: 1, events.OwnerUnknown: 2}
	slices.SortStableFunc(t.list, func(a, b Contributor) int {
		return cmp.Or(
			cmp.Compare(rank[a.Kind], rank[b.Kind]), cmp.Compare(b.Lines, a.Lines),
			cmp.Compare(a.Trace, b.Trace), cmp.Compare(a.Prompt, b.Prompt),
		)
	})
	for i := range t.list {
		t.list[i].mergeFiles()
	}
	return t.list
}

// mergeFiles joins entries of one path that did not follow each other.
func (c *Contributor) mergeFiles() {
	at := map[string]int{}
	files := c.Files[:0]
	for _, f := range c.Files {
		if i, ok := at[f.Path]; ok {
			files[i].Lines += f.Lines
			continue
		}
		at[f.Path] = len(files)
		files = append(files, f)
	}
	c.Files = files
}
