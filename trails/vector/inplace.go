package vector

import (
	"math"

	"github.com/git-trace/git-trace/trails/linediff"
)

// A diff keeps as many lines as it can, whichever they are. If the lines around one were replaced, it may call that
// line deleted and added again. It then keeps a `return nil` instead, which is above the line in one text and below it
// in the other.

// distinctLine is the least number of letters and digits in a line that can be recognised alone.
const distinctLine = 12

// inPlace returns the lines whose order did not change. It compares distinct lines that are once in the old text and
// once in the new one, without white space: each must have the same such lines above it, and the same below it, in both
// texts. before and after count each line in the two texts.
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
	least := make([]int, len(keys)+1) // the first place in the old text of this line and the following ones
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
