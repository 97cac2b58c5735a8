package cli

import "testing"

func TestLinesOfAParagraphAreJoined(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"one\ntwo":                   "one two",
		"one\n\ntwo\nthree":          "one\n\ntwo three",
		"one\n  set off\n  too\ntwo": "one\n  set off\n  too two",
	} {
		if have := paragraphs(text); have != want {
			t.Errorf("%q: %q, not %q", text, have, want)
		}
	}
}
