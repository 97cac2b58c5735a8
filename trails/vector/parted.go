package vector

import "slices"

// A tool that applies a patch by line numbers may put lines between the parts of a wrapped line. For example:
// lint-staged wraps an agent's staged line, and then brings back the lines below it that were not staged. Both parts of
// the wrapped line stay the agent's.

// newLine is a written line of a change, with its words.
type newLine struct {
	part  *part
	line  int // number within the hunk
	words []uint64
}

// joinParts lets written lines keep the owner of a deleted line, if together they are all its words, in order. The
// deleted line must be evidence alone.
func (c *Change) joinParts() {
	var starts map[uint64][]newLine // by the first word; nil until a deleted line is found
	for k := range c.parts {
		p := &c.parts[k]
		for line, fate := range p.fates {
			at := p.OldStart + line
			if fate != gone || letters(c.old.Lines[at]) < telling {
				continue
			}
			if starts == nil {
				starts = c.newLines()
			}
			for _, found := range partsOf(streamOf(c.old.Lines, at, at+1).keys, starts) {
				found.part.origins[found.line] = origin{Reformatted, c, at, at, at}
				p.fates[line] = kept
			}
		}
	}
}

// newLines returns the written lines that have words, by their first word.
func (c *Change) newLines() map[uint64][]newLine {
	out := map[uint64][]newLine{}
	for k := range c.parts {
		p := &c.parts[k]
		words := streamOf(c.new, p.NewStart, p.New().End)
		for line, from := range p.origins {
			if from.why == Written && !words.wordless(line) {
				keys := words.keys[words.ends[line]:words.ends[line+1]]
				out[keys[0]] = append(out[keys[0]], newLine{p, line, keys})
			}
		}
	}
	return out
}

// partsOf returns the first lines, two or more, that together are some words in order; none if there are no such lines.
func partsOf(words []uint64, starts map[uint64][]newLine) (found []newLine) {
	for len(words) > 0 {
		lines := starts[words[0]]
		next := slices.IndexFunc(lines[:min(len(lines), maxRepeats)], func(l newLine) bool {
			return l.part.origins[l.line].why == Written && (len(found) == 0 || found[len(found)-1].before(l)) &&
				len(l.words) <= len(words) && slices.Equal(l.words, words[:len(l.words)])
		})
		if next < 0 {
			return nil
		}
		found, words = append(found, lines[next]), words[len(lines[next].words):]
	}
	if len(found) < 2 {
		return nil
	}
	return found
}

// `before` reports whether a line stands above another one.
func (l newLine) before(other newLine) bool {
	return l.part.NewStart+l.line < other.part.NewStart+other.line
}
