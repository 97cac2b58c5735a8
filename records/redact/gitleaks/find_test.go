package gitleaks

import (
	"math/rand/v2"
	"slices"
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
				may, _ := maySet(whole[at[0]+start+len(w.text):])
				let = let || may
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
		if may, _ := maySet(rest); may {
			t.Errorf("%q may set something", rest)
		}
	}
}

// Where the value behind a keyword is a name, the rule Generic allows whatever its expression finds: both ways give the
// same. Matches swallow keywords of others.
func TestNothingIsLeftOutBecauseAValueIsAName(t *testing.T) {
	t.Parallel()
	quick := loaded(t)
	at := slices.IndexFunc(quick.rules, func(r *rule) bool { return r.generic })
	generic := quick.rules[at]
	pieces := []string{"key", "Token", "SECRET", "api", "auth", "=", ":", ":=", "=>", ",", " ", "'", `"`, "\n", "_", "-", ".", "a1B2c3D4e5F6g7", "Qx7/+b2c3d4e5==",
		"nameOfAVariable", "x", ";", "\u017f", "\u212a", "é", "zq\u017ftokenofwords", " := \"another.name-ofit\"\n", "=", "== "}
	random := rand.New(rand.NewPCG(22, 3))
	found, left := 0, 0
	for range 20_000 {
		var text strings.Builder
		for range 3 + random.IntN(16) {
			text.WriteString(pieces[random.IntN(len(pieces))])
		}
		whole := text.String()
		var all []part
		quick.keywords.find(whole, func(start int, w *word) {
			end := start + len(w.text)
			near, _ := around(whole, start, end)
			if may, _ := maySet(whole[end:near.end]); may && slices.Contains(w.rules, at) {
				near.rule = at
				all = append(all, near)
			}
		})
		var want, got []Finding
		for _, p := range merged(all) {
			list, err := quick.apply(generic, whole, p)
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, list...)
		}
		left += len(merged(all))
		for _, p := range quick.called(whole) {
			if p.rule != at {
				continue
			}
			left--
			list, err := quick.apply(generic, whole, p)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, list...)
		}
		if found += len(want); !slices.Equal(got, want) {
			t.Fatalf("%q: found %v, want %v", whole, got, want)
		}
	}
	if found < 400 || left < 1000 {
		t.Errorf("%d findings, %d parts were left out", found, left)
	}
}
