package graph

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/git-trace/git-trace/correlate/belief"
	"github.com/git-trace/git-trace/events"
)

// Uncommitted makes a commit without an id for the changes between HEAD and the work tree.
func Uncommitted(what *belief.Commit) Commit {
	c := Commit{Subject: "not committed", edges: edges{commit: "○ ", pad: "| "}}
	c.credit(what)
	return c
}

// credit fills in the commit's numbers and contributors from its owners.
func (c *Commit) credit(known *belief.Commit) {
	c.Anchored = true
	c.Added, c.AI, c.Human, c.Unknown = known.Added, known.AI, known.Human, known.Unknown
	c.Disputed = known.Disputed
	t := tally{at: map[who]int{}}
	for i := range known.Files {
		f := &known.Files[i]
		for k := range f.Runs {
			if r := &f.Runs[k]; !r.Beyond {
				writer, signer := known.Teller(r)
				t.add(r.Owner, f.Path, Teller{writer, events.OrNull(signer), r.Count})
			}
		}
	}
	c.Contributors = t.sorted()
	if last := len(c.Contributors) - 1; last >= 0 && !c.Contributors[last].Kind.Known() {
		c.Contributors[last].Kind = cmp.Or(c.Nobody, events.OwnerUnknown)
	}
}

// `who` identifies a contributor.
type who struct {
	kind       events.OwnerKind
	trace      events.TraceID
	prompt     int
	model      string
	candidates string
}

// Key identifies a contributor of a commit.
func (c *Contributor) Key() string {
	key := fmt.Sprintf("%s\x00%s\x00%d\x00%s", c.Kind, c.Trace, c.Prompt, c.Model)
	for _, one := range c.Candidates {
		key += "\x00" + string(one.Trace)
	}
	return key
}

// tally counts lines by contributor.
type tally struct {
	list []Contributor
	at   map[who]int
}

// ContributorOf converts an owner to a contributor without lines.
func ContributorOf(o *events.AnchorOwner) Contributor { return newContributor(whoIs(o), o) }

func whoIs(o *events.AnchorOwner) who {
	k := who{kind: o.Kind}
	byAI := o.Kind == events.OwnerAI || o.Kind == events.OwnerMixed
	switch {
	case byAI && o.Trace != "":
		k = who{kind: events.OwnerAI, trace: o.Trace, prompt: o.Prompt, model: o.Model}
	case byAI:
		k.kind = events.OwnerAI
		for _, c := range o.Candidates {
			k.candidates += string(c.Trace) + "\x00"
		}
	case o.Kind != events.OwnerHuman:
		k.kind = events.OwnerUnknown
	}
	return k
}

// add adds lines of a file, and the clone that names their owner.
func (t *tally) add(o *events.AnchorOwner, path string, by Teller) {
	k := whoIs(o)
	i, ok := t.at[k]
	if !ok {
		i = len(t.list)
		t.at[k] = i
		t.list = append(t.list, newContributor(k, o))
	}
	c := &t.list[i]
	c.Lines += by.Lines
	if o.Kind == events.OwnerMixed {
		c.Mixed += by.Lines
	}
	if o.Kind == events.OwnerHuman && o.Previous != "" {
		if c.Replaced == nil {
			c.Replaced = map[events.PatchID]int{}
		}
		c.Replaced[o.Previous] += by.Lines
	}
	c.Tellers = Tell(c.Tellers, by)
	if c.Kind == events.OwnerAI {
		c.AddTool(o.Tool, path, by.Lines)
	}
	if last := len(c.Files) - 1; last >= 0 && c.Files[last].Path == path {
		c.Files[last].Lines += by.Lines
		return
	}
	c.Files = append(c.Files, FileLines{path, by.Lines})
}

// AddTool adds lines of a file that one tool wrote.
func (c *Contributor) AddTool(tool, path string, lines int) {
	if last := len(c.Tools) - 1; last >= 0 && c.Tools[last].Tool == tool && c.Tools[last].Path == path {
		c.Tools[last].Lines += lines
		return
	}
	c.Tools = append(c.Tools, ToolLines{tool, FileLines{path, lines}})
}

func newContributor(k who, o *events.AnchorOwner) Contributor {
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

// `sorted` returns conversations first, then people, then unknown. Conversations are sorted by number of lines, then in
// a fixed order.
func (t *tally) sorted() []Contributor {
	rank := map[events.OwnerKind]int{events.OwnerAI: 0, events.OwnerHuman: 1, events.OwnerUnknown: 2}
	slices.SortStableFunc(t.list, func(a, b Contributor) int {
		return cmp.Or(
			cmp.Compare(rank[a.Kind], rank[b.Kind]), cmp.Compare(b.Lines, a.Lines),
			cmp.Compare(a.Trace, b.Trace), cmp.Compare(a.Prompt, b.Prompt), cmp.Compare(a.Model, b.Model),
		)
	})
	for i := range t.list {
		t.list[i].mergeFiles()
	}
	return t.list
}

// mergeFiles merges entries of the same path that are not adjacent.
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
