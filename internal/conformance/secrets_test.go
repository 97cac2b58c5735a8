package conformance_test

import (
	"fmt"
	"math/rand"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/records/redact/gitleaks"
)

// sample writes a text that an expression matches.
func sample(rnd *rand.Rand, re *syntax.Regexp, out *strings.Builder) {
	switch re.Op {
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			out.WriteRune(r)
		}
	case syntax.OpCharClass:
		out.WriteRune(sampleClass(rnd, re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		out.WriteByte("abcdefghij0123456789"[rnd.Intn(20)])
	case syntax.OpCapture, syntax.OpConcat:
		for _, sub := range re.Sub {
			sample(rnd, sub, out)
		}
	case syntax.OpAlternate:
		sample(rnd, re.Sub[rnd.Intn(len(re.Sub))], out)
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		low, high := 0, 3
		switch re.Op {
		case syntax.OpPlus:
			low = 1
		case syntax.OpQuest:
			high = 1
		case syntax.OpRepeat:
			low, high = re.Min, re.Max
			if high < 0 || high > low+40 {
				high = low + 40
			}
		}
		for range low + rnd.Intn(high-low+1) {
			sample(rnd, re.Sub[0], out)
		}
	default: // boundaries are met by what stands around the text, or not
	}
}

// sampleClass prefers letters and digits that can be read.
func sampleClass(rnd *rand.Rand, ranges []rune) rune {
	var plain []rune
	for i := 0; i < len(ranges); i += 2 {
		for r := max(ranges[i], '!'); r <= min(ranges[i+1], '~'); r++ {
			plain = append(plain, r)
		}
	}
	if len(plain) == 0 {
		return ranges[0]
	}
	return plain[rnd.Intn(len(plain))]
}

type hit struct{ rule, secret string }

// What the library finds is found, and nothing else: on texts that every rule's own expression makes.
func TestTheLibraryFindsTheSame(t *testing.T) {
	t.Parallel()
	r, err := gitleaks.Load()
	if err != nil {
		t.Fatal(err)
	}
	library := detector(t)
	rnd := rand.New(rand.NewSource(1))
	found := 0
	rules := store(libraryRules(t)).Rules
	for _, rule := range rules {
		tree, err := syntax.Parse(rule.Regex, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		hits := 0
		for try := range 8 {
			var text strings.Builder
			fmt.Fprintf(&text, "line %d\n%s = \"", try, rule.ID)
			sample(rnd, tree, &text)
			text.WriteString("\"\nfunc main() { return token.next() } // gitleaks:allow\n")
			want := map[hit]bool{}
			for _, f := range library.DetectString(text.String()) {
				want[hit{f.RuleID, strings.Trim(f.Secret, "\n")}] = true
			}
			got := map[hit]bool{}
			list, err := r.Find(text.String())
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range list {
				got[hit{f.Rule, strings.Trim(text.String()[f.Start:f.End], "\n")}] = true
			}
			for h := range want {
				if !got[h] {
					t.Errorf("%s: the library finds %q by %s, this does not; text %q", rule.ID, h.secret, h.rule, text.String())
				}
				hits++
			}
			for h := range got {
				// The library drops what a generic rule finds where another rule finds the same.
				if !want[h] && !slices.ContainsFunc(library.DetectString(text.String()), func(f finding) bool { return f.RuleID != h.rule }) {
					t.Errorf("%s: found %q by %s, the library does not; text %q", rule.ID, h.secret, h.rule, text.String())
				}
			}
		}
		if hits > 0 {
			found++
		}
	}
	if found < len(rules)*9/10 {
		t.Errorf("samples of only %d of %d rules were found by the library: the test shows little", found, len(rules))
	}
}
