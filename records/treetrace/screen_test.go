package treetrace_test

import (
	"strings"
	"testing"

	"github.com/git-trace/git-trace/records/treetrace"
)

// The screen says of each correction whether it was followed, and uses no words of the format.
func TestTheScreenSaysWhatWasFollowed(t *testing.T) {
	t.Parallel()
	gone := "node_003"
	d := &treetrace.Document{
		Failures: []treetrace.Failure{{FirstSeenNodeID: "node_001", Type: "tool_execution_failed", Tier: "verified",
			Evidence: `tool_execution_error (tool_result): "make → exit 2"`}},
		CorrectionChains: []treetrace.Chain{
			{FailureNodeID: "node_001", CorrectionNodeID: "node_002", ResolvedNodeID: &gone, Confidence: "high",
				Summary: `A call failed: tool_execution_error (tool_result): "make → exit 2"; corrected by node_002, gone since node_003.`},
			{FailureNodeID: "node_004", CorrectionNodeID: "node_005", Confidence: "medium", Summary: "The goal was misunderstood: 5 of 5 lines; corrected by node_005."},
		},
		Names: map[string]string{"node_001": "4f2a#1", "node_002": "4f2a#2", "node_003": "4f2a#3", "node_004": "4f2a#4", "node_005": "4f2a#5"},
	}
	text, err := treetrace.Screen(d)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"followed: 1 of 2\n", `- 4f2a#2 corrects 4f2a#1, followed: gone since 4f2a#3 (high). A call failed: "make → exit 2"` + "\n",
		"- 4f2a#5 corrects 4f2a#4, not seen to be followed (medium). The goal was misunderstood: 5 of 5 lines\n",
		`- 4f2a#1 tool execution failed (verified): "make → exit 2"`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(string(text), "tool_") {
		t.Errorf("a word of the format stands in\n%s", text)
	}
}
