package view

import "testing"

func TestALongPromptIsCalledByItsHeading(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ title, prompt, want string }{
		"the title of the session file":      {"Fix the tests", "# Heading", "Fix the tests"},
		"a plan behind an introduction":      {"", "Implement the following plan:\n\n# Fix E2E Test Issues\n\n## Summary\n", "Fix E2E Test Issues"},
		"a heading at the beginning":         {"", "\n## Goal: faster\ntext", "Goal: faster"},
		"a heading behind a paragraph":       {"", "Please look.\n\n# Log\nall of it", ""},
		"a heading behind two introductions": {"", "First:\nSecond:\n# Log", ""},
		"signs and no heading":               {"", "###\nplan", ""},
		"a command":                          {"", "/review", ""},
		"nothing":                            {"", "", ""},
	} {
		c := Conversation{Title: tt.title, Prompt: &Prompt{Text: tt.prompt}}
		if got := c.Called(); got != tt.want {
			t.Errorf("%s: is called %q, want %q", name, got, tt.want)
		}
	}
	if got := (&Conversation{}).Called(); got != "" {
		t.Errorf("a conversation without a prompt is called %q", got)
	}
}
