package origin

import (
	"slices"

	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/trails/vector"
)

// Specific is the least number of letters and digits in a line that identifies its source.
const Specific = 12

// copies finds lines that no source has at this place, but at another: in a conflict, a person may keep both versions
// of a line, or change their order. A short line was copied with the next line if the two are neighbours in the source
// too. All sources with such a line must agree on its owner. The sources after the first known ones are exempt: their
// owners are unknown. For example: an agent's branch adds a line above a person's, and the merge puts it below. It
// stays the agent's.
func copies(lines [][]byte, found []vector.Origin, sources []vector.Content, known int) []vector.Origin {
	if !slices.ContainsFunc(found, func(o vector.Origin) bool { return o.Source < 0 }) {
		return found
	}
	c := newCopier(lines, found, sources, known)
	out := singles(found)
	for line := range out {
		if len(c.keys[line]) >= Specific {
			c.copied(out, line, c.places[c.words.row(line, 1)])
		}
		for n := 2; n <= maxParts; n++ {
			for k, from := 0, c.wholes[c.words.row(line, n)]; k < n && len(from) > 0; k++ {
				c.copied(out, line+k, from)
			}
		}
	}
	for line := 1; line < len(out); line++ { // downwards from a copied line, then upwards
		c.copied(out, line, c.beside(line, -1))
	}
	for line := len(out) - 2; line >= 0; line-- {
		c.copied(out, line, c.beside(line, 1))
	}
	for line := range out {
		c.copied(out, line, c.between(out, line))
	}
	return out
}

// singles cuts runs into lines.
func singles(runs []vector.Origin) []vector.Origin {
	var out []vector.Origin
	for _, run := range runs {
		for line := run.Start; line < run.Start+run.Count; line++ {
			one := run
			one.Start, one.Count = line, 1
			out = append(out, one)
		}
	}
	return out
}

type place struct{ source, line int }

// copier looks lines up in the sources of a content. Keys are lines without white space.
type copier struct {
	lines   [][]byte // the content
	sources []vector.Content
	known   int      // the number of first sources with some known owners
	keys    []string // keys of the content's lines
	words   words    // words of the content
	// places holds, by their words, the places of the specific lines searched so far. wholes holds the places of lines
	// with the words of consecutive lines.
	places, wholes map[string][]place
	from           [][]place // for each line of the content: the places from which it was copied
}

// newCopier searches the lines that no source has at their place, and the lines above and below them.
func newCopier(lines [][]byte, found []vector.Origin, sources []vector.Content, known int) *copier {
	c := &copier{
		lines: lines, sources: sources, known: known, keys: linediff.Keys(lines), words: wordsIn(lines),
		places: map[string][]place{}, wholes: map[string][]place{}, from: make([][]place, len(lines)),
	}
	longest := 0
	for _, run := range found {
		if run.Source >= 0 {
			continue
		}
		end := run.Start + run.Count
		for line := max(run.Start-1, 0); line < min(end+1, len(lines)); line++ {
			if key := c.words.row(line, 1); len(c.keys[line]) >= Specific && key != "" {
				c.places[key] = nil
				longest = max(longest, len(key))
			}
			for n := 2; n <= maxParts && run.Start <= line && line+n <= end; n++ {
				if key := c.words.row(line, n); len(key) >= Specific {
					c.wholes[key] = nil
					longest = max(longest, len(key))
				}
			}
		}
	}
	for i, src := range sources {
		if longest == 0 {
			break
		}
		there := wordsIn(src.Lines)
		for line := range src.Lines {
			for n := 1; n <= maxParts; n++ {
				key := there.row(line, n)
				if key == "" || len(key) > longest {
					break
				}
				if at, asked := c.places[key]; asked {
					for k := range n {
						at = append(at, place{i, line + k})
					}
					c.places[key] = at
				}
				if at, asked := c.wholes[key]; asked && n == 1 {
					c.wholes[key] = append(at, place{i, line})
				}
			}
		}
	}
	return c
}

// `has` reports whether the source's line at a place equals a line of the content, except for white space.
func (c *copier) has(p place, line int) bool {
	return string(linediff.StripSpace(c.sources[p.source].Lines[p.line])) == c.keys[line]
}

// `beside` lists the places of a short line, next to the places from which the next line was copied.
func (c *copier) beside(line, next int) []place {
	if len(c.keys[line]) >= Specific {
		return nil
	}
	return c.near(line, c.from[line+next], next)
}

// `near` lists, for each place, the nearest place before it, or after it if `next` is -1, that has a line. Between them
// may stand short lines, and lines that the content does not have.
func (c *copier) near(line int, from []place, next int) []place {
	var out []place
	for _, p := range from {
		lines := c.sources[p.source].Lines
		for at := p.line - next; at >= 0 && at < len(lines) && max(at-p.line, p.line-at) <= maxGap; at -= next {
			if c.has(place{p.source, at}, line) {
				out = append(out, place{p.source, at})
				break
			}
			if key := linediff.StripSpace(lines[at]); len(key) >= Specific && slices.Contains(c.keys, string(key)) {
				break
			}
		}
	}
	return out
}

// maxGap limits the distance of two copied lines in a source between which short lines were copied, too.
const maxGap = 8

// `between` lists the places of a short line between the places of the next lines above and below. One of these lines
// was copied, or only a far source has it: a person who takes some lines of one side of a conflict leaves others out.
// For example: a person keeps the first and the last line of an agent's function, and a brace between them. If the two
// lines are from different sides, the short line was next to one of them there.
func (c *copier) between(out []vector.Origin, line int) []place {
	if out[line].Source >= 0 || len(c.keys[line]) >= Specific {
		return nil
	}
	next := func(step int) int {
		at := line + step
		for at >= 0 && at < len(out) && out[at].Source < 0 && len(c.keys[at]) < Specific {
			at += step
		}
		return at
	}
	first, last := next(-1), next(1)
	if !c.taken(out, first) && !c.taken(out, last) {
		return nil
	}
	var found []place
	together := false
	tops, bottoms := c.placesOf(out, first), c.placesOf(out, last)
	for _, above := range tops {
		for _, below := range bottoms {
			if below.source != above.source || below.line < above.line || below.line-above.line > maxGap {
				continue
			}
			together = true
			for at := above.line + 1; at < below.line; at++ {
				if p := (place{above.source, at}); c.has(p, line) {
					found = append(found, p)
				}
			}
		}
	}
	if together || len(tops) == 0 || len(bottoms) == 0 {
		return found
	}
	return append(c.near(line, tops, -1), c.near(line, bottoms, 1)...)
}

// `taken` reports whether a line was copied. A line also counts if only a far content has it at this place (see Far).
func (c *copier) taken(out []vector.Origin, line int) bool {
	if line < 0 || line == len(out) {
		return false
	}
	o := out[line]
	return c.from[line] != nil || o.Source >= 0 && o.Why == vector.Equal && c.sources[o.Source].Far &&
		!c.sources[o.Source].Faint
}

// placesOf lists the places of a specific line, or else the places from which it was taken. The beginning and the end
// of the content also belong to a side of a conflict. For example: a person keeps the first line and the brace of the
// last function of a side.
func (c *copier) placesOf(out []vector.Origin, line int) []place {
	if line < 0 || line == len(out) {
		return c.edges(line)
	}
	if len(c.keys[line]) >= Specific {
		return c.places[c.words.row(line, 1)]
	}
	if c.from[line] != nil || !c.taken(out, line) {
		return c.from[line]
	}
	source := out[line].Source
	if at := linediff.Lineage(c.sources[source].Lines, c.lines)[line]; at >= 0 {
		return []place{{source, at}}
	}
	return nil
}

// edges lists a place in each far source: before its first line if `line` is negative, otherwise after its last line.
func (c *copier) edges(line int) []place {
	var out []place
	for i, src := range c.sources {
		switch {
		case !src.Far:
		case line < 0:
			out = append(out, place{i, -1})
		default:
			out = append(out, place{i, len(src.Lines)})
		}
	}
	return out
}

// `copied` gives a line without a source at its place an owner: the owner of the places from which it was copied.
func (c *copier) copied(out []vector.Origin, line int, from []place) {
	if out[line].Source >= 0 || len(from) == 0 {
		return
	}
	owner := c.sources[from[0].source].Owners.At(from[0].line)
	for _, p := range from[1:] {
		if p.source >= c.known {
			break // an unknown owner does not contradict another
		}
		if other := c.sources[p.source].Owners.At(p.line); other.Kind != owner.Kind || other.Patch != owner.Patch {
			return
		}
	}
	c.from[line] = from
	out[line].Source, out[line].Why, out[line].Owner = from[0].source, vector.Moved, owner
}
