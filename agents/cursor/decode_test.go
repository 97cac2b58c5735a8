package cursor_test

import (
	"slices"
	"testing"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/cursor"
	"github.com/git-trace/git-trace/events"
)

func decode(t *testing.T, event, data string) events.Boundary {
	t.Helper()
	got, err := cursor.New(capability.Env{Home: "/home/dev"}).Decoder.Decode(event, []byte(data))
	if err != nil || len(got) != 1 {
		t.Fatalf("%d boundaries, %v", len(got), err)
	}
	return got[0]
}

const common = `"conversation_id":"c1","generation_id":"g1","model":"claude-4.5","workspace_roots":["/work"],"transcript_path":null`

func TestAnEditDeclaresItsPathAndTexts(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]string{
		"as an object":       `{"file_path":"/work/a.go","old_string":"x","new_string":"y"}`,
		"as text":            `"{\"file_path\":\"/work/a.go\",\"old_string\":\"x\",\"new_string\":\"y\"}"`,
		"with another field": `{"path":"a.go","old_string":"x","new_string":"y"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := decode(t, "preToolUse", `{`+common+`,"tool_name":"StrReplace","tool_use_id":"t1","tool_input":`+in+`}`)
			if b.Session != "c1" || b.Model != "claude-4.5" || b.Cwd != "/work" || b.Prompt.ID != "g1" || b.Tool.CallID != "t1" ||
				b.Tool.Class != events.ToolEdits || !slices.Equal(b.Tool.Paths, []string{"/work/a.go"}) || b.Tool.Edits[0].New != "y" {
				t.Errorf("%+v, %+v", b, b.Tool)
			}
		})
	}
}

func TestAPromptIsTextAndItsGeneration(t *testing.T) {
	t.Parallel()
	b := decode(t, "beforeSubmitPrompt", `{`+common+`,"prompt":"do it"}`)
	if b.Kind != events.PromptSubmit || b.Prompt.Text != "do it" || b.Prompt.ID != "g1" {
		t.Errorf("%+v", b)
	}
}

func TestASubagentComesUnderItsParent(t *testing.T) {
	t.Parallel()
	b := decode(t, "postToolUse", `{"conversation_id":"c2","parent_conversation_id":"c1","tool_name":"Shell","tool_use_id":"t","tool_input":{"command":"make"}}`)
	if b.Session != "c1" || b.Subagent != "c2" || b.Tool.Class != events.ToolRuns {
		t.Errorf("%+v", b)
	}
}

func TestACallWithoutIDOrPathSaysSo(t *testing.T) {
	t.Parallel()
	b := decode(t, "preToolUse", `{`+common+`,"tool_name":"Write","tool_input":{"x":1}}`)
	if b.Tool.Class != events.ToolUnknown || b.Tool.Fingerprint == "" || !slices.Contains(b.Limits, events.LimitIDMissing) {
		t.Errorf("%+v, %+v", b, b.Tool)
	}
}

func TestACompletionIsACallOfItsOwnConversation(t *testing.T) {
	t.Parallel()
	b := decode(t, "afterTabFileEdit", `{`+common+`,"file_path":"/work/a.go","edits":[{"old_string":"","new_string":"nil","range":{"start_line_number":3,"start_column":9,"end_line_number":3,"end_column":9},"old_line":"\treturn ","new_line":"\treturn nil"}]}`)
	at := events.Place{Line: 3, Column: 9, Text: "\treturn "}
	if b.Kind != events.Completed || b.Session != "tab-c1" || b.Prompt != nil || b.Tool.Name != events.ToolCompletion || b.Tool.CallID == "" ||
		b.Tool.Edits[0].Path != "/work/a.go" || b.Tool.Edits[0].New != "nil" || *b.Tool.Edits[0].At != at {
		t.Errorf("%+v, %+v", b, b.Tool)
	}
	got, err := cursor.New(capability.Env{}).Decoder.Decode("afterTabFileEdit", []byte(`{`+common+`,"file_path":"/work/a.go","edits":[]}`))
	if err != nil || len(got) != 0 {
		t.Errorf("an event without edits: %+v, %v", got, err)
	}
}
