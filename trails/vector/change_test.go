package vector_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/trails/vector"
)

func TestHunksTellWhatBecameOfTheirLines(t *testing.T) {
	t.Parallel()
	old := content(t, text("alpha()", "beta()", "gamma()", "delta()", "epsilon()"), "S1 S2*2 human:h1*2")
	new := text("alpha()", "  beta()", "gamma(2)", "more()", "epsilon()")
	result := vector.Carry(old, new, vector.ParseOwner("human:h2"))
	if got := result.Vector.String(); got != "S1 S2~ human:h2<S2 human:h2 human:h1" {
		t.Errorf("vector %s", got)
	}
	if len(result.Hunks) != 1 {
		t.Fatalf("hunks %+v", result.Hunks)
	}
	h := result.Hunks[0]
	if h.Hunk != (linediff.Hunk{OldStart: 1, OldCount: 3, NewStart: 1, NewCount: 3}) {
		t.Errorf("hunk %v", h.Hunk)
	}
	if !slices.Equal(h.Written, []linediff.Range{{Start: 2, End: 4}}) {
		t.Errorf("written %v", h.Written)
	}
	if len(h.Kept) != 1 || h.Kept[0].Range != (linediff.Range{Start: 1, End: 2}) || h.Kept[0].Why != vector.Space || h.Kept[0].Owner.Patch != "S2" {
		t.Errorf("kept %+v", h.Kept)
	}
	if !slices.Equal(h.Replaced, []events.PatchID{"S2", "h1"}) {
		t.Errorf("replaced %v", h.Replaced)
	}
}

func TestADeletionNamesThePatchesItTookAway(t *testing.T) {
	t.Parallel()
	old := content(t, text("one", "two", "three", "four"), "human S1 S2 S1")
	result := vector.Carry(old, text("one"), human)
	if got := result.Vector.String(); got != "human" {
		t.Errorf("vector %s", got)
	}
	if len(result.Hunks) != 1 || !slices.Equal(result.Hunks[0].Replaced, []events.PatchID{"S1", "S2"}) {
		t.Errorf("hunks %+v", result.Hunks)
	}
}

func TestTheAuthorIsAskedForWrittenLinesOnly(t *testing.T) {
	t.Parallel()
	old := content(t, text("alpha()", "beta()", "gamma()"), "human*3")
	c := vector.Compare(old, text("first()", "  alpha()", "beta()", "gamma()", "last()"))
	var asked []string
	result := c.Resolve(func(hunk, line int) vector.Owner {
		asked = append(asked, fmt.Sprintf("%d:%d", hunk, line))
		return vector.ParseOwner(fmt.Sprintf("S%d", hunk))
	})
	if got := strings.Join(asked, " "); got != "0:0 1:4" {
		t.Errorf("asked for %s", got)
	}
	if got := result.Vector.String(); got != "S0 human~ human*2 S1" {
		t.Errorf("vector %s", got)
	}
}

func TestAPreviousPatchNamedByTheAuthorStays(t *testing.T) {
	t.Parallel()
	old := content(t, text("alpha()"), "S1")
	result := vector.Carry(old, text("beta()"), vector.ParseOwner("human<S7"))
	if got := result.Vector.String(); got != "human<S7" {
		t.Errorf("vector %s", got)
	}
}

func TestAMovedBlockIsNotReplacedWhereItWas(t *testing.T) {
	t.Parallel()
	block := []string{"alpha one", "beta two", "gamma three"}
	from := vector.Compare(content(t, text(block...), "S1*3"), text("something else"))
	to := vector.Compare(vector.Content{}, text(block...))
	// In either order: what was taken away is known before anything is resolved.
	vector.Moves(from, to)
	left, came := from.Resolve(vector.By(human)), to.Resolve(vector.By(human))
	if got := left.Vector.String(); got != "human" || left.Hunks[0].Replaced != nil {
		t.Errorf("left %s, replaced %v", got, left.Hunks[0].Replaced)
	}
	if got := came.Vector.String(); got != "S1*3" {
		t.Errorf("came %s", got)
	}
	if k := came.Hunks[0].Kept; len(k) != 1 || k[0].Why != vector.Moved || k[0].From != from {
		t.Errorf("kept %+v", k)
	}
}

func TestAVectorOfAnotherLengthDoesNoHarm(t *testing.T) {
	t.Parallel()
	lines := text("one", "two", "three")
	short := vector.Content{Lines: lines, Owners: vector.Uniform(1, human)}
	if got := vector.Carry(short, text("one", "two", "three", "four"), vector.ParseOwner("S1")).Vector.String(); got != "human unknown*2 S1" {
		t.Errorf("after a short vector: %s", got)
	}
	long := vector.Content{Lines: lines, Owners: vector.Uniform(9, human)}
	if got := vector.Carry(long, text("one", "two", "three", "four"), vector.ParseOwner("S1")).Vector.String(); got != "human*3 S1" {
		t.Errorf("after a long vector: %s", got)
	}
}

func TestBlankLinesDoNotPullAnIndentedBlockApart(t *testing.T) {
	t.Parallel()
	old := content(t, text("alpha()", "", "beta()", "", "gamma()"), "human*5")
	new := text("if ready {", "", "  alpha()", "", "  beta()", "", "  gamma()", "}")
	result := vector.Carry(old, new, vector.ParseOwner("S1"))
	if got := result.Vector.String(); got != "S1*2 human~ human human~ human human~ S1" {
		t.Errorf("vector %s, hunks %+v", got, result.Hunks)
	}
}

func TestACappedDiffSaysSo(t *testing.T) {
	t.Parallel()
	var old, new []string
	for i := range 6000 {
		old = append(old, fmt.Sprint("line ", i*i%997))
		new = append(new, fmt.Sprint("line ", i*i*i%991))
	}
	result := vector.Carry(content(t, text(old...), "human*6000"), text(new...), vector.ParseOwner("S1"))
	if !result.Capped {
		t.Error("not capped")
	}
	if result.Vector.Len() != 6000 {
		t.Errorf("%d owners", result.Vector.Len())
	}
}

// Text that repeats itself without end must not take time without end.
func TestRepeatedTextIsBounded(t *testing.T) {
	t.Parallel()
	var lines []string
	for i := range 30_000 {
		lines = append(lines, fmt.Sprintf("\tcall(argument%d)", i%150))
	}
	from := vector.Compare(content(t, text(lines...), "S1*30000"), nil)
	to := vector.Compare(vector.Content{}, text(lines...))
	vector.Moves(from, to)
	if got := to.Resolve(vector.By(human)).Vector.Len(); got != len(lines) {
		t.Errorf("%d owners", got)
	}
}

func TestNothingChangesWhereNoLineIs(t *testing.T) {
	t.Parallel()
	if got := vector.Compare(vector.Content{}, nil).Hunks(); len(got) != 0 {
		t.Errorf("of two empty contents: %v", got)
	}
	gone := vector.Compare(vector.Content{Lines: [][]byte{[]byte("one of the lines\n"), []byte("}\n")}, Owners: vector.Uniform(2, vector.Unknown)}, nil).Hunks()
	if len(gone) != 1 || gone[0].OldCount != 2 || gone[0].NewCount != 0 {
		t.Errorf("of one that was emptied: %v", gone)
	}
}
