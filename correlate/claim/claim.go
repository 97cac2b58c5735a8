// Package claim turns claims about the lines of a commit into events. The claims come from files of other programs or
// from old transcripts.
//
// A claim is weaker than hooks: it fills unknown lines, and does not replace known ones. So a claim is written only
// once. There is one exception: lines that count as a person's only because no hook reported an agent. The agent's own
// record of its edits can dispute them. For example: a session file has exactly the lines that a commit added.
package claim

import (
	"fmt"
	"slices"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// Lines holds the lines that a commit added to a path.
type Lines struct {
	Path  string // raw bytes
	Blob  refs.OID
	Added []int // line numbers, ascending
}

// Unknown reports for each of the lines of a path in a commit whether its owner is unknown. The result is parallel to
// lines.
type Unknown func(path string, lines []int) ([]bool, error)

// Commit holds all claims about a commit.
type Commit struct {
	events.CommitData
	Lines    []Lines // all lines that the commit added
	Anchored bool    // the log already has an anchor of the commit
}

// Dispute decides when a claim takes lines that count as a person's.
type Dispute struct {
	Persons Unknown                                      // reports which lines count as a person's
	May     func(o events.AnchorOwner, tier string) bool // reports whether this owner can take them with this evidence
}

// Fill reduces the claim to lines that the commit added and that are unknown or disputed. The remaining owners get new
// numbers.
func (c *Commit) Fill(unknown Unknown, dispute *Dispute) error {
	owners, used := c.Owners, map[int]int{}
	c.Owners, c.Added, c.AI, c.Human, c.Unknown = nil, 0, 0, 0, 0
	files := c.Files
	c.Files = nil
	for _, f := range files {
		path, err := events.DecodePath(f.Path)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(c.Lines, func(l Lines) bool { return l.Path == path })
		if at < 0 {
			continue
		}
		f.Blob = c.Lines[at].Blob
		open, err := openLines(c.Lines[at], unknown)
		if err != nil {
			return err
		}
		f.Runs, err = cut(f.Runs, owners, c.Lines[at], open, dispute)
		if err != nil {
			return err
		}
		for i := range f.Runs {
			run := &f.Runs[i]
			own, found := used[run.Owner]
			if !found {
				own = len(c.Owners)
				used[run.Owner], c.Owners = own, append(c.Owners, owners[run.Owner])
			}
			run.Owner = own
			c.count(run)
		}
		if len(f.Runs) > 0 {
			c.Files = append(c.Files, f)
		}
	}
	c.Added = c.AI + c.Human
	if !c.Anchored {
		total := 0
		for _, l := range c.Lines {
			total += len(l.Added)
		}
		c.Unknown, c.Added = total-c.Added, total
	}
	return nil
}

func (c *Commit) count(run *events.AnchorRun) {
	switch c.Owners[run.Owner].Kind {
	case events.OwnerAI, events.OwnerMixed:
		c.AI += run.Count
	case events.OwnerHuman:
		c.Human += run.Count
	case events.OwnerUnknown:
	}
}

// openLines returns the unknown added lines.
func openLines(l Lines, unknown Unknown) (map[int]bool, error) {
	open := make(map[int]bool, len(l.Added))
	flags, err := unknown(l.Path, l.Added)
	if err != nil {
		return nil, err
	}
	for i, line := range l.Added {
		if flags[i] {
			open[line] = true
		}
	}
	return open, nil
}

// cut reduces runs to unknown and disputed lines.
func cut(runs []events.AnchorRun, owners []events.AnchorOwner, l Lines, open map[int]bool,
	dispute *Dispute) ([]events.AnchorRun, error) {
	var disputed []events.AnchorRun
	if dispute != nil {
		for _, run := range runs {
			if dispute.May(owners[run.Owner], run.Tier) {
				disputed = append(disputed, run)
			}
		}
	}
	out := within(runs, open)
	if len(disputed) == 0 {
		return out, nil
	}
	persons, err := openLines(l, dispute.Persons)
	if err != nil {
		return nil, err
	}
	out = append(out, within(disputed, persons)...)
	slices.SortFunc(out, func(a, b events.AnchorRun) int { return a.Start - b.Start })
	return out, nil
}

// `within` reduces runs to a set of lines. It keeps each line once.
func within(runs []events.AnchorRun, lines map[int]bool) []events.AnchorRun {
	var out []events.AnchorRun
	for _, run := range runs {
		for line := run.Start; line < run.Start+run.Count; line++ {
			if !lines[line] {
				continue
			}
			delete(lines, line)
			if last := len(out) - 1; last >= 0 && out[last].Owner == run.Owner && out[last].Tier == run.Tier &&
				out[last].Start+out[last].Count == line {
				out[last].Count++
				continue
			}
			out = append(out, events.AnchorRun{Start: line, Count: 1, Owner: run.Owner, Tier: run.Tier})
		}
	}
	slices.SortFunc(out, func(a, b events.AnchorRun) int { return a.Start - b.Start })
	return out
}

// Bounds of one event. A larger claim gets several events.
const (
	maxRuns   = 4000
	maxOwners = 800
)

// Drafts returns the events of a claim. An empty claim has no events.
func (c *Commit) Drafts(method events.Method, at time.Time) ([]events.Draft, error) {
	if len(c.Files) == 0 {
		return nil, nil
	}
	parts := c.split()
	drafts := make([]events.Draft, 0, len(parts))
	for i, part := range parts {
		part.Commit, part.Parents = c.Commit, c.Parents
		part.Added, part.AI, part.Human, part.Unknown = c.Added, c.AI, c.Human, c.Unknown
		if len(parts) > 1 {
			part.Part, part.Parts = i, len(parts)
		}
		raw, err := events.Encode(part)
		if err != nil {
			return nil, fmt.Errorf("encode anchor: %w", err)
		}
		drafts = append(drafts, events.Draft{
			Time: at.UTC(), Type: events.CommitAnchored, Method: []events.Method{method}, Data: raw,
		})
	}
	return drafts, nil
}

// split divides files and their runs into parts that each fit into an event.
func (c *Commit) split() []events.CommitData {
	var parts []events.CommitData
	var part events.CommitData
	runs, own := 0, map[int]int{}
	flush := func() {
		if len(part.Files) > 0 {
			parts = append(parts, part)
		}
		part, runs = events.CommitData{}, 0
		clear(own)
	}
	for _, f := range c.Files {
		file := events.AnchorFile{Path: f.Path, Blob: f.Blob}
		for _, run := range f.Runs {
			if runs >= maxRuns || len(part.Owners) >= maxOwners {
				if len(file.Runs) > 0 {
					part.Files = append(part.Files, file)
				}
				flush()
				file.Runs = nil
			}
			at, found := own[run.Owner]
			if !found {
				at = len(part.Owners)
				own[run.Owner], part.Owners = at, append(part.Owners, c.Owners[run.Owner])
			}
			run.Owner = at
			file.Runs = append(file.Runs, run)
			runs++
		}
		part.Files = append(part.Files, file)
	}
	flush()
	return parts
}

// Add adds another claim about the same commit. For lines in both claims the earlier claim counts.
func (c *Commit) Add(other *events.CommitData) {
	base := len(c.Owners)
	c.Owners = append(c.Owners, other.Owners...)
	for _, f := range other.Files {
		runs := make([]events.AnchorRun, len(f.Runs))
		for i, run := range f.Runs {
			run.Owner += base
			runs[i] = run
		}
		at := slices.IndexFunc(c.Files, func(own events.AnchorFile) bool { return own.Path == f.Path })
		if at < 0 {
			f.Runs = runs
			c.Files = append(c.Files, f)
			continue
		}
		c.Files[at].Runs = append(c.Files[at].Runs, runs...)
	}
}
