package vector

import (
	"bytes"
	"regexp"
	"sync"

	"github.com/git-trace/git-trace/trails/linediff"
)

// Lines keep their owners one by one if only their order changed: tools sort imports and lists. But any single line may
// have been deleted at one place and added at another. So there must be evidence that an order changed: the line is an
// import, as common languages write it, or its new place is in a sorted paragraph. An "end" is sorted between two names
// only by chance. For example: a person's editor sorts the imports that an agent wrote, and they stay the agent's.

// minOrdered is the least number of lines in a sorted paragraph: fewer may be sorted by chance. The constant minOld is
// the least number of old lines in it: a single old line has no order.
const (
	minOrdered = 3
	minOld     = 2
)

// importLine matches lines that import names: lines of an import list in Go, and lines that begin with an import
// keyword.
var importLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`^\s*(?:(?:import|from|use|using|include|require|require_relative|require_once|open|export\s.*\sfrom)\b` +
			`|#\s*(?:include|import)\b|@import\b|(?:const|let|var)\s.*\brequire\(` +
			`|(?:[\w.]+\s+)?"[^"\s]+"\s*[;,]?\s*$)`)
})

// reorder lets lines keep their owners if the change only put them in another order, or left them in place. It handles
// lines that were deleted at one place and inserted at another. Each of them has a letter, and is in the old text and
// in the new text exactly once, without white space.
func (c *Change) reorder() {
	left := c.deletedLines()
	if len(left) == 0 {
		return
	}
	var before, after map[string]int // nil until a deleted line is found among the new lines
	inPlace := sync.OnceValue(func() map[string]bool { return c.inPlace(before, after) })
	sorted := map[int]bool{} // by the first line of a paragraph
	for i := range c.parts {
		p := &c.parts[i]
		for line := range p.origins {
			if p.origins[line].why != Written {
				continue
			}
			at := p.NewStart + line
			key := linediff.StripSpace(c.new[at])
			from, found := left[string(key)]
			if !found {
				continue
			}
			if before == nil {
				before, after = countKeys(c.old.Lines), countKeys(c.new)
			}
			if before[string(key)] != 1 || after[string(key)] != 1 ||
				!importLine().Match(c.new[at]) && (letters(key) < trivial || !c.inOrder(at, before, sorted)) &&
					!inPlace()[string(key)] {
				continue
			}
			from.part.fates[from.line] = movedAway
			p.origins[line] = origin{why: Moved, source: c, line: from.part.OldStart + from.line}
		}
	}
}

// deletedLine is an old line of a part that is not kept or moved so far.
type deletedLine struct {
	part *part
	line int
}

// deletedLines returns the deleted lines that have a letter or digit, by their text without white space.
func (c *Change) deletedLines() map[string]deletedLine {
	var out map[string]deletedLine
	for i := range c.parts {
		p := &c.parts[i]
		for line, fate := range p.fates {
			key := linediff.StripSpace(c.old.Lines[p.OldStart+line])
			if fate != gone || letters(key) == 0 {
				continue
			}
			if out == nil {
				out = map[string]deletedLine{}
			}
			out[string(key)] = deletedLine{p, line}
		}
	}
	return out
}

func countKeys(lines [][]byte) map[string]int {
	out := make(map[string]int, len(lines))
	for _, key := range linediff.Keys(lines) {
		out[key]++
	}
	return out
}

// inOrder reports whether a new line is in a sorted paragraph: consecutive lines with letters and the same indentation,
// some of them old. Results are cached by the first line of the paragraph.
func (c *Change) inOrder(at int, before map[string]int, known map[int]bool) bool {
	indent := indentation(c.new[at])
	belongs := func(i int) bool {
		return i >= 0 && i < len(c.new) && letters(c.new[i]) > 0 && bytes.Equal(indentation(c.new[i]), indent)
	}
	first := at
	for belongs(first - 1) {
		first--
	}
	if sorted, done := known[first]; done {
		return sorted
	}
	last, sorted, old := first, true, 0
	for ; last == first || belongs(last); last++ {
		if last > first {
			sorted = sorted && bytes.Compare(bytes.TrimSpace(c.new[last-1]), bytes.TrimSpace(c.new[last])) <= 0
		}
		if before[string(linediff.StripSpace(c.new[last]))] > 0 {
			old++
		}
	}
	known[first] = sorted && last-first >= minOrdered && old >= minOld
	return known[first]
}

func indentation(line []byte) []byte {
	return line[:len(line)-len(bytes.TrimLeft(line, " \t"))]
}
