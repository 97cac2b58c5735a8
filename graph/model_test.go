package graph

import (
	"slices"
	"testing"

	"github.com/git-trace/git-trace/refs"
)

// What stays has the nearest ancestors that stay for parents, each once: across a merge that is left out, and across a
// line of commits that is.
func TestCommitsThatStayHangTogether(t *testing.T) {
	t.Parallel()
	commit := func(digit string, ai int, parents ...string) Commit {
		c := Commit{ID: oid(digit), Short: digit, AI: ai}
		for _, p := range parents {
			c.Parents = append(c.Parents, oid(p))
		}
		return c
	}
	history := []Commit{
		commit("9", 1, "8"), commit("8", 0, "7", "6"), commit("7", 0, "5"), commit("6", 1, "5"), commit("5", 0, "4"),
		commit("4", 1, "3"), commit("3", 0),
	}
	byAgents := func(c *Commit) bool { return c.AI > 0 }
	for _, tc := range []struct {
		most int
		want map[string][]string
	}{
		{-1, map[string][]string{"9": {"4", "6"}, "6": {"4"}, "4": nil}},
		{2, map[string][]string{"9": {"6"}, "6": nil}},
		{0, map[string][]string{}},
	} {
		g := &Graph{Commits: slices.Clone(history)}
		g.Only(byAgents, tc.most)
		if len(g.Commits) != len(tc.want) {
			t.Errorf("at most %d: %d commits stay", tc.most, len(g.Commits))
		}
		for _, c := range g.Commits {
			var want []refs.OID
			for _, p := range tc.want[c.Short] {
				want = append(want, oid(p))
			}
			if !slices.Equal(c.Parents, want) {
				t.Errorf("at most %d: the parents of %s are %v, want %v", tc.most, c.Short, c.Parents, want)
			}
		}
	}
}
