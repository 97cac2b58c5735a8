package vector

import (
	"github.com/git-trace/git-trace/trails/linediff"
)

// Content is a content of a file whose owners are known.
type Content struct {
	Lines  [][]byte // lines as linediff.Split returns them
	Owners Vector
	// `Far` makes Origins use lines of this content only if they form enough text together: a brace alone may come from
	// anywhere. Compare ignores it.
	Far bool
	// Faint makes Origins use lines of this content only if they form enough text that no earlier source has. It is for a
	// content without other evidence.
	Faint bool
}

// OwnerOf returns the owner of a line that has the same words as an old line.
func (c Content) OwnerOf(old int, line []byte) Owner {
	return c.Owners.At(old).of(c.Lines[old], line, Reformatted)
}

// `Why` is the reason why a changed line has its owner.
type Why string

// The reasons. They are stored: see events.KeptRun.
const (
	// Written is the reason for a new line: the author of the change owns it.
	Written Why = ""
	// Space means that the line differs from an old one only in white space.
	Space Why = "space"
	// Moved means that the line belongs to a block that was at another place before.
	Moved Why = "moved"
	// Equal means that the line equals an old one, byte for byte. Origins and Matches return it; a change does not list
	// untouched lines.
	Equal Why = "equal"
	// Reformatted means that the line has the words of one or more old lines, or parts of them, with other punctuation or
	// layout.
	Reformatted Why = "reformatted"
)

// OtherForm reports whether lines with this reason may differ from the old lines in their form.
func (w Why) OtherForm() bool { return w == Space || w == Reformatted }

// Change describes the effect of a change on the lines of one file.
type Change struct {
	old    Content
	new    [][]byte
	parts  []part
	capped bool
}

// part is one hunk of a change, line by line.
type part struct {
	linediff.Hunk
	origins []origin // the origin of each new line
	fates   []fate   // the fate of each old line
	// links lists, in order, the places where new lines keep old ones. Lines between two links were replaced.
	links []link
}

// origin is the source of a new line.
type origin struct {
	why    Why
	source *Change // the change from which the line was taken
	line   int     // the old line in that change
	// The fields first and last give the old lines of which the line is another form, if last is not 0.
	first, last int
}

// A fate says whether an old line was deleted, kept or moved away.
type fate byte

const (
	gone fate = iota
	kept
	movedAway
)

// link connects old lines of a hunk with the new lines that keep them. Lines count within the hunk.
type link struct {
	old, new linediff.Range
}

// Compare finds the effect of a change on the lines of a file. A missing file, before or after, has no lines. The
// vector of `old` may be shorter or longer than its lines. Lines without an owner are Unknown.
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
	c.joinParts()
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

// Yield drops each line that equals an old one only in another form, if another source has the line byte for byte. For
// example: one side of a conflict has an agent's brace, and the other side has a person's brace with less white space.
func (c *Change) Yield(elsewhere func(line int) bool) {
	for _, p := range c.parts {
		for i := range p.origins {
			if p.origins[i].why.OtherForm() && elsewhere(p.NewStart+i) {
				p.origins[i] = origin{}
			}
		}
	}
}

// Hunks returns the changed places in order. They are the hunks of linediff with three exceptions. A deletion may be at
// another of several equal places. Hunks that have only braces or blank lines between them may be one. If only
// punctuation of a text remains, the text is one hunk.
func (c *Change) Hunks() []linediff.Hunk {
	hunks := make([]linediff.Hunk, len(c.parts))
	for i, p := range c.parts {
		hunks[i] = p.Hunk
	}
	return hunks
}

// alignDeletions moves every pure deletion, among its equivalent places, so that it begins and ends between two owners.
// Otherwise a deletion of an agent's text could leave its last brace and remove a person's brace instead.
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
		// At least one kept line stays between two hunks.
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
