package redact

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/redact/gitleaks"
)

func TestWhatOverlapsIsTakenOutAsOne(t *testing.T) {
	t.Parallel()
	secret := func(start, end int, rule string) span { return span{start: start, end: end, rule: rule} }
	name := func(start, end int) span { return span{start: start, end: end, rule: "user", with: somebody} }
	for says, test := range map[string]struct {
		found []span
		want  string
		n     int
	}{
		"nothing":                          {nil, "0123456789", 0},
		"in any order":                     {[]span{secret(5, 7, "b"), secret(1, 2, "a")}, "0[REDACTED:a]234[REDACTED:b]789", 2},
		"side by side":                     {[]span{secret(1, 3, "a"), secret(3, 5, "b")}, "0[REDACTED:a][REDACTED:b]56789", 2},
		"one into the other":               {[]span{secret(1, 3, "a"), secret(2, 5, "b")}, "0[REDACTED:a]56789", 1},
		"one in the other":                 {[]span{secret(1, 8, "a"), secret(2, 5, "b"), secret(6, 7, "c")}, "0[REDACTED:a]89", 1},
		"a chain":                          {[]span{secret(1, 3, "a"), secret(2, 5, "b"), secret(4, 8, "c")}, "0[REDACTED:a]89", 1},
		"of one beginning, the longer":     {[]span{secret(1, 3, "a"), secret(1, 5, "b")}, "0[REDACTED:b]56789", 1},
		"the whole":                        {[]span{secret(0, 10, "a")}, "[REDACTED:a]", 1},
		"a name":                           {[]span{name(1, 3)}, "0user3456789", 1},
		"a secret around a name":           {[]span{secret(1, 8, "a"), name(2, 4)}, "0[REDACTED:a]89", 1},
		"a secret in a name":               {[]span{name(1, 8), secret(2, 4, "a")}, "0[REDACTED:a]89", 1},
		"what only its name tells":         {[]span{secret(1, 8, namedRule), secret(2, 4, "a")}, "0[REDACTED:a]89", 1},
		"what its name tells, and a name":  {[]span{secret(1, 8, namedRule), name(2, 4)}, "0[REDACTED:" + namedRule + "]89", 1},
		"what says more, and then a named": {[]span{secret(1, 8, "a"), secret(2, 4, namedRule)}, "0[REDACTED:a]89", 1},
	} {
		if got, n := replace("0123456789", test.found); got != test.want || n != test.n {
			t.Errorf("%s: %s, %d; want %s, %d", says, got, n, test.want, test.n)
		}
	}
}

func TestMarkersThatStandInATextStay(t *testing.T) {
	t.Parallel()
	const mark = "[REDACTED:x]"
	long := "[REDACTED:" + strings.Repeat("x", 200) + "]"
	for _, test := range []struct {
		before, found, after string
		stays                bool
	}{
		{"", "a secret", " and no marker", true},
		{mark, "secret", mark, true},
		{mark + " ", "secret", " " + mark, true},
		{"", mark, "", false},
		{"", mark[:5], mark[5:], false},
		{mark[:5], mark[5:], "", false},
		{"[RED", "AC", "TED:x]", false},
		{"a", "b" + mark[:5], mark[5:], false},
		{mark[:5], mark[5:] + strings.Repeat("s", 100), "", false},
		{"", strings.Repeat("s", 100) + mark[:5], mark[5:], false},
		{"", strings.Repeat("s", 15) + mark, "", false},
		{"", strings.Repeat("s", 16) + mark, "", true},
		{"", strings.Repeat("s", 8) + mark + strings.Repeat("s", 8), "", true},
		{"", mark + strings.Repeat("s", 8) + mark + strings.Repeat("s", 7), "", false},
		{"", mark + strings.Repeat("s", 8) + mark + strings.Repeat("s", 8), "", true},
		{mark + mark + " ", strings.Repeat("s", 15) + mark, mark, false},
		{mark + mark + " ", strings.Repeat("s", 16) + mark, mark, true},
		{"", strings.Repeat("s", 16) + mark + mark[:5], mark[5:], false},
		{"", "[REDACTED", " without an end", false},
		{"[REDACTED", " without an end", "", true},
		{long[:9], long[9:20], long[20:], true}, // too long for a marker
	} {
		text := test.before + test.found + test.after
		found := []span{{start: len(test.before), end: len(test.before) + len(test.found)}}
		if stays := len(unmarked(text, found)) == 1; stays != test.stays {
			t.Errorf("%s|%s|%s: stays is %v", test.before, test.found, test.after, stays)
		}
	}
}

func TestEscapesStayWhole(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ before, found, after, want string }{
		{"a ", "secret", " b", "secret"},
		{`a \`, "nsecret", " b", "secret"},
		{`a \\`, "nsecret", " b", "nsecret"},
		{`a \\\`, "nsecret", " b", "secret"},
		{`\`, "nsecret", "", "secret"},
		{`a \`, "u003csecret", "", "secret"},
		{`a \`, "u003", "", "003"},
		{`a \`, "u00xcsecret", "", "00xcsecret"},
		{`a \`, "secret", "", "ecret"},
		{"a ", `secret\`, "n b", "secret"},
		{"a ", `secret\\`, "n b", `secret\\`},
		{"a ", `secret\\\`, "n b", `secret\\`},
		{`a \`, "n", " b", ""},
		{"a ", `\`, "n", ""},
		{`a \`, "", "n", ""},
	} {
		text := test.before + test.found + test.after
		list := besideEscapes(text, []span{{start: len(test.before), end: len(test.before) + len(test.found)}})
		if got := strings.Join(cut(text, list), "|"); got != test.want || (test.want == "") != (len(list) == 0) {
			t.Errorf("%s|%s|%s: %q, want %q", test.before, test.found, test.after, got, test.want)
		}
	}
	name := []span{{start: 1, end: 6, with: somebody}}
	if got := besideEscapes(`\nalic`, slices.Clone(name)); !slices.Equal(got, name) {
		t.Errorf("a name is %+v", got)
	}
}

func TestANameMakesAShortTextASecret(t *testing.T) {
	t.Parallel()
	finder := fixed{"hunter2": "pets", `hunter3"`: "pets", "hunter4\"\n": "pets", ` = "hunter5`: "pets", "\"\n": "end", "pet = ": "before"}
	r := newRedactor(t, Options{Finder: finder, Names: []string{"alice"}})
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"pet", "hunter2", []string{"hunter2"}},
		{"pet", "a hunter2 b", []string{"hunter2"}},
		{"pet", "hunter3", []string{"hunter3"}}, // with the quote around it
		{"pet", "hunter4", []string{"hunter4"}},
		{"pet", "hunter5", nil}, // begins in the name
		{"pet", "", nil},
		{"hunter2", "word", nil},
		{"", "hunter2", nil},
		{"pet", "/home/alice/x", nil}, // a name is no secret
		{"password", "Tr0ub4dor9", []string{"Tr0ub4dor9"}},
		{strings.Repeat("n", longestName), "hunter2", []string{"hunter2"}},
		{strings.Repeat("n", longestName+1), "hunter2", nil},
		{"pet", "hunter2" + strings.Repeat(" ", longestCalled-7), []string{"hunter2"}},
		{"pet", "hunter2" + strings.Repeat(" ", longestCalled-6), nil},
	} {
		found, err := r.called(t.Context(), test.name, test.text)
		if got := cut(test.text, found); err != nil || !slices.Equal(got, append([]string{}, test.want...)) {
			t.Errorf("%.20s = %.20s: %q, %v", test.name, test.text, got, err)
		}
	}
	if _, err := r.called(t.Context(), "pet", "trouble"); err == nil {
		t.Error("the finder's trouble is not told")
	}
}

func TestWholeSecretsAreRemembered(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("s", maxSeen)
	for text, want := range map[string]bool{
		"0123456789": true, "012345678": false, "01234 6789": false, "01234\n6789": false, "01234\t6789": false, long: true, long + "s": false,
	} {
		r := newRedactor(t, Options{})
		r.remember("a "+text+" b", []span{{start: 2, end: 2 + len(text), rule: "x", whole: true}})
		if got := r.seen[text] == "x"; got != want || len(r.seen) > 0 != want {
			t.Errorf("%.20q of %d: %v", text, len(text), got)
		}
		r = newRedactor(t, Options{})
		if r.remember(text, []span{{start: 0, end: len(text), rule: "x"}}); len(r.seen) > 0 {
			t.Errorf("an encoding is remembered: %.20q", text)
		}
	}
}

// counting finds one `Z` a look, and counts the looks.
type counting struct{ looks int }

func (c *counting) Find(text string) ([]gitleaks.Finding, error) {
	c.looks++
	if strings.Contains(text, "trouble") {
		return nil, fmt.Errorf("trouble")
	}
	if i := strings.IndexByte(text, 'Z'); i >= 0 {
		return []gitleaks.Finding{{Start: i, End: i + 1, Rule: "z"}}, nil
	}
	return nil, nil
}

func TestATextIsLookedAtUntilNothingMoreIsFound(t *testing.T) {
	t.Parallel()
	const mark = "[REDACTED:z]"
	for text, want := range map[string]struct {
		out string
		n   int
	}{
		"a - b - c":         {"a - b - c", 0},
		"Z - a b":           {mark + " - a b", 1},
		"Z - Z - Z":         {mark + " - " + mark + " - " + mark, 3},
		"Z - Z - Z - Z - Z": {strings.Repeat(mark+" - ", 4) + "Z", 4},
		"Z - alice":         {mark + " - user", 2},
	} {
		r := newRedactor(t, Options{Finder: &counting{}, Names: []string{"alice"}})
		if out, n, err := r.Text(t.Context(), text); out != want.out || n != want.n || err != nil {
			t.Errorf("%s became %s, %d, %v; want %s, %d", text, out, n, err, want.out, want.n)
		}
	}
	finder := &counting{}
	r := newRedactor(t, Options{Finder: finder, Names: []string{"alice"}})
	redacted(t, r, "it is alice")
	looks := finder.looks
	redacted(t, r, "it is a word")
	if 2*looks != finder.looks {
		t.Errorf("a name alone makes the text be looked at again: %d, then %d", looks, finder.looks)
	}
}

func TestATextThatHeldNothingIsNotLookedAtAgain(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("words of a text.", 7)[:leastKept]
	finder := &counting{}
	r := newRedactor(t, Options{Finder: finder})
	look := func(name, text string, m manner) (looked bool) {
		before := finder.looks
		_, _, _ = r.guarded(t.Context(), name, text, m)
		return finder.looks > before
	}
	for _, step := range []struct {
		says, name, text string
		m                manner
		looks            bool
	}{
		{"the first time", "", text, prose, true},
		{"again", "", text, prose, false},
		{"as an id", "", text, label, true},
		{"as an id again", "", text, label, false},
		{"under a name", "n", text, prose, true},
		{"under it again", "n", text, prose, false},
		{"another text", "", text + "!", prose, true},
		{"a short one", "", text[1:], prose, true},
		{"a short one again", "", text[1:], prose, true},
		{"with a secret", "", text + "Z", prose, true},
		{"with a secret again", "", text + "Z", prose, true},
		{"with trouble", "", text + "trouble", prose, true},
		{"with trouble again", "", text + "trouble", prose, true},
		{"the first text", "", text, prose, false},
	} {
		if got := look(step.name, step.text, step.m); got != step.looks {
			t.Errorf("%s: looked is %v", step.says, got)
		}
	}
	for i := len(r.clean.texts); i < mostKept; i++ {
		r.clean.texts[textKey{name: uint64(i)}] = struct{}{}
	}
	if look("", text+"?", prose); len(r.clean.texts) != 1 || look("", text+"?", prose) {
		t.Errorf("%d texts are remembered", len(r.clean.texts))
	}
}

// purgedWord stands for a purge of a word.
type purgedWord string

func (p purgedWord) Find(text string) (found [][2]int) {
	if i := strings.Index(text, string(p)); i >= 0 {
		found = append(found, [2]int{i, i + len(p)})
	}
	return found
}

func (p purgedWord) CutStep(step *records.Step, calls map[string]bool) int {
	n := 0
	for _, call := range step.ToolCalls {
		if strings.Contains(string(call.Input), string(p)) {
			calls[call.ToolCallID] = true
			n++
		}
	}
	return n
}

func (p purgedWord) CutResult(result *records.Observation, calls map[string]bool) int {
	if !calls[result.SourceCallID] {
		return 0
	}
	result.Content = nil
	return 1
}

func (p purgedWord) CutHead(head *records.Record) int {
	head.Dependencies = nil
	return 1
}

func (p purgedWord) Fingerprint() string { return string(p) }

func TestWhatIsNoneAndWhatWasPurged(t *testing.T) {
	t.Parallel()
	rules, err := ParseRules(strings.NewReader("secret [0-9]{4,5}\nallow 1234.\nallow 0+\nallow alice|pug\n"))
	if err != nil {
		t.Fatal(err)
	}
	rules.Purged = purgedWord("pug")
	r := newRedactor(t, Options{Rules: rules, Names: []string{"alice"}})
	for text, want := range map[string]string{
		"56789":       "[REDACTED:own-rule]",
		"12345":       "12345",
		"in 00000 it": "in 00000 it",
		"00001":       "[REDACTED:own-rule]",
		"5678":        "5678", // too short for a secret
		"pug":         "[REDACTED:purged]",
		"say pug now": "say [REDACTED:purged] now",
		"to alice":    "to user",
	} {
		if got := redacted(t, r, text); got != want {
			t.Errorf("%s became %s", text, got)
		}
	}
	for text, want := range map[string]bool{"a pug": true, "a dog": false} {
		if got := r.HoldsPurged(text); got != want || newRedactor(t, Options{}).HoldsPurged(text) {
			t.Errorf("%s: %v", text, got)
		}
	}
}

func TestOnlyProseIsLookedThroughForWhatLooksRandom(t *testing.T) {
	t.Parallel()
	r := newRedactor(t, Options{Names: []string{"alice"}})
	const text = "alice in /home/carol aB1cD2eF3gH4iJ5kL6mN7oP8qR9s"
	for m, want := range map[manner]string{prose: "user in /home/user [REDACTED:high-entropy]", label: text} {
		if got, _, err := r.guarded(t.Context(), "", text, m); got != want || err != nil {
			t.Errorf("%d: %s, %v", m, got, err)
		}
	}
}
