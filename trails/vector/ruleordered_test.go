package vector

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/trails/linediff"
)

// Rule 5.
func TestReorderedLinesAreThoseOfTheRule(t *testing.T) {
	t.Parallel()
	pool := []string{
		"", "}", "import b", "import a", `"fmt"`, "\tbabe", "\taria", "\tc", "dune", "ease", "f", "elevenchars", "twelve_chars1", "fourteen_chars_2",
		"fifteen_chars_of3", "  indented b", "  indented a",
	}
	rounds(t, 6000, pool, func(m *maker) string {
		c := Compare(m.content(9), nil)
		c = Compare(c.old, m.edit(c.old.Lines))
		want := orderedByTheRule(c)
		c.reorder()
		got := map[int]int{}
		for i := range c.parts {
			for k, o := range c.parts[i].origins {
				if o.why == Moved {
					got[c.parts[i].NewStart+k] = o.line
				}
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			return fmt.Sprintf("%s → %s: moved %v, want %v", shown(c.old.Lines), shown(c.new), got, want)
		}
		for _, from := range want {
			for i := range c.parts {
				if at := from - c.parts[i].OldStart; at >= 0 && at < len(c.parts[i].fates) && c.parts[i].fates[at] != movedAway {
					return fmt.Sprintf("%s → %s: old line %d is gone", shown(c.old.Lines), shown(c.new), from)
				}
			}
		}
		return ""
	})
}

func orderedByTheRule(c *Change) map[int]int {
	places := func(lines [][]byte, key string) (at []int) {
		for i := range lines {
			if keyAt(lines, i) == key {
				at = append(at, i)
			}
		}
		return at
	}
	alone := func(key string) (old, new int, is bool) {
		a, b := places(c.old.Lines, key), places(c.new, key)
		if len(a) != 1 || len(b) != 1 || letters([]byte(key)) == 0 {
			return 0, 0, false
		}
		return a[0], b[0], true
	}
	fates := map[int]fate{}
	for i := range c.parts {
		for k, f := range c.parts[i].fates {
			fates[c.parts[i].OldStart+k] = f + 1 // so that one that is not there differs
		}
	}
	out := map[int]int{}
	for i := range c.parts {
		for k, o := range c.parts[i].origins {
			at := c.parts[i].NewStart + k
			key := keyAt(c.new, at)
			from, _, found := alone(key)
			if o.why != Written || !found || fates[from] != gone+1 {
				continue
			}
			isImport := strings.HasPrefix(strings.TrimSpace(string(c.new[at])), "import ") || key == `"fmt"`
			if isImport || letters([]byte(key)) >= 4 && sortedAround(c, at) || letters([]byte(key)) >= 12 && inPlaceByTheRule(c, from, at, alone) {
				out[at] = from
			}
		}
	}
	return out
}

// sortedAround tells whether a line is one of three or more of its indentation that are sorted, two of them old.
func sortedAround(c *Change, at int) bool {
	indent := func(i int) string {
		if i < 0 || i >= len(c.new) || letters(c.new[i]) == 0 {
			return "none"
		}
		return string(c.new[i][:len(c.new[i])-len(bytes.TrimLeft(c.new[i], " \t"))])
	}
	low, high := at, at+1
	for indent(low-1) == indent(at) {
		low--
	}
	for indent(high) == indent(at) {
		high++
	}
	var words []string
	old := 0
	for i := low; i < high; i++ {
		words = append(words, strings.TrimSpace(string(c.new[i])))
		if slices.ContainsFunc(c.old.Lines, func(l []byte) bool { return string(linediff.StripSpace(l)) == keyAt(c.new, i) }) {
			old++
		}
	}
	return len(words) >= 3 && old >= 2 && slices.IsSorted(words)
}

// inPlaceByTheRule tells whether all distinct lines that stand alone in both texts are on the same side of a line in both.
func inPlaceByTheRule(c *Change, from, at int, alone func(string) (int, int, bool)) bool {
	for i := range c.new {
		key := keyAt(c.new, i)
		if old, new, is := alone(key); is && letters([]byte(key)) >= 12 && (old < from) != (new < at) {
			return false
		}
	}
	return true
}

// The end of a block that stands between two names is in order by chance.
func TestAnEndBetweenNamesIsInNoOrder(t *testing.T) {
	t.Parallel()
	old := Content{Lines: linesOf("a_first_name() call_of_it()  some_other(1) \tend")}
	c := Compare(old, linesOf("a_first_name() call_of_it() end store_it()  some_other(1)"))
	c.reorder()
	for i := range c.parts {
		for k, o := range c.parts[i].origins {
			if o.why == Moved {
				t.Errorf("line %d came from line %d", c.parts[i].NewStart+k+1, o.line+1)
			}
		}
	}
}
