package unseen

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/trails/linediff"
)

// Two patches of one author may be joined, those of two may not: whatever differs tells them apart.
func TestWhenTwoOwnersAreOne(t *testing.T) {
	t.Parallel()
	base := events.AnchorOwner{Kind: events.OwnerAI, Patch: "p", Previous: "q", Model: "m"}
	if !sameOwner(base, base) || !sameAuthor(base, base) {
		t.Error("an owner is not itself")
	}
	for what, change := range map[string]func(*events.AnchorOwner){
		"kind": func(o *events.AnchorOwner) { o.Kind = events.OwnerMixed }, "conversation": func(o *events.AnchorOwner) { o.Trace = "x" },
		"call": func(o *events.AnchorOwner) { o.ToolCall = "x" }, "sub-agent": func(o *events.AnchorOwner) { o.Subagent = "x" },
		"prompt": func(o *events.AnchorOwner) { o.Prompt = 1 }, "step": func(o *events.AnchorOwner) { o.Step = 1 },
		"candidates": func(o *events.AnchorOwner) { o.Candidates = []events.CandidateData{{}} },
		"limits":     func(o *events.AnchorOwner) { o.Limits = []events.Limit{"x"} },
	} {
		other := base
		change(&other)
		if sameAuthor(base, other) || sameOwner(base, other) {
			t.Errorf("owners of another %s are one", what)
		}
	}
	for what, change := range map[string]func(*events.AnchorOwner){
		"patch": func(o *events.AnchorOwner) { o.Patch = "x" }, "line before": func(o *events.AnchorOwner) { o.Previous = "x" },
	} {
		other := base
		change(&other)
		if !sameAuthor(base, other) {
			t.Errorf("patches with another %s are of two authors", what)
		}
		if sameOwner(base, other) {
			t.Errorf("owners with another %s are one", what)
		}
	}
}

// Lines that follow each other and have one owner on one evidence are one run; a line that nobody claimed is nobody's.
func TestClaimsBecomeRuns(t *testing.T) {
	t.Parallel()
	a := events.AnchorOwner{Kind: events.OwnerAI, ToolCall: "a", Patch: "1"}
	b := events.AnchorOwner{Kind: events.OwnerAI, ToolCall: "a", Patch: "2"}
	f := &file{
		added: []linediff.Range{{Start: 0, End: 6}, {Start: 8, End: 10}},
		owners: map[int]claim{
			0: {a, "exact_lines"}, 1: {a, "exact_lines"}, 2: {a, "moved_lines"}, 3: {b, "moved_lines"}, 5: {a, "exact_lines"},
			8: {a, "exact_lines"}, 9: {a, "exact_lines"},
		},
	}
	answer := f.answer()
	var got []string
	for _, run := range answer.File.Runs {
		owner := answer.Owners[run.Owner]
		got = append(got, fmt.Sprintf("%d+%d %s%s %s", run.Start, run.Count, owner.Kind, owner.Patch, run.Tier))
	}
	want := []string{
		"1+2 ai1 exact_lines", "3+1 ai1 moved_lines", "4+1 ai2 moved_lines", "5+1 unknown exact_lines", "6+1 ai1 exact_lines",
		"9+2 ai1 exact_lines",
	}
	if !slices.Equal(got, want) {
		t.Errorf("runs are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if len(answer.Owners) != 3 {
		t.Errorf("%d owners are listed, want 3", len(answer.Owners))
	}
}
