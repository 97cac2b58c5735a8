package vector

import (
	"bytes"

	"github.com/git-trace/git-trace/trails/linediff"
)

// shortGap is the number of kept lines between two hunks that may be misplaced although they have words.
const shortGap = 3

// region returns the number of hunks at the start of a list that have only braces and blank lines between them, or at
// most `gap` lines.
func (c *Change) region(hunks []linediff.Hunk, gap int) int {
	n := 1
	for n < len(hunks) {
		between := c.new[hunks[n-1].New().End:hunks[n].NewStart]
		if len(between) > gap && hasWords(between) {
			break
		}
		n++
	}
	return n
}

// matchRegion matches the lines of the region at the start of a list of hunks, and returns the number of its hunks. The
// lines kept between the hunks may be misplaced. If a block is indented again, only its blank lines stay byte for byte
// the same. One more or one less blank line then shifts the hunks against each other. Also, an indented line may now
// equal another line. So matchRegion also matches the region as one hunk, and returns the match that keeps more.
func (c *Change) matchRegion(hunks []linediff.Hunk) (parts []part, taken int) {
	taken = c.region(hunks, shortGap)
	narrow := c.region(hunks, 0)
	if narrow < taken {
		if whole, more := c.matchWhole(hunks[:taken]); more && c.reformed(&whole) {
			return []part{whole}, taken
		}
	}
	for rest := hunks[:taken]; len(rest) > 0; rest = rest[narrow:] {
		narrow = c.region(rest, 0)
		if narrow > 1 {
			if whole, more := c.matchWhole(rest[:narrow]); more {
				parts = append(parts, whole)
				continue
			}
		}
		for _, h := range rest[:narrow] {
			p := c.newPart(h)
			c.matchSpace(&p)
			parts = append(parts, p)
		}
	}
	return parts, taken
}

// matchWhole matches hunks as one, and reports whether that keeps more than matching each hunk alone: more letters, or
// the same number of letters and more lines. For example: two braces were indented, and one of them now equals the old
// form of the other.
func (c *Change) matchWhole(hunks []linediff.Hunk) (whole part, more bool) {
	var apart, together keeping
	for i, h := range hunks {
		p := c.newPart(h)
		c.matchSpace(&p)
		apart.add(c, &p)
		if i > 0 {
			between := c.new[hunks[i-1].New().End:h.NewStart]
			apart.letters += lettersIn(between)
			apart.lines += len(between)
		}
	}
	first, last := hunks[0], hunks[len(hunks)-1]
	whole = c.newPart(linediff.Hunk{
		OldStart: first.OldStart, OldCount: last.Old().End - first.OldStart,
		NewStart: first.NewStart, NewCount: last.New().End - first.NewStart,
	})
	c.matchSpace(&whole)
	together.add(c, &whole)
	return whole, together.letters > apart.letters || together.letters == apart.letters && together.lines > apart.lines
}

// `reformed` reports whether a hunk keeps a line in another form. Only in this case may the unchanged lines between
// hunks be matched with the wrong lines. Otherwise a block moved.
func (c *Change) reformed(p *part) bool {
	for i, from := range p.origins {
		if from.why.OtherForm() && !bytes.Equal(c.old.Lines[from.line], c.new[p.NewStart+i]) {
			return true
		}
	}
	return false
}

// keeping counts the new lines that are kept, and the letters and digits in them.
type keeping struct{ letters, lines int }

func (k *keeping) add(c *Change, p *part) {
	for i, from := range p.origins {
		if from.why != Written {
			k.letters += letters(c.new[p.NewStart+i])
			k.lines++
		}
	}
}
