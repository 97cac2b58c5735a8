package claudecode

import (
	"strings"
	"testing"

	"github.com/git-trace/git-trace/events"
)

func TestReplaceDoesWhatTheToolDoes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, content string
		step          replacement
		want          string
		exact         bool
	}{
		{"one occurrence is replaced", "a b c", replacement{Old: "b", New: "x"}, "a x c", true},
		{"several need to be asked for", "b b", replacement{Old: "b", New: "x"}, "", false},
		{"all are replaced when asked for", "b b", replacement{Old: "b", New: "x", All: true}, "x x", true},
		{"a text that is not there gives no result", "a", replacement{Old: "b", New: "x"}, "", false},
		{"a replacement is not searched again", "bb", replacement{Old: "b", New: "bb", All: true}, "bbbb", true},
		{"a deleted line takes its newline with it", "a\nb\nc\n", replacement{Old: "b"}, "a\nc\n", true},
		{"a deleted text with a newline takes no other", "a\nb\n\nc\n", replacement{Old: "b\n"}, "a\n\nc\n", true},
		{"a deleted text within a line takes none", "a b c\n", replacement{Old: " b"}, "a c\n", true},
		{"deleting all takes the newlines only where they follow", "b\nb c\n", replacement{Old: "b", All: true}, "b c\n", true},
		{"nothing in an empty file makes the content", "", replacement{New: "x\n"}, "x\n", true},
		{"nothing in a blank file makes the content", " \n", replacement{New: "x\n"}, "x\n", true},
		{"nothing in a file with text gives no result", "a", replacement{New: "x\n"}, "x\n", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, exact := replace(test.content, &test.step)
			if got != test.want || exact != test.exact {
				t.Errorf("got %q, %v, want %q, %v", got, exact, test.want, test.exact)
			}
		})
	}
}

func TestContentsAreGivenOnlyWhenTheyAreCertain(t *testing.T) {
	t.Parallel()
	original := "a\nb\n"
	one := input{replacement: replacement{Old: "a", New: "x"}}
	lost := input{replacement: replacement{Old: "z", New: "x"}}
	chain := input{Edits: []replacement{{Old: "a", New: "x"}, {Old: "x", New: "y"}}}
	broken := input{Edits: []replacement{{Old: "a", New: "x"}, {Old: "a", New: "y"}}}
	known := response{Original: &original}
	const before, after = events.ToolBefore, events.ToolAfter
	tests := []struct {
		name        string
		kind        events.BoundaryKind
		in          input
		out         response
		first, last string // "-" for none
	}{
		{"before the call nothing is certain", before, one, known, "-", "-"},
		{"after a failure nothing is certain", events.ToolFailed, one, known, "-", "-"},
		{"after the call both are", after, one, known, "a\nb\n", "x\nb\n"},
		{"an original that is left out leaves out both", after, one, response{}, "-", "-"},
		{"a user's change leaves the result out", after, one, response{Original: &original, UserModified: true}, "a\nb\n", "-"},
		{"a text that is not there leaves the result out", after, lost, known, "a\nb\n", "-"},
		{"a chain that breaks leaves the result out", after, broken, known, "a\nb\n", "-"},
		{"a chain goes on from its own result", after, chain, response{OriginalMulti: &original}, "a\nb\n", "y\nb\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			edits := declare(test.kind, "Edit", "/f", &test.in, &test.out)
			if got := show(edits[0].Before); got != test.first {
				t.Errorf("before is %q, want %q", got, test.first)
			}
			if got := show(edits[len(edits)-1].After); got != test.last {
				t.Errorf("after is %q, want %q", got, test.last)
			}
		})
	}
}

func show(content *string) string {
	if content == nil {
		return "-"
	}
	return *content
}

func TestWhatTheToolReportsIsPreferredToWhatItWasAsked(t *testing.T) {
	t.Parallel()
	found, used, original := "“a”", "x", "“a”\n"
	in := input{replacement: replacement{Old: `"a"`, New: "x  "}}
	edits := declare(events.ToolAfter, "Edit", "/f", &in, &response{Old: &found, New: &used, Original: &original})
	if edits[0].Old != found || edits[0].New != used || show(edits[0].After) != "x\n" {
		t.Errorf("got %+v", edits[0])
	}
}

func FuzzReplace(f *testing.F) {
	f.Add("a\nb\nc\n", "b", "", false)
	f.Add("", "", "x", false)
	f.Add("aa", "a", "aa", true)
	f.Fuzz(func(t *testing.T, content, from, to string, all bool) {
		got, exact := replace(content, &replacement{Old: from, New: to, All: all})
		if exact && from != "" && to != "" && strings.Count(content, from) == 1 && !strings.Contains(got, to) {
			t.Errorf("%q does not hold the new text %q", got, to)
		}
	})
}
