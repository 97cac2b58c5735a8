package gitleaks

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// What the expression of the rule Generic finds, maySet lets through: it is asked first, since it is quicker.
func TestNothingThatTheGenericRuleFindsIsLeftOutBefore(t *testing.T) {
	t.Parallel()
	r, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	var generic *rule
	for _, one := range r.rules {
		if one.generic {
			generic = one
		}
	}
	pattern, err := generic.compiled()
	if err != nil {
		t.Fatal(err)
	}
	pieces := []string{"key", "Token", "SECRET", "api", "auth", "passwd", "=", ":", ":::=", "=>", "?=", "||", ",", ">", " ", "\t", "'", `"`, "`", "\n", "_", "-",
		".", "a1B2c3D4e5", "9f8e7d6c5b4a", "x", "+/", "==", ";", "\u017f", "\u212a", "é"}
	random := rand.New(rand.NewPCG(22, 1))
	matches := 0
	for range 40_000 {
		var text strings.Builder
		for range 3 + random.IntN(12) {
			text.WriteString(pieces[random.IntN(len(pieces))])
		}
		whole := text.String()
		for _, at := range pattern.FindAllStringIndex(whole, -1) {
			matches++
			let := false
			r.keywords.find(whole[at[0]:at[1]], func(start int, w *word) {
				let = let || maySet(whole[at[0]+start+len(w.text):])
			})
			if !let {
				t.Fatalf("%q is found, and %q is left out", whole[at[0]:at[1]], whole)
			}
		}
	}
	if matches < 1000 {
		t.Errorf("only %d matches", matches)
	}
	for _, rest := range []string{"", "s are nice", " := x", "(a, b)", ": short", " = 'four'", "boardEvent listener("} {
		if maySet(rest) {
			t.Errorf("%q may set something", rest)
		}
	}
}
