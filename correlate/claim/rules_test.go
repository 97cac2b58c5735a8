package claim

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/git-trace/git-trace/events"
)

// Of the lines that are open each goes to the first run that has it. Lines in a row of one owner are one run.
func TestRunsAreCutToOpenLines(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4000) {
		random := rand.New(rand.NewPCG(seed, 61))
		var runs []events.AnchorRun
		for range random.IntN(5) {
			runs = append(runs, events.AnchorRun{
				Start: 1 + random.IntN(8), Count: 1 + random.IntN(4), Owner: random.IntN(2), Tier: []string{"", "exact"}[random.IntN(2)],
			})
		}
		open, want := map[int]bool{}, map[int]string{}
		for line := range 14 {
			if random.IntN(3) > 0 {
				open[line] = true
			}
		}
		for line := range open {
			for _, r := range runs {
				if want[line] == "" && r.Start <= line && line < r.Start+r.Count {
					want[line] = fmt.Sprint(r.Owner, r.Tier)
				}
			}
			if want[line] == "" {
				delete(want, line)
			}
		}
		left, has := maps.Clone(open), map[int]string{}
		got := within(runs, left)
		for i, r := range got {
			if r.Count < 1 || i > 0 && got[i-1].Start+got[i-1].Count > r.Start {
				t.Fatalf("seed %d: runs are out of order: %v", seed, got)
			}
			for line := r.Start; line < r.Start+r.Count; line++ {
				has[line] = fmt.Sprint(r.Owner, r.Tier)
			}
		}
		if !maps.Equal(has, want) {
			t.Fatalf("seed %d: %v cut to %v gives %v, want %v", seed, runs, open, has, want)
		}
		for line := range open {
			if _, taken := want[line]; left[line] == taken {
				t.Fatalf("seed %d: line %d is still open: %v", seed, line, left[line])
			}
		}
	}
	whole := within([]events.AnchorRun{{Start: 1, Count: 3, Owner: 1}, {Start: 4, Count: 2, Owner: 1}}, map[int]bool{1: true, 2: true, 3: true, 4: true, 5: true})
	if len(whole) != 1 || whole[0].Count != 5 {
		t.Errorf("lines in a row are %v", whole)
	}
}

// A claim that is too large for an event is spread over several, of which none is larger than it may be.
func TestALargeClaimIsSpreadInOrder(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		files  []int // runs of each
		owners int   // in turn
		parts  []int // runs of each part
	}{
		"small":                          {[]int{2, 1}, 2, []int{3}},
		"as many runs as one may have":   {[]int{maxRuns}, 1, []int{maxRuns}},
		"one more":                       {[]int{maxRuns + 1}, 1, []int{maxRuns, 1}},
		"one more, in another file":      {[]int{maxRuns, 1}, 1, []int{maxRuns, 1}},
		"in the middle of a file":        {[]int{10, maxRuns}, 1, []int{maxRuns, 10}},
		"as many owners as one may have": {[]int{maxOwners}, maxOwners, []int{maxOwners}},
		"an owner more":                  {[]int{maxOwners + 1}, maxOwners + 1, []int{maxOwners, 1}},
		"a file without runs":            {[]int{0, 1}, 1, []int{1}},
	} {
		c := &Commit{}
		for i := range tt.owners {
			c.Owners = append(c.Owners, events.AnchorOwner{Session: fmt.Sprint(i)})
		}
		n := 0
		for i, runs := range tt.files {
			f := events.AnchorFile{Path: fmt.Sprint("f", i)}
			for range runs {
				f.Runs = append(f.Runs, events.AnchorRun{Start: n + 1, Count: 1, Owner: n % tt.owners})
				n++
			}
			c.Files = append(c.Files, f)
		}
		at, parts := 0, c.split()
		var sizes []int
		for _, part := range parts {
			size, used := 0, map[string]bool{}
			for _, o := range part.Owners {
				used[o.Session] = true
			}
			for _, f := range part.Files {
				for _, r := range f.Runs {
					if r.Start != at+1 || part.Owners[r.Owner].Session != fmt.Sprint(at%tt.owners) {
						t.Fatalf("%s: run %d is %+v of %s", name, at, r, part.Owners[r.Owner].Session)
					}
					at, size = at+1, size+1
				}
			}
			if len(used) != len(part.Owners) {
				t.Errorf("%s: an owner stands twice", name)
			}
			sizes = append(sizes, size)
		}
		if at != n || fmt.Sprint(sizes) != fmt.Sprint(tt.parts) {
			t.Errorf("%s: %d of %d runs, in parts of %v", name, at, n, sizes)
		}
	}
}
