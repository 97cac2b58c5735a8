package ledger

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/refs"
)

func linesOf(text string) func() [][]byte {
	return func() [][]byte {
		var out [][]byte
		for line := range strings.SplitSeq(text, "|") {
			out = append(out, []byte(line))
		}
		return out
	}
}

func TestWhichContentsALineLeft(t *testing.T) {
	t.Parallel()
	var many []string
	for i := range maxLeft + 1 {
		many = append(many, fmt.Sprint("line ", i))
	}
	for name, tt := range map[string]struct {
		left  string // "content lines" in turn, in the order in which lines left
		asked string
		limit int
		want  string
	}{
		"nothing left the path":                   {"", "one", 9, ""},
		"the content that has the line":           {"A one|two;B three", "two", 9, "A"},
		"the last one first":                      {"A one;B one", "one", 9, "BA"},
		"no more than are asked for":              {"A one;B one;C one", "one", 2, "CB"},
		"a content that lines left twice is once": {"A one;B one;A one|two", "one", 9, "AB"},
		"white space aside":                       {"A if a {", "\tif a  {", 9, "A"},
		"another line":                            {"A one", "two", 9, ""},
		"a blank line says nothing":               {"A one|", "", 9, ""},
		"nothing but a blank line left":           {"A  ", "|one", 9, "A"},
		"one of several":                          {"A one", "zero|one", 9, "A"},
		"a line in other signs":                   {"A f('one', two)", "f(|  \"one\",|  two,|);", 9, "A"},
		"a part of a line":                        {"A var a = 1, b = 'two', c", "b = \"two\", c", 9, "A"},
		"a line of few words in other signs":      {"A f ('one')", "f(\"one\");", 9, "A"},
		"of very many lines it may be any":        {"A " + strings.Join(many, "|"), "another", 9, "A"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := NewKnownIn(t.TempDir())
			names := map[refs.OID]string{}
			for one := range strings.SplitSeq(tt.left, ";") {
				if content, lines, ok := strings.Cut(one, " "); ok {
					names[blob(content)] = content
					k.PutLeft("a", blob(content), linesOf(lines)())
				}
			}
			save(t, k)
			for process, k := range map[string]*Known{"this process": k, "the next": NewKnownIn(k.dir)} {
				got := ""
				for _, id := range k.Left("a", linesOf(tt.asked), tt.limit) {
					got += names[id]
				}
				if got != tt.want {
					t.Errorf("%s: it left %q, want %q", process, got, tt.want)
				}
			}
		})
	}
}

// A line that a killed process left half written hides no other, and a long file loses its older half.
func TestTheFileOfWhatLeftAPath(t *testing.T) {
	t.Parallel()
	k := NewKnownIn(t.TempDir())
	put := func(k *Known, i int) {
		t.Helper()
		var lines [][]byte
		for j := range 40 {
			lines = append(lines, fmt.Appendf(nil, "line%d.%d", j, i))
		}
		k.PutLeft("a", blob(fmt.Sprint(i)), lines)
		save(t, k)
	}
	put(k, 0)
	put(k, 0) // told already
	raw, err := os.ReadFile(k.leftFile("a"))
	if err != nil || strings.Count(string(raw), "\n") != 1 {
		t.Fatalf("the file is %q, %v", raw, err)
	}
	if err := os.WriteFile(k.leftFile("a"), append(raw, raw[:50]...), 0o600); err != nil {
		t.Fatal(err)
	}
	put(NewKnownIn(k.dir), 1)
	asked := func(i int) []refs.OID {
		return NewKnownIn(k.dir).Left("a", linesOf(fmt.Sprintf("line7.%d", i)), 9)
	}
	for i := range 2 {
		if got := asked(i); !slices.Equal(got, []refs.OID{blob(fmt.Sprint(i))}) {
			t.Errorf("line of %d left %v", i, got)
		}
	}
	last := maxLeftBytes / 300
	for i := range last {
		put(NewKnownIn(k.dir), i+2)
	}
	if info, err := os.Stat(k.leftFile("a")); err != nil || info.Size() > maxLeftBytes {
		t.Errorf("the file has %d bytes, %v", info.Size(), err)
	}
	if len(asked(0)) != 0 || len(asked(last+1)) != 1 {
		t.Errorf("of the first there is %v, of the last %v", asked(0), asked(last+1))
	}
}
