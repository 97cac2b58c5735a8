package vector

import "github.com/git-trace/git-trace/trails/linediff"

// region counts the hunks at the front of a list between which no more than braces and blank lines were kept.
func (c *Change) region(hunks []linediff.Hunk) int {
	n := 1
	for n < len(hunks) && !hasWords(c.new[hunks[n-1].New().End:hunks[n].NewStart]) {
		n++
	}
	return n
}

// matchRegion matches the lines of a region's hunks. The lines kept between them may be misplaced: when a block is
// indented anew, its blank lines are all that stays byte for byte, and one blank line more or less shifts the hunks
// against each other. So the region is also matched as one hunk, and the way that keeps more is taken.
func (c *Change) matchRegion(hunks []linediff.Hunk) []part {
	parts := make([]part, len(hunks))
	apart := 0
	for i, h := range hunks {
		parts[i] = c.newPart(h)
		c.matchSpace(&parts[i])
		apart += c.keptLetters(&parts[i])
		if i > 0 {
			apart += lettersIn(c.new[hunks[i-1].New().End:h.NewStart])
		}
	}
	if len(hunks) == 1 {
		return parts
	}
	first, last := hunks[0], hunks[len(hunks)-1]
	whole := c.newPart(linediff.Hunk{
		OldStart: first.OldStart, OldCount: last.Old().End - first.OldStart,
		NewStart: first.NewStart, NewCount: last.New().End - first.NewStart,
	})
	c.matchSpace(&whole)
	if c.keptLetters(&whole) > apart {
		return []part{whole}
	}
	return parts
}

// keptLetters counts the letters and digits in the new lines of a hunk that are kept.
func (c *Change) keptLetters(p *part) int {
	n := 0
	for i, from := range p.origins {
		if from.why != Written {
			n += letters(c.new[p.NewStart+i])
		}
	}
	return n
}
