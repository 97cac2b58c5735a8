package vector

import "github.com/git-trace/git-trace/trails/linediff"

// phrases counts how often every three lines in a row stand in the whole old and the whole new text of a change. Only
// lines that some change deleted have a key, so no others are counted.
type phrases struct {
	old, new map[three]int
}

// unique tells whether a block has three lines that stand once in the file it left, as that was, and once in the file
// it went to, as that is.
func (f *finder) unique(b block) bool {
	from, to := f.phrasesOf(f.deleted[b.d].change).old, f.phrasesOf(f.inserted[b.n].change).new
	for i := range b.lines - 2 {
		if t, _ := threeAt(f.deleted, b.d+i); from[t] == 1 && to[t] == 1 {
			return true
		}
	}
	return false
}

// phrasesOf counts the phrases of a change when it is first asked for them.
func (f *finder) phrasesOf(c *Change) phrases {
	p, seen := f.phrases[c]
	if !seen {
		p = phrases{f.count(c.old.Lines), f.count(c.new)}
		f.phrases[c] = p
	}
	return p
}

func (f *finder) count(lines [][]byte) map[three]int {
	counts := map[three]int{}
	last := three{-1, -1, -1}
	for _, line := range lines {
		key, seen := f.keys[string(linediff.StripSpace(line))]
		if !seen {
			key = -1
		}
		last = three{last[1], last[2], key}
		if last[0] >= 0 && last[1] >= 0 && last[2] >= 0 {
			counts[last]++
		}
	}
	return counts
}
