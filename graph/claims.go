package graph

import (
	"math"

	"github.com/git-trace/git-trace/events"
)

// claimed is an anchor over which claims are laid.
type claimed struct {
	data events.CommitData
	at   map[string]int // index of the file of each path
}

// overlay lays claims over an anchor: a line that was claimed has the owner of the last claim, all others keep theirs. The parts
// of the anchor become one.
func overlay(anchor, claims []events.CommitData) events.CommitData {
	c := &claimed{data: anchor[0], at: map[string]int{}}
	c.data.Part, c.data.Parts, c.data.Owners, c.data.Files = 0, 0, nil, nil
	for _, part := range anchor {
		c.each(part, func(*events.AnchorFile, events.AnchorRun) {})
	}
	for _, claim := range claims {
		c.each(claim, c.take)
	}
	return c.data
}

// each adds the owners and runs of a part, after what is done with the file that a run is added to.
func (c *claimed) each(part events.CommitData, before func(*events.AnchorFile, events.AnchorRun)) {
	first := len(c.data.Owners)
	c.data.Owners = append(c.data.Owners, part.Owners...)
	for _, f := range part.Files {
		i, found := c.at[f.Path]
		if !found {
			i = len(c.data.Files)
			c.at[f.Path] = i
			c.data.Files = append(c.data.Files, events.AnchorFile{Path: f.Path, Blob: f.Blob})
		}
		for _, run := range f.Runs {
			if run.Owner < 0 || run.Owner >= len(part.Owners) || run.Start < 1 || run.Count < 1 || run.Count > math.MaxInt32-run.Start {
				continue // foreign, and not what it says it is
			}
			run.Owner += first
			before(&c.data.Files[i], run)
			c.data.Files[i].Runs = append(c.data.Files[i].Runs, run)
		}
	}
}

// take takes the lines of a run from those that had them; lines that nobody had were unknown.
func (c *claimed) take(f *events.AnchorFile, run events.AnchorRun) {
	var kept []events.AnchorRun
	start, end, had := run.Start, run.Start+run.Count, 0
	for _, r := range f.Runs {
		from, to := max(r.Start, start), min(r.Start+r.Count, end)
		if from >= to {
			kept = append(kept, r)
			continue
		}
		had += to - from
		*c.sum(r.Owner) -= to - from
		if r.Start < from {
			kept = append(kept, events.AnchorRun{Start: r.Start, Count: from - r.Start, Owner: r.Owner, Tier: r.Tier})
		}
		if rest := r.Start + r.Count - to; rest > 0 {
			kept = append(kept, events.AnchorRun{Start: to, Count: rest, Owner: r.Owner, Tier: r.Tier})
		}
	}
	f.Runs = kept
	c.data.Unknown = max(c.data.Unknown-(run.Count-had), 0)
	*c.sum(run.Owner) += run.Count
}

// sum is the figure in which an owner's lines count.
func (c *claimed) sum(owner int) *int {
	switch c.data.Owners[owner].Kind {
	case events.OwnerAI, events.OwnerMixed:
		return &c.data.AI
	case events.OwnerHuman:
		return &c.data.Human
	case events.OwnerUnknown:
	}
	return &c.data.Unknown
}
