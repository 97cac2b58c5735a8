package vector

import (
	"bytes"
	"slices"

	"github.com/git-trace/git-trace/trails/linediff"
)

// Origin is a run of lines of a composed content with one source, one reason and one owner.
type Origin struct {
	Start, Count int
	Source       int // index of the source; -1 for lines that are in no source
	Why          Why // Equal, Space, Reformatted or Moved; Written for lines that are in no source
	Owner        Owner
	Same         bool // the lines equal lines of a source with known owners
}

// Origins finds, for every line of a content, the source that has it, and its owner there.
//
// An equal line in a source wins over a line with other white space, and that one wins over a moved line. If two are
// equal, the earlier source wins. A near source got its owners step by step, known or unknown, so it wins over an equal
// line in a far source. Callers put a source with unknown owners last, and set Far for a content that may not be a
// source at all.
//
// If one source has a line alone, and another source has the line with the text around it, the other source wins.
//
// The order matters for lines that occur everywhere. For example, an agent added two functions below a person's
// function, and the first of the two was staged. Compared with the parent, a diff can take either of two closing braces
// as the new one. Compared with the work tree, only the second function is missing, so every brace is matched
// correctly.
func Origins(lines [][]byte, sources []Content) []Origin {
	m := matcher{lines: lines, sources: sources}
	told := make([]bool, len(lines)) // an earlier source has the line
	for _, source := range sources {
		matches := Matches(source, lines)
		switch {
		case source.Faint:
			source.dropLoose(lines, matches, told)
		case source.Far:
			source.dropLoose(lines, matches, nil)
		}
		for i, match := range matches {
			told[i] = told[i] || match.Why != Written
		}
		m.matches = append(m.matches, matches)
	}
	m.giveWay()
	var runs []Origin
	for line := range lines {
		found := m.origin(line)
		if last := len(runs) - 1; last >= 0 {
			run := &runs[last]
			if run.Source == found.Source && run.Why == found.Why && run.Owner == found.Owner {
				run.Count++
				continue
			}
		}
		runs = append(runs, found)
	}
	return runs
}

// Match is the line of an older content from which a line comes.
type Match struct {
	Why         Why // Written if there is none
	Line        int // the old line whose owner it has
	first, last int // range of old lines that the match covers, including lines without words
}

// Matches returns the old line of each new line, including moved lines.
func Matches(old Content, latest [][]byte) []Match {
	c := Compare(old, latest)
	Moves(c)
	return c.matches()
}

// GoesOn reports whether the match `next` continues this one: it has the next old line, or the same one if an old line
// was broken into several.
func (m Match) GoesOn(next Match) bool {
	if m.Why == Reformatted && m.first <= next.first && next.first <= m.last {
		return true
	}
	return next.first == m.last+1
}

// maxGap limits the number of short lines that a row may leave out between two of its lines.
const maxGap = 8

// GoesOn reports whether the match `next` continues the match m, if short lines of the content are left out. For
// example: an undo restores an agent's function, without the blank line that somebody had added.
func (c Content) GoesOn(m, next Match) bool {
	if m.GoesOn(next) {
		return true
	}
	long := func(l []byte) bool { return len(linediff.StripSpace(l)) >= telling }
	return m.last < next.first && next.first <= m.last+maxGap && !slices.ContainsFunc(c.Lines[m.last+1:next.first], long)
}

func (c *Change) matches() []Match {
	matches := make([]Match, len(c.new))
	old, new := 0, 0
	for _, p := range append(c.parts[:len(c.parts):len(c.parts)], c.end()) {
		for ; new < p.NewStart; old, new = old+1, new+1 {
			matches[new] = Match{Equal, old, old, old}
		}
		for i, from := range p.origins {
			matches[new+i] = Match{from.why, from.line, from.line, max(from.line, from.last)}
			if from.why == Reformatted && from.last > 0 {
				matches[new+i].first = from.first
			}
		}
		old, new = p.Old().End, p.New().End
	}
	return matches
}

// telling is the smallest number of letters and digits that makes consecutive lines evidence.
const telling = 12

// dropLoose removes matches of consecutive lines that have too little text together. Text that earlier sources explain
// does not count. For example: a far source has the same closing brace and blank line in a row, and both may come from
// anywhere. A row may be interrupted by the other side of a conflict.
func (c Content) dropLoose(lines [][]byte, matches []Match, told []bool) {
	for first := 0; first < len(matches); {
		if matches[first].Why == Written {
			first++
			continue
		}
		said, last := 0, first
		for next := first; next >= 0; next = c.follower(lines, matches, last) {
			if last = next; told == nil || !told[last] {
				said += letters(lines[last])
			}
		}
		if said < telling {
			for line := first; line <= last; line++ {
				matches[line] = Match{}
			}
		}
		first = last + 1
	}
}

// follower returns the number of the next line of the same row, or -1 if the row ends.
func (c Content) follower(lines [][]byte, matches []Match, line int) int {
	inConflict := false
	for next := line + 1; next < len(matches); next++ {
		switch {
		case matches[next].Why != Written && c.GoesOn(matches[line], matches[next]) && (next == line+1 || inConflict):
			return next
		case matches[next].Why != Written:
			return -1
		}
		inConflict = inConflict || ConflictMarker(lines[next])
	}
	return -1
}

// ConflictMarker reports whether a line is a conflict marker of git (gitattributes(5), conflict-marker-size).
func ConflictMarker(line []byte) bool {
	line = bytes.TrimRight(line, "\r\n")
	for _, mark := range []string{"<<<<<<< ", "||||||| ", ">>>>>>> "} {
		if bytes.HasPrefix(line, []byte(mark)) {
			return true
		}
	}
	return string(line) == "======="
}

// end returns an empty part of the change, after the last line.
func (c *Change) end() part {
	p := part{}
	p.OldStart, p.NewStart = len(c.old.Lines), len(c.new)
	return p
}

// matcher holds the lines of a composition and its sources.
type matcher struct {
	lines   [][]byte
	sources []Content
	matches [][]Match
}

// giveWay drops equal lines of a source if they have little text together, and a later source has them in a row with
// more text. For example: an agent writes a function with a blank line, and a person stages the lines above the blank
// line. The blank line below the staged lines is the parent's.
func (m *matcher) giveWay() {
	if len(m.sources) < 2 {
		return
	}
	firm := make([]bool, len(m.lines)) // lines that a later source has in a longer row
	for s := len(m.matches) - 1; s >= 0; s-- {
		matches := m.matches[s]
		equal := func(line int) bool { return line < len(matches) && matches[line].Why == Equal }
		for first := 0; first < len(matches); first++ {
			if !equal(first) {
				continue
			}
			last, said := first, letters(m.lines[first])
			for equal(last+1) && matches[last].GoesOn(matches[last+1]) {
				last++
				said += letters(m.lines[last])
			}
			for line := first; line <= last; line++ {
				if said >= telling {
					firm[line] = true
				} else if firm[line] {
					matches[line] = Match{}
				}
			}
			first = last
		}
	}
}

// origin returns the origin of one line.
func (m *matcher) origin(line int) Origin {
	for _, why := range []Why{Equal, Space, Reformatted, Moved} {
		for s, matches := range m.matches {
			if matches[line].Why == why {
				from, at := m.sources[s], matches[line].Line
				owner := from.Owners.At(at).of(from.Lines[at], m.lines[line], why)
				return Origin{Start: line, Count: 1, Source: s, Why: why, Owner: owner}
			}
		}
	}
	return Origin{Start: line, Count: 1, Source: -1, Owner: Unknown}
}
