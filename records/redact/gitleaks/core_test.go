package gitleaks

import (
	"math/rand/v2"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"
)

// What a rule finds without a look at what each match holds, it finds with it: in texts that its expression matches,
// whole, cut, and close to each other.
func TestNoFindingIsLeftOutByWhatAMatchHolds(t *testing.T) {
	t.Parallel()
	quick, whole := loaded(t), loaded(t)
	for _, rule := range whole.rules {
		rule.held()
		rule.cores = nil
	}
	random := rand.New(rand.NewPCG(22, 2))
	cored, found := 0, 0
	for i, rule := range quick.rules {
		if _, err := rule.compiled(); err != nil {
			t.Fatal(err)
		}
		if rule.cores != nil {
			cored++
		}
		re, err := syntax.Parse(rule.Regex, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		for range 6 {
			var text strings.Builder
			for range 1 + random.IntN(4) {
				one := matching(random, re)
				switch random.IntN(5) {
				case 0:
					one = one[:random.IntN(len(one)+1)]
				case 1:
					one = strings.NewReplacer("s", "\u017f", "K", "\u212a").Replace(one)
				}
				text.WriteString(one)
				text.WriteString([]string{" ", "\n", "", "é", "s. ", strings.Repeat("x y", 500)}[random.IntN(6)])
			}
			want, err := whole.Find(text.String())
			if err != nil {
				t.Fatal(err)
			}
			got, err := quick.Find(text.String())
			if err != nil {
				t.Fatal(err)
			}
			if found += len(want); !slices.Equal(got, want) {
				t.Fatalf("%s: %q: found %v, want %v", quick.rules[i].ID, text.String(), got, want)
			}
		}
	}
	if cored < 100 || found < 300 {
		t.Errorf("%d rules with something that each match holds, %d findings", cored, found)
	}
}

func loaded(t *testing.T) *Rules {
	t.Helper()
	r, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// matching gives a text that an expression matches, apart from what it wants beside the match.
func matching(random *rand.Rand, re *syntax.Regexp) string {
	some := func(least, most int) string {
		var out strings.Builder
		for range least + random.IntN(most-least+1) {
			out.WriteString(matching(random, re.Sub[0]))
		}
		return out.String()
	}
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase != 0 && random.IntN(2) == 0 {
			return strings.ToLower(string(re.Rune))
		}
		return string(re.Rune)
	case syntax.OpCharClass:
		i := 2 * random.IntN(len(re.Rune)/2)
		return string(re.Rune[i] + rune(random.IntN(int(min(re.Rune[i+1]-re.Rune[i], 100))+1)))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return string(rune('!' + random.IntN(90)))
	case syntax.OpCapture, syntax.OpConcat:
		var out strings.Builder
		for _, sub := range re.Sub {
			out.WriteString(matching(random, sub))
		}
		return out.String()
	case syntax.OpAlternate:
		return matching(random, re.Sub[random.IntN(len(re.Sub))])
	case syntax.OpStar:
		return some(0, 3)
	case syntax.OpPlus:
		return some(1, 3)
	case syntax.OpQuest:
		return some(0, 1)
	case syntax.OpRepeat:
		return some(re.Min, max(re.Max, re.Min+2))
	}
	return ""
}

// What is known of a match is what its expression says.
func TestWhatAMatchHolds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		expression string
		keywords   []string
		text       string
		at         int
		may        bool
	}{
		{`\b(s\.(?i:[a-z0-9]{24}))`, []string{"s."}, "s.name = x", 0, false},
		{`\b(s\.(?i:[a-z0-9]{24}))`, []string{"s."}, "s." + strings.Repeat("aB3", 8), 0, true},
		{`\b(s\.(?i:[a-z0-9]{24}))`, []string{"s."}, "s.é", 0, false},
		{`\b(s\.(?i:[a-z0-9]{24}))`, []string{"s."}, "s.\u017f", 0, true},
		{`\b(s\.[^ ]{24})`, []string{"s."}, "s.é", 0, true},
		{`(?i)[\w.-]{0,50}?(?:lob).{0,3}((live|test)_[a-f0-9]{35})`, []string{"test_", "live_"}, "xtest_data.go", 1, false},
		{`SK[0-9a-fA-F]{32}`, []string{"sk"}, "risk", 2, false},
		{`(?:foo|ba?r)_key`, []string{"_key"}, "bar_key", 3, true},
		{`[a-z]*`, []string{"x"}, "y", 0, true},
	} {
		cores := coresOf(c.expression, c.keywords)
		if may := cores == nil || mayMatch(cores, c.text, c.at, c.keywords[0]); may != c.may {
			t.Errorf("%s, %q: may match: %v", c.expression, c.text, may)
		}
	}
}
