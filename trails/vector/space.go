package vector

import (
	"bytes"

	"github.com/git-trace/git-trace/trails/linediff"
)

// matchSpace finds, line by line, the new lines of a hunk that differ from old ones only in white space. Between them
// it finds lines that have the same words in another form.
func (c *Change) matchSpace(p *part) {
	if p.OldCount == 0 || p.NewCount == 0 {
		return
	}
	old := c.old.Lines[p.OldStart:p.Old().End]
	new := c.new[p.NewStart:p.New().End]
	oldKeys, newKeys := linediff.StripLines(old), linediff.StripLines(new)

	runs := equalRuns(old, new, oldKeys, newKeys)
	reworded, whole := c.rewordings(p, runs)
	if whole {
		runs = nil
	}
	for _, run := range runs {
		for ; len(reworded) > 0 && reworded[0].gap.new.Start < run.new.Start; reworded = reworded[1:] {
			reworded[0].keep(p)
		}
		for k := range run.old.Len() {
			c.keep(p, run.new.Start+k, run.old.Start+k)
		}
		p.link(run)
	}
	for _, r := range reworded {
		r.keep(p)
	}
}

// keep gives a new line of the hunk the owner of an old one.
func (c *Change) keep(p *part, new, old int) {
	p.origins[new] = origin{why: Space, source: c, line: p.OldStart + old}
}

// link records that new lines keep old ones.
func (p *part) link(l link) {
	for i := l.old.Start; i < l.old.End; i++ {
		p.fates[i] = kept
	}
	p.links = append(p.links, l)
}

// equalRuns finds the runs of lines of a hunk that are equal except for white space. First it compares lines with a
// word. Other lines, such as braces and blank lines, match only at the same distance from the matched line above or
// below them, because among changed lines any brace equals any other. For example: a person puts an agent's block into
// an if statement, which indents the block. The block stays the agent's, including its last brace.
func equalRuns(old, new, oldKeys, newKeys [][]byte) []link {
	oldWords, newWords := withWords(oldKeys), withWords(newKeys)
	script := linediff.Diff(pick(old, oldWords), pick(new, newWords), linediff.Options{Key: linediff.NoSpace})

	var runs []link
	i, j := 0, 0
	pair := func(i, j int) {
		if last := len(runs) - 1; last >= 0 && runs[last].old.End == i && runs[last].new.End == j {
			runs[last].old.End++
			runs[last].new.End++
			return
		}
		runs = append(runs, link{linediff.Range{Start: i, End: i + 1}, linediff.Range{Start: j, End: j + 1}})
	}
	oldAt, newAt := 0, 0 // first lines after the last match
	match := func(i, j int) {
		pairTrivial(oldKeys[oldAt:i], newKeys[newAt:j], func(k, l int) { pair(oldAt+k, newAt+l) })
		if i < len(old) {
			pair(i, j)
		}
		oldAt, newAt = i+1, j+1
	}
	end := linediff.Hunk{OldStart: len(oldWords), NewStart: len(newWords)}
	for _, h := range append(script.Hunks, end) {
		for ; i < h.OldStart; i, j = i+1, j+1 {
			match(oldWords[i], newWords[j])
		}
		i, j = h.Old().End, h.New().End
	}
	match(len(old), len(new))
	return runs
}

// withWords returns the indexes of the lines that are not trivial.
func withWords(keys [][]byte) []int {
	var list []int
	for i, key := range keys {
		if letters(key) >= trivial {
			list = append(list, i)
		}
	}
	return list
}

func pick(lines [][]byte, list []int) [][]byte {
	picked := make([][]byte, len(list))
	for i, line := range list {
		picked[i] = lines[line]
	}
	return picked
}

// pairTrivial pairs the equal trivial lines of a gap, in order, from the outside to the inside. Two lines can pair if
// both have the same distance from the gap's beginning, or from its end.
func pairTrivial(old, new [][]byte, pair func(i, j int)) {
	equal := func(i, j int) bool { return letters(old[i]) < trivial && bytes.Equal(old[i], new[j]) }
	top := 0
	oldBottom, newBottom := len(old), len(new)
	var below []int
	for d := range min(len(old), len(new)) {
		if d < oldBottom && d < newBottom && equal(d, d) {
			pair(d, d)
			top = d + 1
		}
		i, j := len(old)-1-d, len(new)-1-d
		if i >= top && j >= top && i < oldBottom && j < newBottom && equal(i, j) {
			below = append(below, d)
			oldBottom, newBottom = i, j
		}
	}
	for k := len(below) - 1; k >= 0; k-- {
		pair(len(old)-1-below[k], len(new)-1-below[k])
	}
}
