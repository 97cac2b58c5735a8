package vector

import (
	"math"

	"github.com/git-trace/git-trace/trails/linediff"
)

// A diff keeps as many lines as it can, and does not care which ones. If the lines around a line were replaced, a diff
// may report the line as deleted and added, and keep a trivial line instead. For example: it keeps a `return nil` that
// is above the line in one text and below it in the other.

// distinctLine is the least number of letters and digits of a line that can be identified alone.
const distinctLine = 12

// inPlace returns the lines whose order did not change, by their text without white space. It compares distinct lines
// that both texts have exactly once. Such a line is in place if it has the same distinct lines above it, and the same
// below it, in both texts. `before` and `after` hold the number of times that each text has a line.
func (c *Change) inPlace(before, after map[string]int) map[string]bool {
	once := func(key []byte) bool {
		return before[string(key)] == 1 && after[string(key)] == 1 && letters(key) >= distinctLine
	}
	stood := map[string]int{}
	for i, line := range c.old.Lines {
		if key := linediff.StripSpace(line); once(key) {
			stood[string(key)] = i
		}
	}
	keys := make([]string, 0, len(stood)) // in the order of the new text
	for _, line := range c.new {
		if key := linediff.StripSpace(line); once(key) {
			keys = append(keys, string(key))
		}
	}
	least := make([]int, len(keys)+1) // for each line: the smallest old place of this line and all following ones
	least[len(keys)] = math.MaxInt
	for i := len(keys) - 1; i >= 0; i-- {
		least[i] = min(stood[keys[i]], least[i+1])
	}
	out := map[string]bool{}
	most := -1
	for i, key := range keys {
		at := stood[key]
		if most < at && at < least[i+1] {
			out[key] = true
		}
		most = max(most, at)
	}
	return out
}
