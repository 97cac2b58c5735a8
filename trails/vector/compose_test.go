package vector_test

import (
	"testing"

	"github.com/git-trace/git-trace/trails/vector"
)

func TestCompose(t *testing.T) {
	t.Parallel()
	type source struct {
		lines  [][]byte
		owners string
	}
	for _, test := range []struct {
		name    string
		lines   [][]byte
		sources []source // best first
		want    string
	}{
		{
			"D01: only the top of two insertions is staged",
			text("top()", "one()", "two()"),
			[]source{
				{text("top()", "one()", "two()", "bottom()"), "S1 human*2 S1"},
				{text("one()", "two()"), "human*2"},
			},
			"S1 human*2",
		},
		{
			"D02: a line that a later edit changed again is in no source",
			text("one()", "first edit()", "two()"),
			[]source{
				{text("one()", "second edit()", "two()"), "human S2 human"},
				{text("one()", "two()"), "human*2"},
			},
			"human rest human",
		},
		{
			"D02: unless the content between the edits is a source too",
			text("one()", "first edit()", "two()"),
			[]source{
				{text("one()", "second edit()", "two()"), "human S2<S1 human"},
				{text("zero()", "one()", "first edit()", "two()"), "S3 human S1 human"},
				{text("one()", "two()"), "human*2"},
			},
			"human S1 human",
		},
		{
			"D06: of two conversations one is staged",
			text("one()", "a {", "}", "two()"),
			[]source{
				{text("one()", "a {", "}", "b {", "}", "two()"), "human S1*2 S2*2 human"},
				{text("one()", "two()"), "human*2"},
			},
			"human S1*2 human",
		},
		{
			"D06: and the other one",
			text("one()", "b {", "}", "two()"),
			[]source{
				{text("one()", "a {", "}", "b {", "}", "two()"), "human S1*2 S2*2 human"},
				{text("one()", "two()"), "human*2"},
			},
			"human S2*2 human",
		},
		{
			"every brace finds its own when the first of two new functions is staged",
			text("func f() {", "}", "", "func g() {", "}"),
			[]source{
				{text("func f() {", "}", "", "func g() {", "}", "", "func h() {", "}"), "human*2 S1*6"},
				{text("func f() {", "}"), "human*2"},
			},
			"human*2 S1*3",
		},
		{
			"a blank line of a new text is not the parent's, whose neighbours it has",
			text("written above it", "end", "call of the base", "", "print of the base"),
			[]source{
				{text("written above it", "end", "value of a person", "", "print of a person"), "S1 unknown human*3"},
				{text("end", "call of the base", "", "print of the base"), "unknown*4"},
			},
			"S1 unknown*4",
		},
		{
			"a change that is not staged leaves the parent's line",
			text("one()", "two()", "added()"),
			[]source{
				{text("one()", "two(2)", "added()"), "human S1 S1"},
				{text("one()", "two()"), "human human:h1"},
			},
			"human human:h1 S1",
		},
		{
			"a brace written anew in the work tree is not the equal one of an older content",
			text("three()", "}", "five()"),
			[]source{
				{text("three()", "}", "five()", "six()", "one()"), "S3*4 S1"},
				{text("two()", "}", "one()"), "S1*3"},
			},
			"S3*3",
		},
		{
			"a line written anew in the work tree is not the parent's equal line",
			text("}", "one()"),
			[]source{
				{text("}", "one()", "two()"), "S1 human*2"},
				{text("one()", "}"), "human human:h1"},
			},
			"S1 human",
		},
		{
			"what the work tree has of unknown owners is not the parent's equal line",
			text("one()", "two()", "three()"),
			[]source{
				{text("zero()", "one()", "two()", "three()"), "S2 unknown*3"},
				{text("one()", "two()"), "human S1"},
			},
			"unknown*3",
		},
		{
			"a line staged with other white space keeps its owner",
			text("  one()", "two()"),
			[]source{{text("one()", "two()", "three()"), "S1 human S1"}},
			"S1~ human",
		},
		{
			"a text edited while it was staged is nobody's",
			text("one()", "typed in the patch editor", "two()"),
			[]source{{text("one()", "two()"), "human*2"}, {text("one()"), "human"}},
			"human rest human",
		},
		{"without sources everything is rest", text("one()", "two()"), nil, "rest*2"},
		{"an empty file has no owners", nil, []source{{text("one()"), "human"}}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var sources []vector.Content
			for _, s := range test.sources {
				sources = append(sources, content(t, s.lines, s.owners))
			}
			got := vector.Compose(test.lines, sources, func(int) vector.Owner { return vector.ParseOwner("rest") })
			if got.String() != test.want {
				t.Errorf("owners %s, want %s", got, test.want)
			}
		})
	}
}

func TestOriginsNameSourceAndReason(t *testing.T) {
	t.Parallel()
	sources := []vector.Content{
		content(t, text("one()", "two()", "five()"), "S1*2 human"),
		content(t, text("alpha one", "beta two", "gamma three", "one()", "three()", "four()", "six()"), "S2*3 human*4"),
	}
	lines := text("one()", "  two()", "three()", "four()", "six()", "alpha one", "beta two", "gamma three", "typed")
	want := []vector.Origin{
		{Start: 0, Count: 1, Source: 0, Why: vector.Equal, Owner: vector.ParseOwner("S1")},
		{Start: 1, Count: 1, Source: 0, Why: vector.Space, Owner: vector.ParseOwner("S1~")},
		{Start: 2, Count: 3, Source: 1, Why: vector.Equal, Owner: human},
		{Start: 5, Count: 3, Source: 1, Why: vector.Moved, Owner: vector.ParseOwner("S2")},
		{Start: 8, Count: 1, Source: -1, Owner: vector.Unknown},
	}
	got := vector.Origins(lines, sources)
	if len(got) != len(want) {
		t.Fatalf("origins %+v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("origin %d is %+v, want %+v", i, got[i], want[i])
		}
	}
}

// A line that says little stands for itself where its neighbours do not: a side of a conflict is in a row with what is
// around the conflict, and a line that something else cut off is not.
func TestASideOfAConflictStandsInARow(t *testing.T) {
	t.Parallel()
	side := content(t, text("before it all", "x = 1", "}", "behind it all"), "human S1*2 human")
	side.Far = true
	for name, c := range map[string]struct {
		lines []string
		want  string // owner of the line
	}{
		"in a conflict":    {[]string{"before it all", "<<<<<<< HEAD", "x = 2", "=======", "x = 1", "}", ">>>>>>> other", "behind it all"}, "S1"},
		"resolved":         {[]string{"before it all", "x = 2", "x = 1", "}", "behind it all"}, "S1"},
		"without its end":  {[]string{"x = 2", "x = 1", "behind it all"}, "S1"},
		"cut off":          {[]string{"before it all", "y", "x = 1", "z", "behind it all"}, "unknown"},
		"in another place": {[]string{"x = 1", "<<<<<<< HEAD", "=======", ">>>>>>> other", "y"}, "unknown"},
	} {
		lines := text(c.lines...)
		var b vector.Builder
		for _, run := range vector.Origins(lines, []vector.Content{side}) {
			b.Add(run.Owner, run.Count)
		}
		v := b.Vector()
		for i, line := range c.lines {
			if got := v.At(i); line == "x = 1" && got != vector.ParseOwner(c.want) {
				t.Errorf("%s: %q is %v, want %s", name, line, got, c.want)
			}
		}
	}
}
