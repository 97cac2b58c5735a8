package gitleaks

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
)

// What one reading finds is what a search for each word finds.
func TestKeywordsAreFoundAsByASearchForEach(t *testing.T) {
	t.Parallel()
	set := map[string][]int{}
	r, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.check(); err != nil { // decodes every rule
		t.Fatal(err)
	}
	var words []string
	for i, rule := range r.rules {
		for _, word := range rule.Keywords {
			set[word] = append(set[word], i)
			words = append(words, word)
		}
	}
	rnd := rand.New(rand.NewSource(1))
	for range 300 {
		var text strings.Builder
		for range rnd.Intn(40) {
			word := words[rnd.Intn(len(words))]
			switch rnd.Intn(4) {
			case 0:
				word = strings.ToUpper(word)
			case 1:
				word = word[:rnd.Intn(len(word))]
			case 2:
				word = fmt.Sprintf("ü%d\x00 ", rnd.Intn(1000))
			}
			text.WriteString(word)
		}
		var want, got []string
		lower := strings.ToLower(text.String())
		for word, rules := range set {
			for at := range len(lower) {
				if strings.HasPrefix(lower[at:], word) {
					want = append(want, fmt.Sprint(at, word, rules))
				}
			}
		}
		r.keywords.find(text.String(), func(start int, w *word) { got = append(got, fmt.Sprint(start, w.text, w.rules)) })
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("%q: got %v, want %v", text.String(), got, want)
		}
	}
}
