package unseen

import (
	"testing"

	"github.com/git-trace/git-trace/events"
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
