package redact

import (
	"math/rand/v2"
	"testing"
	"unicode/utf8"
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

// What readable gives, a reading from each place gives: nothing that is text is left out before.
func TestDataIsReadAsFromEachPlace(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(22, 4))
	pieces := []string{"abcdefghijkl", "x", "\n", "é", "日本", "\x00", "\x01", "\x80", "\xc1", "\xe6\x97", "\xf5", "a\x00b\x00", "\x00c", "0123456789"}
	texts := 0
	for range 20_000 {
		var data []byte
		for range random.IntN(12) {
			data = append(data, pieces[random.IntN(len(pieces))]...)
		}
		text := false
		for from := range data {
			end := from
			for end < len(data) {
				r, size := utf8.DecodeRune(data[end:])
				if r == utf8.RuneError && size <= 1 || r < utf8.RuneSelf && !textByte(byte(r)) {
					break
				}
				end += size
			}
			text = text || end-from >= leastReadable || wide(data[from:]) >= 2*leastReadable
		}
		if text {
			texts++
		}
		if list := readable(data); text != (list != nil) {
			t.Fatalf("%q: read %v", data, list)
		}
	}
	if texts < 1000 || texts > 19_000 {
		t.Errorf("%d texts", texts)
	}
}
