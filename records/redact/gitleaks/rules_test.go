package gitleaks

import "testing"

func TestEveryRuleCompiles(t *testing.T) {
	t.Parallel()
	r, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
	if len(r.rules) < 200 {
		t.Errorf("there are %d rules", len(r.rules))
	}
}
