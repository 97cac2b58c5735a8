package view

import "testing"

func TestAModelIsOneBySeveralNames(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		a, b string
		same bool
	}{
		{"anthropic/claude-sonnet-4-5", "claude-sonnet-4.5", true}, // Copilot's hooks, and its record
		{"claude-opus-4-5", "anthropic/claude-opus-4-5", true},
		{"claude-opus-4-5", "claude-opus-4-6", false},
		{"gpt-5", "openai/gpt-5", true},
		{"", "", true},
		{"<synthetic>", "", false},
		{"<synthetic>", "<other>", false},
	} {
		if got := sameModel(test.a, test.b); got != test.same {
			t.Errorf("%q and %q: %v", test.a, test.b, got)
		}
	}
}
