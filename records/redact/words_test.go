package redact

import (
	"math/rand/v2"
	"testing"
)

// nextRun finds the runs that a look at each byte finds.
func TestRunsOfLettersAreFoundWithoutALookAtEachByte(t *testing.T) {
	t.Parallel()
	letters := newPatterns().hex
	random := rand.New(rand.NewPCG(7, 22))
	for range 20_000 {
		text := make([]byte, random.IntN(60))
		for i := range text {
			text[i] = "aaaaaaaaaaaa0F x"[random.IntN(16)]
		}
		least := 1 + random.IntN(9)
		var want, got [][2]int
		for i := 0; i < len(text); i++ {
			start := i
			for i < len(text) && isHex(text[i]) {
				i++
			}
			if i-start >= least {
				want = append(want, [2]int{start, i})
			}
		}
		for from := 0; ; {
			start, end := nextRun(string(text), from, least, &letters)
			if start < 0 {
				break
			}
			got, from = append(got, [2]int{start, end}), end
		}
		if len(got) != len(want) {
			t.Fatalf("%q, %d and more: %v, want %v", text, least, got, want)
		}
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("%q, %d and more: %v, want %v", text, least, got, want)
			}
		}
	}
}
