package gitleaks

import (
	"encoding/json"
	"slices"
	"testing"
)

// check compiles every expression, so that a rule that cannot be used is known before a text needs it.
func (r *Rules) check() error {
	for _, rule := range r.rules {
		if _, err := rule.compiled(); err != nil {
			return err
		}
		for _, list := range rule.allow {
			if _, err := list.compiled(); err != nil {
				return err
			}
		}
	}
	allow, err := r.allow()
	if err != nil {
		return err
	}
	for _, list := range allow {
		if _, err := list.compiled(); err != nil {
			return err
		}
	}
	return nil
}

func TestEveryRuleCompiles(t *testing.T) {
	t.Parallel()
	r, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.check(); err != nil {
		t.Fatal(err)
	}
	if len(r.rules) < 200 {
		t.Errorf("there are %d rules", len(r.rules))
	}
}

// The keywords are read from the lines of the file without decoding them.
func TestARuleIsCalledByTheKeywordsOfItsDocument(t *testing.T) {
	t.Parallel()
	var whole struct {
		storeHead
		Rules []storeRule `json:"rules"`
	}
	if err := json.Unmarshal([]byte(rulesJSON), &whole); err != nil {
		t.Fatal(err)
	}
	r, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	if whole.Version != Version || len(r.rules) != len(whole.Rules) {
		t.Fatalf("%d rules of version %s, want %d of %s", len(r.rules), Version, len(whole.Rules), whole.Version)
	}
	for i, want := range whole.Rules {
		words, id, ok := calledBy(r.rules[i].line)
		if !ok || id != want.ID || !slices.Equal(words, want.Keywords) {
			t.Errorf("rule %d is %q, called by %q: want %q, called by %q", i, id, words, want.ID, want.Keywords)
		}
		if r.rules[i].generic != (want.ID == Generic) || slices.Contains(r.always, i) != (len(want.Keywords) == 0) {
			t.Errorf("rule %q is taken for another", want.ID)
		}
	}
	allow, err := r.allow()
	if err != nil || len(allow) != len(whole.Allowlists) {
		t.Errorf("%d allow-lists (%v), want %d", len(allow), err, len(whole.Allowlists))
	}
	for _, line := range []string{"", "{", `{"id":`, `{"keywords":["a"`, `{"keywords":["a"],"regex":"b"}`} {
		if _, _, ok := calledBy(line); ok {
			t.Errorf("%q is taken for a rule", line)
		}
	}
}
