package transcripts

import (
	"encoding/json"
	"testing"

	"github.com/git-trace/git-trace/records"
)

func TestPatchesInProgramsOfTheModelAreReadWhereTheyStandWhole(t *testing.T) {
	t.Parallel()
	const patch = "*** Begin Patch\n*** Add File: a.go\n+one\n+two\n*** Update File: b.go\n@@\n three\n-four\n+five\n*** End Patch"
	quoted, err := json.Marshal(patch)
	if err != nil {
		t.Fatal(err)
	}
	for program, files := range map[string]int{
		"text(await tools.apply_patch(`" + patch + "`));":             2,
		"await tools.apply_patch(" + string(quoted) + ")":             2,
		"tools.apply_patch(`" + patch + " ${more}`)":                  0,
		"tools.apply_patch(patch)":                                    0,
		"tools.apply_patch(`" + patch:                                 0,
		"tools.apply_patch(p); tools.apply_patch(\n `" + patch + "`)": 2,
	} {
		input, err := json.Marshal(map[string]string{"input": program})
		if err != nil {
			t.Fatal(err)
		}
		step := records.Step{ToolCalls: []records.ToolCall{{ToolCallID: "1", ToolName: "exec", Input: input}}, Observations: []records.Observation{{SourceCallID: "1"}}}
		got := programPatches(&step)
		if len(got) != files {
			t.Errorf("%s: %+v", program, got)
		}
		if files > 0 && (len(got[0].Whole) != 2 || got[1].Replaces[0].New != "three\nfive\n") {
			t.Errorf("%s: %+v", program, got)
		}
		step.ToolCalls = append(step.ToolCalls, records.ToolCall{ToolCallID: "2", ToolName: "apply_patch"})
		if got := programPatches(&step); len(got) > 0 {
			t.Errorf("%s is read beside the event that tells it: %+v", program, got)
		}
	}
}
