package messages_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/messages"
)

func read(raw string) (list []*records.Record, err error) {
	err = messages.Read(strings.NewReader(raw), func(_ int, r *records.Record) error {
		list = append(list, r)
		return nil
	})
	return list, err
}

const smith = `{"instance_id":"x__y.1","resolved":true,"model":"claude-3-7-sonnet","traj_id":"x__y.1.abc","patch":"diff --git","messages":"[{\"role\":\"system\",\"content\":\"<function=example_function_name>\"},{\"role\":\"user\",\"content\":\"<uploaded_files>\"},{\"role\":\"assistant\",\"content\":\"Look.\\n<function=str_replace_editor>\\n<parameter=command>create</parameter>\\n<parameter=path>/testbed/a.py</parameter>\\n<parameter=file_text>\\nx = 1\\n\\n</parameter>\\n</function>\"},{\"role\":\"user\",\"content\":\"OBSERVATION:\\na.py\\r\\n\"},{\"role\":\"assistant\",\"content\":\"Run\\n` + "```" + `\\nls\\n` + "```" + `\"},{\"role\":\"user\",\"content\":\"OBSERVATION:\\nb\"}]"}`

const openai = `{"id":"o1","tools":[{"type":"function","function":{"name":"bash"}}],"messages":[{"role":"developer","content":"S"},{"role":"user","content":[{"type":"text","text":"see"},{"type":"image_url","image_url":{"url":"data:"}}]},
 {"role":"assistant","content":null,"tool_calls":[{"id":"a","function":{"name":"bash","arguments":"{\"command\":\"ls\"}"}},{"id":"b","function":{"name":"bash","arguments":"not json"}}]},
 {"role":"tool","tool_call_id":"b","content":"late"},{"role":"tool","tool_call_id":"zz","content":"whose?"},{"role":"user","content":"go on"},
 {"role":"assistant","content":"","refusal":"I will not"}]}`

const anthropic = `[{"role":"user","content":"fix"},{"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"ok"},{"type":"tool_use","id":"t","name":"Write","input":{"file_path":"a.go","content":"a\n"}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"bad"}],"is_error":true}]}]`

func TestRowsBecomeConversations(t *testing.T) {
	t.Parallel()
	list, err := read(smith + "\n" + strings.ReplaceAll(openai, "\n", "") + "\n" + anthropic)
	if err != nil || len(list) != 3 {
		t.Fatalf("%d records, %v", len(list), err)
	}
	r := list[0]
	write, run := r.Steps[1], r.Steps[2]
	if r.SessionID != "x__y.1.abc" || !*r.Outcome.Success || *r.Outcome.Reward != 1 || *r.Outcome.Patch != "diff --git" ||
		*r.ExecutionContext != records.Runtime || len(r.SystemPrompts) != 1 {
		t.Errorf("row %+v", r)
	}
	if string(write.ToolCalls[0].Input) != `{"command":"create","path":"/testbed/a.py","file_text":"x = 1\n"}` ||
		*write.Content != "Look." || *write.Observations[0].Content != "a.py\r\n" || len(write.Snippets) != 1 {
		t.Errorf("write %+v", write)
	}
	if string(run.ToolCalls[0].Input) != `{"command":"ls"}` || *run.Observations[0].Content != "b" {
		t.Errorf("run %+v", run)
	}
	o := list[1]
	if calls := o.Steps[1]; *calls.Observations[0].Error != records.ErrorNoResult ||
		*calls.Observations[1].Content != "late" ||
		string(calls.ToolCalls[1].Input) != `{"arguments":"not json"}` || *o.Steps[0].Content != "see\n\n[image]" {
		t.Errorf("calls %+v", calls)
	}
	if o.Stops()[4] != "refusal" || !strings.Contains(string(o.Metadata["unlinked_results"]), "whose?") ||
		len(o.ToolDefinitions) != 1 {
		t.Errorf("stops %v, %s", o.Stops(), o.Metadata["unlinked_results"])
	}
	a := list[2]
	if !strings.HasPrefix(a.SessionID, "sha256:") || *a.Steps[1].ReasoningContent != "hm" ||
		*a.Steps[1].Observations[0].Error != records.ErrorTool {
		t.Errorf("blocks %+v", a.Steps[1])
	}
	again, err := read(anthropic)
	if err != nil || again[0].TraceID != a.TraceID {
		t.Errorf("the same row is another conversation: %v", err)
	}
}

func TestPredictionsAndStrangeRolesAreRefused(t *testing.T) {
	t.Parallel()
	if _, err := read(`{"instance_id":"a","model_patch":"x","model_name_or_path":"m"}`); !errors.Is(err, messages.ErrPrediction) {
		t.Errorf("a prediction: %v", err)
	}
	if _, err := read(`{"messages":[{"role":"user","content":"a"},{"role":"pope","content":"b"}]}`); err == nil ||
		err.Error() != `line 1, byte 0: message 2: not of this format: unknown role "pope"` {
		t.Errorf("a role: %v", err)
	}
}

func TestRealRowsAreReadWithoutLoss(t *testing.T) {
	t.Parallel()
	files, _ := filepath.Glob("../../../shared/corpus/swe-smith/*.jsonl")
	if len(files) == 0 {
		t.Skip("the corpus is not here")
	}
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		list, err := read(string(raw))
		if err != nil || len(list) != strings.Count(string(raw), "\n") {
			t.Errorf("%s: %d conversations, %v", filepath.Base(name), len(list), err)
		}
		for _, r := range list {
			if r.Metadata["unlinked_results"] != nil {
				t.Errorf("%s: %s", r.SessionID, r.Metadata["unlinked_results"])
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, raw := range []string{smith, openai, anthropic} {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		list, _ := read(raw)
		for _, r := range list {
			if faults := r.Check(); len(faults) > 0 {
				t.Fatalf("%v", faults)
			}
		}
	})
}

func TestTheExportOfGrokIsAConversation(t *testing.T) {
	t.Parallel()
	list, err := read(`{"timestamp":"2026-05-16T04:00:00Z","model":"grok-4","conversation":[{"role":"system","content":"S"},` +
		`{"role":"user","content":"write"},{"role":"assistant","content":"done"}]}`)
	if err != nil || len(list) != 1 || len(list[0].Steps) != 2 || len(list[0].SystemPrompts) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
}

func TestTheExportOfCursorHasItsCallsModelsAndTimes(t *testing.T) {
	t.Parallel()
	list, err := read(`{"id":"s-1","messageCount":4,"workspaceId":"w","workspacePath":"/home/dev/shop","messages":[` +
		`{"id":"b1","role":"user","content":"write","timestamp":"2026-05-04T14:02:11.000Z"},` +
		`{"id":"b2","role":"assistant","content":"done","timestamp":"2026-05-04T14:02:40.000Z","model":"claude-3.5-sonnet",` +
		`"toolCalls":[{"name":"edit_file","args":{"path":"a.go"}},` +
		`{"name":"read_file","status":"completed","params":{"path":"b.go"},"result":"package b"},` +
		`{"name":"run_terminal_cmd","status":"error","error":"boom"},{"name":"grep","status":"cancelled"}]},` +
		`{"id":"b3","role":"user","content":"thanks"},{"id":"b4","role":"assistant","content":"","toolCalls":[` +
		`{"id":"x","name":"write","status":"completed","result":"ok"}]}]}`)
	if err != nil || len(list) != 1 || len(list[0].Steps) != 4 {
		t.Fatalf("%+v, %v", list, err)
	}
	r := list[0]
	step := r.Steps[1]
	if r.Agent.Name != "cursor" || *step.Model != "anthropic/claude-3-5-sonnet" ||
		*step.Timestamp != "2026-05-04T14:02:40.000Z" || len(step.ToolCalls) != 4 {
		t.Fatalf("%s %s %s %+v", r.Agent.Name, *step.Model, *step.Timestamp, step)
	}
	for i, want := range []string{records.ErrorNoResult, "", records.ErrorTool, records.ErrorInterrupted} {
		if got := records.Value(step.Observations[i].Error); got != want {
			t.Errorf("%s: error %q, want %q", step.ToolCalls[i].ToolName, got, want)
		}
	}
	if got := records.Value(r.Steps[3].Observations[0].Content); got != "ok" {
		t.Errorf("the last call gave %q", got)
	}
}
