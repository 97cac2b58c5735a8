package redact

import (
	"slices"
	"strings"
	"testing"
)

func TestGroupsOfARule(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		rule, text string
		want       []string
	}{
		{"key [0-9]+", "key 1, key 2", []string{"key 1", "key 2"}},
		{"key ([0-9]+)", "key 1, key 2", []string{"1", "2"}},
		{"key ([0-9]+)( x)?", "key 1 x", []string{"1"}},
		{"key (?:a|([0-9]+))", "key a", []string{"key a"}},
		{"key ([0-9]*)", "key a", nil},
		{"key", "none", nil},
	} {
		var rules Rules
		if err := rules.Add("secret", test.rule); err != nil {
			t.Fatal(err)
		}
		found := rules.find(test.text)
		if got := cut(test.text, found); !slices.Equal(got, append([]string{}, test.want...)) {
			t.Errorf("%s: %q", test.rule, got)
		}
		for _, s := range found {
			if s.rule != "own-rule" || !s.whole {
				t.Errorf("%s: %+v", test.rule, s)
			}
		}
	}
	purged := Rules{Purged: purgedWord("pug")}
	if found := purged.find("a pug"); len(found) != 1 || found[0] != (span{start: 2, end: 5, rule: purgedRule, whole: true}) {
		t.Errorf("what was purged: %+v", found)
	}
}

func TestRulesAreReadAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	rules, err := ParseRules(strings.NewReader("\n  # a comment\n\tname  Falcon \nallow a|b\nsecret key [0-9]\n"))
	if err != nil || !slices.Equal(rules.Names, []string{"Falcon"}) || len(rules.Allowed) != 1 || len(rules.Secrets) != 1 {
		t.Fatalf("%+v, %v", rules, err)
	}
	for text, want := range map[string]bool{"a": true, "b": true, "ab": false, "xa": false, "": false} {
		if got := rules.allowed(text); got != want {
			t.Errorf("%s: allowed is %v", text, got)
		}
	}
	whole := strings.Repeat("# a comment of ours\n", maxRules/20+1)[:maxRules-1] + "\n"
	if _, err := ParseRules(strings.NewReader(whole)); err != nil {
		t.Errorf("a file of the greatest size: %v", err)
	}
	if _, err := ParseRules(strings.NewReader(whole + "\n")); err == nil {
		t.Error("a file of one byte more is taken")
	}
	for _, line := range []string{"name", "secret", "allow ", "nickname x"} {
		if _, err := ParseRules(strings.NewReader(line + "\n")); err == nil || !strings.Contains(err.Error(), "line 1: ") {
			t.Errorf("%q: %v", line, err)
		}
	}
}

func TestFingerprintsTellRulesApart(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for name, o := range map[string]Options{
		"none": {}, "a name": {Names: []string{"alice"}}, "another name": {Names: []string{"carol"}},
		"a name of the rules": {Rules: parsed(t, "name quimby")}, "a secret": {Rules: parsed(t, "secret x+")},
		"another secret": {Rules: parsed(t, "secret y+")}, "two": {Rules: parsed(t, "secret x+", "secret y+")},
		"allowed": {Rules: parsed(t, "allow x+")}, "a secret like it": {Rules: parsed(t, "secret ^(?:x+)$")}, "purged": {Rules: Rules{Purged: purgedWord("pug")}},
		"purged as well": {Rules: Rules{Purged: purgedWord("dog")}},
	} {
		print := newRedactor(t, o).Fingerprint()
		own, ok := strings.CutPrefix(print, Version())
		if want := len(" own/01234567"); !ok || (name == "none") != (own == "") || own != "" && len(own) != want {
			t.Errorf("%s: %q", name, print)
		}
		if other := seen[print]; other != "" {
			t.Errorf("%s has the fingerprint of %s", name, other)
		}
		seen[print] = name
	}
	if got := newRedactor(t, Options{Rules: Rules{Purged: purgedWord("")}}).Fingerprint(); got != Version() {
		t.Errorf("nothing that was purged: %q", got)
	}
}

func parsed(t *testing.T, lines ...string) Rules {
	t.Helper()
	rules, err := ParseRules(strings.NewReader(strings.Join(lines, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	return rules
}
