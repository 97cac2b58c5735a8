package vector

import (
	"fmt"
	"testing"
)

// Of a long file in which one line changed, the lines that stand where they stood are not looked up.
func TestAChangeOfOneLineLooksNothingUp(t *testing.T) {
	text := func(changed string) (lines [][]byte) {
		for i := range 2000 {
			lines = append(lines, fmt.Appendf(nil, "\tline %d of a long file", i))
		}
		lines[1000] = []byte(changed)
		return lines
	}
	old, new := Content{Lines: text("\tbefore")}, text("\tafterwards")
	compare := testing.AllocsPerRun(10, func() { Compare(old, new) })
	if n := testing.AllocsPerRun(10, func() { Moves(Compare(old, new)) }); n > compare+50 {
		t.Errorf("%v allocations, of which %v compare", n, compare)
	}
}
