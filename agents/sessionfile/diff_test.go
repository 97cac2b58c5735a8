package sessionfile_test

import (
	"reflect"
	"testing"

	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/records/assemble"
)

func TestTheHunksOfADiff(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, diff string
		want       []assemble.Hunk
	}{
		{"a changed line between others", "--- a\n+++ b\n@@ -2,3 +2,3 @@ func main\n x\n-a\n+\tb\n y\n",
			[]assemble.Hunk{{At: 3, Removed: 1, Added: 1, Lines: []string{"\tb"}}}},
		{"two places of one hunk", "@@ -1,4 +1,4 @@\n-a\n x\n+b\n y\n-c\n+d\n",
			[]assemble.Hunk{{At: 1, Removed: 1}, {At: 3, Added: 1, Lines: []string{"b"}}, {At: 4, Removed: 1, Added: 1, Lines: []string{"d"}}}},
		{"lines put in, counted as git does", "@@ -8,0 +9,2 @@\n+a\n+b\n", []assemble.Hunk{{At: 9, Added: 2, Lines: []string{"a", "b"}}}},
		{"lines put in after others", "@@ -1 +1,3 @@\n-a\n+b\n+c\n+d\n@@ -8,0 +11 @@\n+e\n",
			[]assemble.Hunk{{At: 1, Removed: 1, Added: 3, Lines: []string{"b", "c", "d"}}, {At: 9, Added: 1, Lines: []string{"e"}}}},
		{"a new file, as git writes it", "@@ -0,0 +1,2 @@\n+a\n+b\n", []assemble.Hunk{{At: 1, Added: 2, Lines: []string{"a", "b"}}}},
		{"a new file, counted from one", "@@ -1,0 +1,2 @@\n+a\n+b\n", []assemble.Hunk{{At: 1, Added: 2, Lines: []string{"a", "b"}}}},
		{"no line feed at the end", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n",
			[]assemble.Hunk{{At: 1, Removed: 1, Added: 1, Lines: []string{"b"}}}},
		{"a blank context line without its space", "@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n", []assemble.Hunk{{At: 3, Removed: 1, Added: 1, Lines: []string{"c"}}}},
		{"the next file ends it", "@@ -1 +1 @@\n-a\n+b\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n", []assemble.Hunk{{At: 1, Removed: 1, Added: 1, Lines: []string{"b"}}}},
		{"no diff", "hello\n+world\n", nil},
		{"a broken header", "@@ -x +1 @@\n+a\n@@ -1\n+b\n", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := sessionfile.Hunks(test.diff); !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}

func TestWhatChangedBetweenTwoContents(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		before, after string
		want          assemble.Hunk
	}{
		{"a\nb\nc\n", "a\nx\ny\nc\n", assemble.Hunk{At: 2, Removed: 1, Added: 2, Lines: []string{"x", "y"}}},
		{"", "a\n", assemble.Hunk{At: 1, Added: 1, Lines: []string{"a"}}},
		{"a\na\n", "a\na\na\n", assemble.Hunk{At: 3, Added: 1, Lines: []string{"a"}}},
		{"a\nb\n", "b\n", assemble.Hunk{At: 1, Removed: 1, Lines: []string{}}},
	} {
		got := assemble.Changed("f", test.before, test.after)
		if len(got.Hunks) != 1 || !reflect.DeepEqual(got.Hunks[0], test.want) {
			t.Errorf("%q to %q: got %+v", test.before, test.after, got.Hunks)
		}
	}
}
