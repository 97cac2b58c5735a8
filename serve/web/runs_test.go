package web

import (
	"strings"
	"testing"

	"github.com/git-trace/git-trace/blame"
)

// Browsers drop the first end of line in a <pre>. A block whose first line is empty keeps its lines beside their numbers.
func TestALineThatIsEmptyKeepsItsPlace(t *testing.T) {
	t.Parallel()
	human := blame.RunJSON{Start: 1, Count: 3, Contributor: "human"}
	b := &blameBody{}
	b.fill(&blame.RunsJSON{Runs: []blame.RunJSON{human}}, []byte("\n\tx := 1\r\n}\n"), nil, 1)
	got := ""
	for _, w := range b.Blocks[0].Code {
		got += w.Text
	}
	if strings.TrimPrefix(got, "\n") != "\n\tx := 1\n}\n" {
		t.Errorf("a browser shows %q", strings.TrimPrefix(got, "\n"))
	}
}

// The numbers of a block are a text, in which the first line has an address, and the line that is asked for.
func TestTheNumbersOfABlock(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		asked int
		want  string
	}{
		{0, "[7]\n8\n9\n10"}, {7, "[7]\n8\n9\n10"}, {9, "[7]\n8\n[9]\n10"},
		{10, "[7]\n8\n9\n[10]"}, {11, "[7]\n8\n9\n10"},
	} {
		b := &runBlock{RunJSON: blame.RunJSON{Start: 7}, Rows: 4}
		b.number(test.asked)
		var got strings.Builder
		for _, n := range b.Numbers {
			got.WriteString("[" + units(float64(n.Line)) + "]" + n.Rest)
		}
		if got.String() != test.want {
			t.Errorf("asked for %d: %q, not %q", test.asked, got.String(), test.want)
		}
	}
}
