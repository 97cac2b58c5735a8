package vector

import (
	"slices"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/trails/linediff"
)

// Author returns the writer of a new line. The parameter `hunk` is the index of the line's hunk, and line is its number
// in the new content, from 0.
type Author func(hunk, line int) Owner

// Result holds the owners after a change.
type Result struct {
	Vector Vector
	Hunks  []Hunk
	Capped bool // the line diff reached its bound
}

// Hunk is one changed place with the history of its lines. Lines count from 0 in the old or the new content.
type Hunk struct {
	linediff.Hunk
	// Written lists the new lines that belong to the author.
	Written []linediff.Range
	// Kept lists the new lines that keep an older owner. Each run has one owner and one reason.
	Kept []Kept
	// Replaced lists the patches whose lines were deleted or replaced here, in the order of the lines. Lines that were
	// kept elsewhere do not count.
	Replaced []events.PatchID
}

// Kept is a run of new lines that keep an older owner.
type Kept struct {
	linediff.Range
	Owner Owner
	Why   Why
	// `From` is the change whose old content had the lines. It is this change, except for lines that moved from another
	// file.
	From *Change
}

// Resolve returns the owner of every new line. It calls the function `author` only for written lines, in order. If a
// written line replaced an older one, Resolve sets the owner's Previous, unless the parameter `author` has set it.
func (c *Change) Resolve(author Author) Result {
	result := Result{Capped: c.capped, Hunks: make([]Hunk, len(c.parts))}
	var b Builder
	at := 0
	for i := range c.parts {
		p := &c.parts[i]
		b.AddSlice(c.old.Owners, at, p.OldStart)
		at = p.Old().End
		result.Hunks[i] = c.resolvePart(p, &b, func(line int) Owner { return author(i, line) })
	}
	b.AddSlice(c.old.Owners, at, len(c.old.Lines))
	result.Vector = b.Vector()
	return result
}

func (c *Change) resolvePart(p *part, b *Builder, author func(line int) Owner) Hunk {
	h := Hunk{Hunk: p.Hunk}
	replaced := c.replacedBy(p)
	for i, from := range p.origins {
		line := p.NewStart + i
		if from.why == Written {
			owner := author(line)
			if owner.Previous == "" && replaced[i] >= 0 {
				owner.Previous = previousOf(owner, c.old.Owners.At(p.OldStart+replaced[i]))
			}
			b.Add(owner, 1)
			h.addWritten(line)
			continue
		}
		old := from.source.old
		owner := old.Owners.At(from.line).of(old.Lines[from.line], c.new[line], from.why)
		b.Add(owner, 1)
		h.addKept(Kept{linediff.Range{Start: line, End: line + 1}, owner, from.why, from.source})
	}
	seen := map[events.PatchID]bool{"": true}
	for i, fate := range p.fates {
		if patch := c.old.Owners.At(p.OldStart + i).Patch; fate == gone && !seen[patch] {
			seen[patch] = true
			h.Replaced = append(h.Replaced, patch)
		}
	}
	return h
}

func (h *Hunk) addWritten(line int) {
	if last := len(h.Written) - 1; last >= 0 && h.Written[last].End == line {
		h.Written[last].End++
		return
	}
	h.Written = append(h.Written, linediff.Range{Start: line, End: line + 1})
}

func (h *Hunk) addKept(k Kept) {
	if last := len(h.Kept) - 1; last >= 0 {
		run := &h.Kept[last]
		if run.End == k.Start && run.Owner == k.Owner && run.Why == k.Why && run.From == k.From {
			run.End++
			return
		}
	}
	h.Kept = append(h.Kept, k)
}

// Replaced returns the old line that each new line of a hunk replaced, or -1. Old lines count in the old content.
func (c *Change) Replaced(hunk int) []int {
	p := &c.parts[hunk]
	replaced := c.replacedBy(p)
	for i, old := range replaced {
		if old >= 0 {
			replaced[i] = p.OldStart + old
		}
	}
	return replaced
}

// replacedBy pairs the written lines of a hunk with the old lines that they replaced. Between two places where old
// lines are kept, it pairs the first with the first, the second with the second, and so on. A written line that
// replaced none gets -1. For example: a person writes three lines in place of an agent's two. The first two replaced
// the agent's lines, the third replaced none.
func (c *Change) replacedBy(p *part) []int {
	replaced := make([]int, len(p.origins))
	at := link{}
	end := link{linediff.Range{Start: p.OldCount, End: p.OldCount}, linediff.Range{Start: p.NewCount, End: p.NewCount}}
	for _, next := range append(slices.Clip(p.links), end) {
		old := at.old.End
		for i := at.new.End; i < next.new.End; i++ {
			replaced[i] = -1
			if i >= next.new.Start || p.origins[i].why != Written {
				continue
			}
			for old < next.old.Start && p.fates[old] != gone {
				old++
			}
			if old < next.old.Start {
				replaced[i] = old
				old++
			}
		}
		at = next
	}
	return replaced
}

// previousOf returns the agent's patch that a line replaced: the patch of the replaced line, or, if people changed the
// line several times, the patch from before their first change. For example: an agent writes a line and a person
// changes it twice. The line still has the agent's patch as previous.
func previousOf(author, replaced Owner) events.PatchID {
	switch {
	case replaced.Kind == events.OwnerAI:
		return replaced.Patch
	case author.Kind != events.OwnerAI:
		return replaced.Previous
	}
	return ""
}
