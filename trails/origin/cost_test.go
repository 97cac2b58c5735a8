package origin

import (
	"fmt"
	"slices"
	"testing"

	"github.com/git-trace/git-trace/trails/vector"
)

// Of a long file with one new line, only that line and those beside it are looked up elsewhere.
func TestOneNewLineIsLookedUpAlone(t *testing.T) {
	var lines [][]byte
	for i := range 2000 {
		lines = append(lines, fmt.Appendf(nil, "\tline %d of a long file", i))
	}
	source := vector.Content{Lines: lines, Owners: vector.Uniform(len(lines), vector.Unknown)}
	content := slices.Clone(lines)
	content[1000] = []byte("\ta new line of somebody's")
	found := vector.Origins(content, []vector.Content{source})
	c := newCopier(content, found, []vector.Content{source}, 1)
	if len(c.places) != 3 {
		t.Errorf("%d lines are looked up", len(c.places))
	}
	if n := testing.AllocsPerRun(10, func() { newCopier(content, found, []vector.Content{source}, 1) }); n > 50 {
		t.Errorf("%v allocations", n)
	}
}
