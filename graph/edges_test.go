package graph

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// Git draws as many lines beside a commit as it is given. Where git itself goes on straight below a change of columns,
// what settle says must be what git draws.
func TestSettledEdgesAreThoseThatGitDraws(t *testing.T) {
	t.Parallel()
	seen := 0
	for seed := range uint64(12) {
		for _, drawn := range drawHistory(t, seed) {
			for i := 1; i < len(drawn); i++ {
				above, below := drawn[i-1], drawn[i]
				if quiet(above) || !quiet(below) || i == 1 {
					continue // below the commit itself, only its filler says how edges go on
				}
				seen++
				if got := settle(above); strings.TrimRight(got, " ") != strings.TrimRight(below, " ") {
					t.Errorf("seed %d: below %q git draws %q, settle says %q", seed, above, below, got)
				}
			}
		}
	}
	if seen < 50 {
		t.Errorf("only %d changes of columns were drawn", seen)
	}
}

// drawHistory makes a random history with branches, merges of two and more, and several roots, and returns what git
// draws left of the lines of each commit: its own, then twelve fillers.
func drawHistory(t *testing.T, seed uint64) [][]string {
	t.Helper()
	repo, git := newRepo(t)
	random := rand.New(rand.NewPCG(seed, 1))
	tree := git("mktree") // of nothing
	var tips []string
	for n := range 40 {
		args := []string{"commit-tree", "-m", fmt.Sprint("c", n), tree}
		parents := 1
		switch roll := random.IntN(100); {
		case roll < 4:
			parents = 0
		case roll >= 90:
			parents = 3 + random.IntN(3)
		case roll >= 60:
			parents = 2
		}
		parents = min(parents, len(tips))
		random.Shuffle(len(tips), func(i, j int) { tips[i], tips[j] = tips[j], tips[i] })
		chosen := slices.Clone(tips[:parents])
		for _, p := range chosen {
			args = append(args, "-p", p)
		}
		id := git(args...)
		if random.IntN(100) < 55 { // the parents are built upon no more
			tips = tips[parents:]
		}
		tips = append(tips, id)
	}
	for i, tip := range tips {
		git("update-ref", fmt.Sprint("refs/heads/b", i), tip)
	}
	cmd := exec.Command("git", "log", "--graph", "--all", "--format=%x1ecommit"+strings.Repeat("%n%x1e", 12))
	cmd.Dir = repo.WorkTree
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var all [][]string
	for line := range strings.Lines(string(out)) {
		left, text, isText := strings.Cut(strings.TrimSuffix(line, "\n"), "\x1e")
		switch {
		case text == "commit":
			all = append(all, []string{left})
		case isText:
			all[len(all)-1] = append(all[len(all)-1], left)
		}
	}
	return all
}
