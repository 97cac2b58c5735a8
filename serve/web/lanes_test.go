package web

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/git-trace/git-trace/graph"
	"github.com/git-trace/git-trace/refs"
)

func commitName(t *testing.T, n int) refs.OID {
	t.Helper()
	id, err := refs.ParseOID(fmt.Sprintf("%040x", n+1))
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// history makes commits in which each stands above its parents, as git log --graph lists them.
func history(t *testing.T, rng *rand.Rand, n int) []graph.CommitJSON {
	t.Helper()
	commits := make([]graph.CommitJSON, n)
	for i := range commits {
		commits[i].Commit = commitName(t, i)
		for range 1 + rng.IntN(8)/6 + rng.IntN(9)/8 {
			if parent := commitName(t, i+1+rng.IntN(6)); !slices.Contains(commits[i].Parents, parent) {
				commits[i].Parents = append(commits[i].Parents, parent)
			}
		}
	}
	return commits
}

// Whoever follows the lines down from a commit comes to its parents, and to nothing else.
func TestLinesLeadToParents(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		commits := history(t, rng, 2+rng.IntN(50))
		rows := laned(commits, seed%2 == 0)
		var carried [][]refs.OID // whose lines are in each lane above a row
		reached := map[refs.OID][]refs.OID{}
		for i := range commits {
			id := commits[i].Commit
			row := rows[id]
			for at := range carried {
				there := slices.Contains(row.In, at) || slices.Contains(row.Pass, at)
				if there != (len(carried[at]) > 0) {
					t.Fatalf("seed %d: row %d: lane %d begins or ends between two rows", seed, i, at)
				}
			}
			for _, at := range row.In {
				for _, child := range carried[at] {
					reached[child] = append(reached[child], id)
				}
				carried[at] = nil
			}
			for _, at := range row.Out {
				for at >= len(carried) {
					carried = append(carried, nil)
				}
				carried[at] = append(carried[at], id)
			}
			if at := row.Node; slices.Contains(row.Pass, at) {
				t.Fatalf("seed %d: a line of another passes through %d", seed, i)
			}
		}
		for i := range commits {
			var want []refs.OID
			for _, parent := range commits[i].Parents {
				if slices.ContainsFunc(commits, func(c graph.CommitJSON) bool { return c.Commit == parent }) {
					want = append(want, parent)
				}
			}
			got := reached[commits[i].Commit]
			byName := func(a, b refs.OID) int { return slices.Compare([]byte(a.String()), []byte(b.String())) }
			slices.SortFunc(want, byName)
			slices.SortFunc(got, byName)
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d: lines of %d lead to %v, its parents are %v", seed, i, got, want)
			}
		}
	}
}

// A line to a commit of the next page goes to the end of this one, and none where the list ends.
func TestLinesOfAListEndWithIt(t *testing.T) {
	t.Parallel()
	commits := history(t, rand.New(rand.NewPCG(1, 1)), 10)
	last := func(open bool) *lanes { return laned(commits, open)[commits[9].Commit] }
	if l := last(false); len(l.Out)+len(l.Pass) > 0 {
		t.Errorf("lines go on below the last commit: %+v", l)
	}
	if l := last(true); len(l.Out) == 0 {
		t.Error("no line leads to the next page")
	}
	alone := laned([]graph.CommitJSON{{Commit: commitName(t, 0), Parents: []refs.OID{commitName(t, 1), commitName(t, 2)}}}, true)[commitName(t, 0)]
	if got := alone.Head(); got != "M7 21C7 31 7 31 7 42M7 21C7 31 21 31 21 42" {
		t.Errorf("a merge is drawn as %s", got)
	}
}
