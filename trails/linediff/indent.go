package linediff

// The indent heuristic chooses a position for a group. At each position there are two cuts of the text, above and below
// the group. A cut is good next to blank lines, and before a line with little indentation. It is bad if it separates
// lines that belong together. The weights are git's (diff.indentHeuristic in git-config(1)); M. Haggerty found them by
// experiments with many projects. Hunks are equal to git's only with the same weights.
const (
	maxIndent = 200 // larger indentations count as this
	maxBlanks = 20  // maximum number of blank lines that are counted above and below a cut
	maxSlide  = 100 // maximum number of lines by which a group moves

	tabWidth = 8
	noIndent = -1 // for a blank line, or no line

	weightStartOfFile   = 1
	weightEndOfFile     = 21
	weightBlank         = -30 // for each blank line above and below the cut
	weightBlankBelow    = 6   // in addition, for each blank line below the cut
	weightDeeper        = -4  // the line below the cut is indented more than the line above
	weightDeeperBlank   = 10
	weightNewBlock      = 24 // it is indented less, and a following line is indented more than it
	weightNewBlockBlank = 17
	weightBlockEnd      = 23 // it is indented less, and no following line is indented more
	weightBlockEndBlank = 17
	weightLessIndented  = 60 // for the position with less indented cuts
)

// badness is the sum of the penalties of the two cuts at one position.
type badness struct {
	indent, penalty int
}

// `worse` reports whether b is a worse position than `other`. Equal positions are not worse.
func (b badness) worse(other badness) bool {
	sign := 0
	switch {
	case b.indent > other.indent:
		sign = 1
	case b.indent < other.indent:
		sign = -1
	}
	return weightLessIndented*sign+b.penalty-other.penalty > 0
}

// bestEnd chooses the end of a group of the given size, with `highest` ≤ end ≤ `lowest`. If several are equal, it
// chooses the lowest.
func bestEnd(lines [][]byte, size, highest, lowest int) int {
	first := max(highest, lowest-size-1, lowest-maxSlide)
	best, least := first, badness{}
	for end := first; end <= lowest; end++ {
		var b badness
		b.add(cutAbove(lines, end))
		b.add(cutAbove(lines, end-size))
		if end == first || !b.worse(least) {
			best, least = end, b
		}
	}
	return best
}

// cut describes the lines around a cut between two lines.
type cut struct {
	atEnd                    bool // no line follows
	indent                   int  // indentation of the line below the cut
	blanksAbove, indentAbove int  // number of blank lines above the cut, and indentation of the first line above them
	blanksBelow, indentBelow int  // the same, below the line that follows the cut
}

func cutAbove(lines [][]byte, at int) cut {
	c := cut{atEnd: at >= len(lines), indent: noIndent}
	if !c.atEnd {
		c.indent = indentOf(lines[at])
	}
	c.blanksAbove, c.indentAbove = lookAway(lines, at-1, -1)
	c.blanksBelow, c.indentBelow = lookAway(lines, at+1, +1)
	return c
}

// lookAway counts the blank lines from one line in one direction, and returns the indentation of the line after them.
func lookAway(lines [][]byte, from, step int) (blanks, indent int) {
	for i := from; i >= 0 && i < len(lines); i += step {
		if indent = indentOf(lines[i]); indent != noIndent {
			return blanks, indent
		}
		if blanks++; blanks == maxBlanks {
			return blanks, 0
		}
	}
	return blanks, noIndent
}

// add adds the penalties of one cut.
func (b *badness) add(c cut) {
	if c.indentAbove == noIndent && c.blanksAbove == 0 {
		b.penalty += weightStartOfFile
	}
	if c.atEnd {
		b.penalty += weightEndOfFile
	}
	blanksBelow, indent := 0, c.indent
	if c.indent == noIndent {
		blanksBelow, indent = 1+c.blanksBelow, c.indentBelow
	}
	blanks := c.blanksAbove + blanksBelow
	b.penalty += weightBlank*blanks + weightBlankBelow*blanksBelow
	b.indent += indent
	if indent == noIndent || c.indentAbove == noIndent {
		return
	}
	switch {
	case indent > c.indentAbove:
		b.penalty += choose(blanks, weightDeeper, weightDeeperBlank)
	case indent == c.indentAbove:
	case c.indentBelow > indent:
		b.penalty += choose(blanks, weightNewBlock, weightNewBlockBlank)
	default:
		b.penalty += choose(blanks, weightBlockEnd, weightBlockEndBlank)
	}
}

func choose(blanks, without, with int) int {
	if blanks == 0 {
		return without
	}
	return with
}

// indentOf returns the width, in columns, of the white space at the beginning of a line, or noIndent for a blank line.
// As in git, vertical tabs and form feeds are not white space.
func indentOf(line []byte) int {
	columns := 0
	for _, c := range line {
		switch c {
		case ' ':
			columns++
		case '\t':
			columns += tabWidth - columns%tabWidth
		case '\r', '\n':
		default:
			return columns
		}
		if columns >= maxIndent {
			return maxIndent
		}
	}
	return noIndent
}
