package vector_test

import (
	"math"
	"slices"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/trails/vector"
)

func TestVectorGivesEveryLineItsOwner(t *testing.T) {
	t.Parallel()
	v := parse(t, "a1*3 human a1 human:b2<a1*2 unknown")
	if v.Len() != 8 {
		t.Errorf("%d lines", v.Len())
	}
	for line, want := range []string{"a1", "a1", "a1", "human", "a1", "human:b2<a1", "human:b2<a1", "unknown"} {
		if got := v.At(line).String(); got != want {
			t.Errorf("line %d belongs to %s, want %s", line, got, want)
		}
	}
	for _, line := range []int{-1, 8, math.MaxInt} {
		if v.At(line) != vector.Unknown {
			t.Errorf("line %d belongs to %s", line, v.At(line))
		}
	}
	want := vector.Owner{Kind: events.OwnerHuman, Patch: "b2", Previous: "a1"}
	if v.At(5) != want {
		t.Errorf("line 5 belongs to %+v", v.At(5))
	}
}

func TestRunsAreLongestPossible(t *testing.T) {
	t.Parallel()
	var b vector.Builder
	ai := vector.ParseOwner("a1")
	b.Add(ai, 2)
	b.Add(human, 0)
	b.Add(ai, 1)
	b.Add(human, -3)
	b.AddSlice(vector.Uniform(4, ai), 1, 3)
	b.Add(vector.Owner{Kind: "robot"}, 1)
	first := b.Vector()
	b.Add(human, 1)
	if got := first.Runs(); !slices.Equal(got, []vector.Run{{Start: 0, Count: 5, Owner: ai}, {Start: 5, Count: 1, Owner: vector.Unknown}}) {
		t.Errorf("runs %v", got)
	}
	if got := b.Vector().String(); got != "a1*5 unknown human" {
		t.Errorf("vector %s", got)
	}
}

func TestSlice(t *testing.T) {
	t.Parallel()
	v := parse(t, "a1*3 human*2 a2")
	for _, test := range []struct {
		start, end int
		want       string
	}{
		{0, 6, "a1*3 human*2 a2"},
		{2, 4, "a1 human"},
		{3, 3, ""},
		{4, 2, ""},
		{5, 8, "a2 unknown*2"},
		{-2, 1, "unknown*2 a1"},
		{9, 11, "unknown*2"},
	} {
		if got := v.Slice(test.start, test.end).String(); got != test.want {
			t.Errorf("lines %d to %d are %q, want %q", test.start, test.end, got, test.want)
		}
	}
}

func TestEqualVectors(t *testing.T) {
	t.Parallel()
	v := parse(t, "a1*3 human")
	if !v.Equal(parse(t, "a1 a1*2 human")) || v.Equal(parse(t, "a1*3 human*2")) || v.Equal(parse(t, "a1*3 human<a1")) {
		t.Error("equality is not that of the lines")
	}
	if !(vector.Vector{}).Equal(vector.Uniform(0, human)) {
		t.Error("vectors without lines differ")
	}
}

func TestTextForm(t *testing.T) {
	t.Parallel()
	for _, form := range []string{"", "a1", "a1*3 human*2", "human:b2<a1 mixed:c3*7 unknown", "ai mixed a2<a1"} {
		if got := parse(t, form).String(); got != form {
			t.Errorf("%q becomes %q", form, got)
		}
	}
	for _, bad := range []string{"a1*0", "a1*-1", "a1*x", "*3", "a1*2147483647 a1"} {
		if v, err := vector.Parse(bad); err == nil {
			t.Errorf("%q is read as %s", bad, v)
		}
	}
}
