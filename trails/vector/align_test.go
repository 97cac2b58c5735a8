package vector_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/trails/vector"
)

func TestAlignAdded(t *testing.T) {
	t.Parallel()
	functions := text("func f() {", "}", "", "func g() {", "}")
	for _, test := range []struct {
		name   string
		lines  [][]byte
		owners string
		added  []linediff.Range
		want   string // runs as START:OWNER*COUNT
	}{
		{"git and the vector agree", functions, "human*2 S1*3", []linediff.Range{{Start: 2, End: 5}}, "2:S1*3"},
		{"git took the brace above", functions, "human*2 S1*3", []linediff.Range{{Start: 1, End: 4}}, "1:S1*3"},
		{"git took the brace below", functions, "human S1*3 human", []linediff.Range{{Start: 2, End: 5}}, "2:S1*3"},
		{
			"two owners turn with the range",
			text("x {", "}", "", "y {", "}"), "human*2 S1 S2 S1<S0",
			[]linediff.Range{{Start: 1, End: 4}}, "1:S1<S0*1 2:S1*1 3:S2*1",
		},
		{
			"a line that is not new keeps its owner",
			text("one", "moved", "two"), "human S1 human:h1",
			[]linediff.Range{{Start: 1, End: 3}}, "1:S1*1 2:human:h1*1",
		},
		{
			"a range slides further than it is long",
			text("x", "x", "x", "x", "x"), "human*4 S1",
			[]linediff.Range{{Start: 0, End: 1}}, "0:S1*1",
		},
		{
			"no further than the next range",
			text("x", "x", "other", "x"), "human human S1 S1",
			[]linediff.Range{{Start: 0, End: 1}, {Start: 2, End: 4}}, "0:human*1 2:S1*2",
		},
		{
			"of equally good places git's own counts",
			text("x", "x", "x"), "S1*3",
			[]linediff.Range{{Start: 1, End: 2}}, "1:S1*1",
		},
		{
			"ranges beyond the file are cut off",
			text("x", "y"), "S1 human",
			[]linediff.Range{{Start: -3, End: 1}, {Start: 1, End: 9}, {Start: 9, End: 12}}, "0:S1*1 1:human*1",
		},
		{"nothing added", text("x"), "S1", nil, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			isNew := func(o vector.Owner) bool { return o.Kind == events.OwnerAI }
			var got []string
			for _, run := range vector.AlignAdded(test.lines, test.added, parse(t, test.owners), isNew) {
				got = append(got, fmt.Sprintf("%d:%s*%d", run.Start, run.Owner, run.Count))
			}
			if text := strings.Join(got, " "); text != test.want {
				t.Errorf("runs %s, want %s", text, test.want)
			}
		})
	}
}

// Wherever git puts an added range among the places that give the same text, the owners are those of the lines added.
func TestAlignAddedUndoesAnySlide(t *testing.T) {
	t.Parallel()
	for seed := range uint64(500) {
		random := rand.New(rand.NewPCG(seed, 9))
		word := func() string { return []string{"}", "", "a", "b"}[random.IntN(4)] }
		var lines []string
		for range 3 + random.IntN(20) {
			lines = append(lines, word())
		}
		at := random.IntN(len(lines) + 1)
		end := at + 1 + random.IntN(5)
		var added []string
		for range end - at {
			added = append(added, word())
		}
		lines = slices.Insert(lines, at, added...)

		var owners vector.Builder
		owners.Add(human, at)
		for i := range added {
			owners.Add(vector.ParseOwner(fmt.Sprintf("S%d", i)), 1)
		}
		owners.Add(human, len(lines)-end)

		r := linediff.Range{Start: at, End: end}
		for step := random.IntN(9) - 4; step < 0 && r.Start > 0 && lines[r.Start-1] == lines[r.End-1]; step++ {
			r = linediff.Range{Start: r.Start - 1, End: r.End - 1}
		}
		for step := random.IntN(9) - 4; step > 0 && r.End < len(lines) && lines[r.Start] == lines[r.End]; step-- {
			r = linediff.Range{Start: r.Start + 1, End: r.End + 1}
		}
		isNew := func(o vector.Owner) bool { return o.Kind == events.OwnerAI }
		for _, run := range vector.AlignAdded(text(lines...), []linediff.Range{r}, owners.Vector(), isNew) {
			for line := run.Start; line < run.Start+run.Count; line++ {
				var index int
				if _, err := fmt.Sscanf(run.Owner.String(), "S%d", &index); err != nil || added[index] != lines[line] {
					t.Fatalf("seed %d: line %d %q belongs to %s\n%q, added %v as %v", seed, line, lines[line], run.Owner, lines, added, r)
				}
			}
		}
	}
}
