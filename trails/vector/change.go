package vector

import (
	"github.com/git-trace/git-trace/trails/linediff"
)

// Content is a content whose owners are known.
type Content struct {
	Lines  [][]byte // as linediff.Split gives them
	Owners Vector
	// Far makes Origins take only lines from the content that form enough text together: a brace alone may come from
	// anywhere. Compare does not look at it.
	Far bool
	// Faint is Far for a content whose lines are the only evidence: lines together must have text that no source before
	// it has.
	Faint bool
}

// OwnerOf returns the owner of a line with the same words as an old one.
func (c Content) OwnerOf(old int, line []byte) Owner {
	return c.Owners.At(old).of(c.Lines[old], line, Reformatted)
}

// Why is the reason for the owner of a changed line.
type Why string

// The reasons. They are stored: see events.KeptRun.
const (
	// Written is the reason of a new line: the author of the change owns it.
	Written Why = ""
	// Space: the line differs from an old one in white space only.
	Space Why = "space"
	// Moved: the line belongs to a block that was elsewhere before.
	Moved Why = "moved"
	// Equal: the line is an old one, byte for byte. Only Compose uses it; a change does not list untouched lines.
	Equal Why = "equal"
	// Reformatted: the line has the words of an old one, or of parts of old ones, in other signs.
	Reformatted Why = "reformatted"
)

// OtherForm reports whether lines that are kept so may have other signs.
func (w Why) OtherForm() bool { return w == Space || w == Reformatted }

// Change describes what happened to the lines of one file between two contents.
type Change struct {
	old    Content
	new    [][]byte
	parts  []part
	capped bool
}

// part is one hunk of a change, line by line.
type part struct {
	linediff.Hunk
	origins []origin // of the new lines
	fates   []fate   // of the old lines
	// links are the places where old lines are kept in new ones, in order. Lines between two links were replaced.
	links []link
}

// origin says where a new line comes from.
type origin struct {
	why    Why
	source *Change // the change that took the line from its old place
	line   int     // the old line in that change
	// first and last are the old lines of which a line is another form, if last is not 0.
	first, last int
}

// fate says whether an old line was deleted, was kept or moved away.
type fate byte

const (
	gone fate = iota
	kept
	movedAway
)

// link ties old lines of a hunk to the new lines they became; lines count within the hunk.
type link struct {
	old, new linediff.Range
}

// Compare finds what a change did to the lines of a file. A missing file, before or after, has no lines. The vector of
// old may be shorter or longer than its lines; lines without an owner are Unknown.
func Compare(old Content, new [][]byte) *Change {
	script := linediff.Diff(old.Lines, new, linediff.Options{})
	old.Owners = old.Owners.Slice(0, len(old.Lines))
	hunks := alignDeletions(old, script.Hunks)
	c := &Change{old: old, new: new, capped: script.Capped}
	for len(hunks) > 0 {
		parts, taken := c.matchRegion(hunks)
		c.parts = append(c.parts, parts...)
		hunks = hunks[taken:]
	}
	c.spreadForm()
	c.strayBrackets()
	if c.isNewText() {
		whole := linediff.Hunk{OldCount: len(old.Lines), NewCount: len(new)}
		c.parts = []part{c.newPart(whole)}
	}
	return c
}

func (c *Change) newPart(h linediff.Hunk) part {
	return part{Hunk: h, origins: make([]origin, h.NewCount), fates: make([]fate, h.OldCount)}
}

// Yield gives up the lines that are old ones in other signs, if another source has them byte for byte. For example: one
// side of a conflict has the brace of an agent, and the other one a person's with less white space.
func (c *Change) Yield(elsewhere func(line int) bool) {
	for _, p := range c.parts {
		for i := range p.origins {
			if p.origins[i].why.OtherForm() && elsewhere(p.NewStart+i) {
				p.origins[i] = origin{}
			}
		}
	}
}

// Hunks returns the changed places, in order, like linediff with three exceptions: a deletion may be at another of
// several equal places; hunks with only braces or blank lines between them may be one; a text of which only punctuation
// remains is one hunk.
func (c *Change) Hunks() []linediff.Hunk {
	hunks := make([]linediff.Hunk, len(c.parts))
	for i, p := range c.parts {
		hunks[i] = p.Hunk
	}
	return hunks
}

// alignDeletions moves every pure deletion, among its equal places, so that it begins and ends between two owners.
// Otherwise a deletion of an agent's text could leave its last brace and remove a person's instead.
func alignDeletions(old Content, hunks []linediff.Hunk) []linediff.Hunk {
	if len(old.Owners.runs) < 2 {
		return hunks
	}
	border := func(line int) int {
		if line == 0 || line == len(old.Lines) || old.Owners.At(line-1) != old.Owners.At(line) {
			return 1
		}
		return 0
	}
	for i := range hunks {
		h := &hunks[i]
		if h.NewCount > 0 {
			continue
		}
		// One kept line at least stays between two hunks.
		limit := linediff.Range{Start: 0, End: len(old.Lines)}
		if i > 0 {
			limit.Start = hunks[i-1].Old().End + 1
		}
		if i+1 < len(hunks) {
			limit.End = hunks[i+1].OldStart - 1
		}
		room := slideRoom(old.Lines, h.Old(), limit)
		best := bestSlide(h.Old(), room, func(r linediff.Range) int { return border(r.Start) + border(r.End) })
		h.NewStart += best.Start - h.OldStart
		h.OldStart = best.Start
	}
	return hunks
}
