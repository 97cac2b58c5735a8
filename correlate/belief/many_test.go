package belief

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/git-trace/git-trace/correlate"
	"github.com/git-trace/git-trace/events"
)

// What many clones say of overlapping lines is weighed line by line: whoever has the best right and the smallest id is
// believed, and those with the same right who say otherwise are named.
func TestManyClonesAreWeighedLineByLine(t *testing.T) {
	t.Parallel()
	const lines = 12
	type claim struct{ writer, who, tier string }
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		var recorded []events.Event
		on := make([][]claim, lines+1)
		for n := range 2 + random.IntN(30) {
			writer := fmt.Sprintf("%04x", n)
			var runs []string
			for at := 1; at <= lines; {
				count := min(1+random.IntN(5), lines+1-at)
				c := claim{writer, []string{"A", "B", "human", "unknown"}[random.IntN(4)], correlate.Tiers()[random.IntN(2)]}
				if random.IntN(3) > 0 {
					runs = append(runs, fmt.Sprintf("%d+%d %s %s", at, count, c.who, c.tier))
					for line := at; line < at+count; line++ {
						on[line] = append(on[line], c)
					}
				}
				at += count
			}
			recorded = append(recorded, said(t, writer, events.PostCommit, runs...))
		}
		random.Shuffle(len(recorded), func(i, k int) { recorded[i], recorded[k] = recorded[k], recorded[i] })
		got := make([]string, lines+1)
		for _, r := range Weigh(commitID(1), recorded, "own").Runs("f") {
			for line := r.Start; line < r.end(); line++ {
				got[line] = fmt.Sprint(r.By.Writer, r.Tier, r.Disputed)
			}
		}
		for line := 1; line <= lines; line++ {
			want := ""
			if said := on[line]; len(said) > 0 {
				best := slices.MinFunc(said, func(a, b claim) int {
					if order := first(a.who != "unknown", b.who != "unknown"); order != 0 || a.who == "unknown" {
						return order
					}
					return rank(a.tier) - rank(b.tier)
				})
				var others []string
				for _, c := range said {
					same := (c.who == "human") == (best.who == "human") // all conversations of this test have no id
					if c.who != "unknown" && best.who != "unknown" && c.tier == best.tier && !same {
						others = append(others, c.writer)
					}
				}
				want = fmt.Sprint(best.writer, best.tier, others)
			}
			unknown := !slices.ContainsFunc(on[line], func(c claim) bool { return c.who != "unknown" })
			if got[line] != want && (!unknown || len(on[line]) == 0) {
				t.Fatalf("seed %d, line %d: %s, want %s", seed, line, got[line], want)
			}
		}
	}
}

// S22: what a claim costs does not depend on how many others there are, also where all of them disagree.
func TestWeighingAThousandClaimsIsLinear(t *testing.T) { // alone: it measures
	cost := func(writers int) uint64 {
		var recorded []events.Event
		for n := range writers {
			recorded = append(recorded, said(t, fmt.Sprintf("%06x", n), events.PostCommit, "1+2 human", "3+2 "+[]string{"human", "A"}[min(n, 1)]))
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		c := Weigh(commitID(1), recorded, "own")
		runtime.ReadMemStats(&after)
		if last := c.Runs("f")[len(c.Runs("f"))-1]; len(last.Disputed) != writers-1 {
			t.Errorf("%d dispute it", len(last.Disputed))
		}
		return (after.TotalAlloc - before.TotalAlloc) / uint64(writers)
	}
	few, many := cost(200), cost(4000)
	t.Logf("%d bytes a claim of 200, %d of 4,000", few, many)
	if many > few*3/2 {
		t.Errorf("a claim takes %d bytes among 4,000, and %d among 200", many, few)
	}
}
