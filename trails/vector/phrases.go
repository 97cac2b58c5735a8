package vector

import "github.com/git-trace/git-trace/trails/linediff"

// phrases counts every three consecutive lines in the whole old texts and the whole new texts of the changes. Only
// lines that some change deleted have a key, so other lines are not counted.
type phrases struct {
	old, new map[three]int
}

// `unique` reports whether a block has three consecutive lines that the old texts have once and the new texts have
// once. Then the block cannot come from elsewhere. For example: code often has `if err != nil {`, `return err` and `}`
// in a row, so these three lines are not unique.
func (f *finder) unique(b block) bool {
	if f.phrases.old == nil {
		f.countPhrases()
	}
	for i := range b.lines - 2 {
		if t, _ := threeAt(f.deleted, b.d+i); f.phrases.old[t] == 1 && f.phrases.new[t] == 1 {
			return true
		}
	}
	return false
}

// countPhrases is called only when a short block needs it, because it reads every line.
func (f *finder) countPhrases() {
	f.phrases = phrases{map[three]int{}, map[three]int{}}
	for _, c := range f.changes {
		f.count(c.old.Lines, f.phrases.old)
		f.count(c.new, f.phrases.new)
	}
}

func (f *finder) count(lines [][]byte, counts map[three]int) {
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
}
