package correlate

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/trails/linediff"
)

func TestLinesThatTwoListsHaveInCommon(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3000) {
		random := rand.New(rand.NewPCG(seed, 71))
		some := func() (list []linediff.Range, lines [20]bool) {
			for at := random.IntN(3); at < 14; at += 1 + random.IntN(3) {
				r := linediff.Range{Start: at, End: at + 1 + random.IntN(4)}
				list, at = append(list, r), r.End
				for line := r.Start; line < r.End; line++ {
					lines[line] = true
				}
			}
			return list, lines
		}
		a, inA := some()
		b, inB := some()
		var got [20]int
		for _, r := range overlapOf(a, b) {
			if r.Start >= r.End {
				t.Fatalf("seed %d: an empty range", seed)
			}
			for line := r.Start; line < r.End; line++ {
				got[line]++
			}
		}
		for line, n := range got {
			if want := inA[line] && inB[line]; n > 1 || (n == 1) != want {
				t.Fatalf("seed %d: line %d of %v and %v: %d times", seed, line, a, b, n)
			}
		}
	}
}

func TestWhichLineOfARebaseIsAPick(t *testing.T) {
	t.Parallel()
	id := strings.Repeat("5e", 20)
	for line, want := range map[string]bool{
		"pick " + id + " # a subject": true, "p " + id: true, "pick " + id + "\n": true, "pick": false, "pick 5e5e x": false, "edit " + id: false,
		"fixup " + id: false, id + " pick": false, "": false, "# pick " + id: false, "pick -C " + id: false,
	} {
		if from, ok := pickOf(line); ok != want || ok && from.String() != id || !ok && !from.IsZero() {
			t.Errorf("%q: %s, %v", line, from, ok)
		}
	}
}
