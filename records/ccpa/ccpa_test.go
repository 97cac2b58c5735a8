package ccpa_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/ccpa"
)

func read(raw string) ([]*records.Record, error) {
	var list []*records.Record
	err := ccpa.Read(strings.NewReader(raw), func(_ int, r *records.Record) error {
		list = append(list, r)
		return nil
	})
	return list, err
}

// again reads a trace, stores its records as git-trace does, and writes them.
func again(t *testing.T, raw string) string {
	t.Helper()
	list, err := read(raw)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	for _, r := range list {
		stored, err := records.Encode(r)
		if err != nil {
			t.Fatal(err)
		}
		back, err := records.Decode(stored)
		if err != nil {
			t.Fatal(err)
		}
		if err := ccpa.Write(&out, back); err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}

const version1 = `{"kind":"session_start","v":1,"session_id":"0192f0e0-0000-7000-8000-000000000001","ts":"2026-04-27T12:00:00Z","actor":"claude-code","model":"claude-sonnet-4-6","cwd_sha256":"a3b2c1d0e9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a3b2"}
{"kind":"user_prompt","v":1,"turn":0,"text":"add a line — \"quoted\" <b>\u0001"}
{"kind":"assistant_turn","v":1,"turn":1,"blocks":[{"type":"thinking","thinking":"first read"},{"type":"text","text":"Reading."},{"type":"tool_use","id":"t1","name":"Read","input":{"path":"README.md"}}],"stop_reason":"tool_use"}
{"kind":"tool_result","v":1,"turn":2,"tool_use_id":"t1","ok":false,"content":"no such file","side_effects":{"files_read":["README.md"],"exit_code":1}}
{"kind":"assistant_turn","v":1,"turn":3,"blocks":[{"type":"text","text":"It is"},{"type":"text","text":" not there."}],"stop_reason":"end_turn"}
{"kind":"session_end","v":1,"turn":3,"stop_reason":"end_turn","elapsed_ms":1840,"tokens_in":1240,"tokens_out":92}
`

const version2 = `{"v":1,"kind":"session_start","session_id":"s2","ts":"2026-04-27T12:00:00Z","actor":"apr-code","model":"m","cwd_sha256":"00"}
{"v":1,"kind":"user_prompt","turn":0,"text":"/review"}
{"v":1,"kind":"skill_invocation","turn":0,"name":"review","source":"user_invoked","instructions_injected":true}
{"v":1,"kind":"hook_event","turn":1,"event":"PreToolUse","matcher":"Bash","decision":"warn","exit_code":1,"output":"careful"}
{"v":1,"kind":"assistant_turn","turn":1,"blocks":[{"type":"tool_use","id":"a","name":"Bash","input":{"command":"ls"}},{"type":"tool_use","id":"a","name":"Bash","input":{}}],"stop_reason":"tool_use"}
{"v":1,"kind":"tool_result","turn":2,"tool_use_id":"nobody","ok":true,"content":"lost"}
{"v": 1, "kind": "tool_result", "turn": 2, "tool_use_id": "a", "ok": true, "content": "x"}
{"v":1,"kind":"session_end","turn":2,"stop_reason":"error","elapsed_ms":1,"tokens_in":1,"tokens_out":1}
`

const described = `{"kind":"session_start","session_id":"abc-123","cwd":"/tmp/fixture-0001","git_commit":"deadbeef"}
{"kind":"user_prompt","text":"Fix the failing test.","attachments":[]}
{"kind":"assistant_turn","text":"I read.","blocks":[{"type":"text","text":"I read."},{"type":"tool_use","id":"tu_1","name":"Read","input":{"path":"src/lib.rs"}}],"stop_reason":"tool_use"}
{"kind":"tool_result","tool_use_id":"tu_1","content":"x","is_error":true}
{"kind":"hook_event","hook_name":"stop","trigger":"end","tool_use_id":"tu_1"}
{"kind":"skill_invocation","skill_name":"s","args":""}
{"kind":"session_end","reason":"end_turn"}
`

func TestTracesComeBackByteForByte(t *testing.T) {
	t.Parallel()
	for name, raw := range map[string]string{
		"version 1": version1, "version 2": version2, "the description": described, "two traces": version1 + version2,
	} {
		if got := again(t, raw); got != raw {
			t.Errorf("%s: written\n%s\nread\n%s", name, got, raw)
		}
	}
}

func TestRealTracesComeBackByteForByte(t *testing.T) {
	t.Parallel()
	files, _ := filepath.Glob("../../../shared/corpus/ccpa-trace/*.jsonl")
	if len(files) == 0 {
		t.Skip("the corpus is not here")
	}
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := again(t, string(raw)); got != string(raw) {
			t.Errorf("%s: written\n%s\nread\n%s", filepath.Base(name), got, raw)
		}
	}
}

func TestATraceBecomesAConversation(t *testing.T) {
	t.Parallel()
	list, err := read(version1)
	if err != nil || len(list) != 1 {
		t.Fatalf("%d records, %v", len(list), err)
	}
	r := list[0]
	if len(r.Steps) != 3 || *r.Agent.Model != "anthropic/claude-sonnet-4-6" || *r.Metrics.TotalDurationS != 1.84 ||
		r.Metrics.TotalInputTokens != 1240 || *r.Task.Description != *r.Steps[0].Content {
		t.Errorf("record %+v", r)
	}
	answer := r.Steps[1]
	if *answer.Content != "Reading." || *answer.ReasoningContent != "first read" || answer.ToolCalls[0].ToolName != "Read" ||
		*answer.Observations[0].Error != "exit_code:1" || *answer.Observations[0].Content != "no such file" {
		t.Errorf("answer %+v", answer)
	}
}

func TestAConversationBecomesATraceThatCanBeRead(t *testing.T) {
	t.Parallel()
	schema, err := jsonschema.NewCompiler().Compile("../../docs/schema/ccpa-2.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../../testdata/sessions/*/*.record.json")
	if err != nil || len(files) < 10 {
		t.Fatalf("found %d records, %v", len(files), err)
	}
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		record, err := records.Decode(raw)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := ccpa.Write(&out, record); err != nil {
			t.Fatal(err)
		}
		list, err := read(out.String())
		if err != nil || len(list) != 1 {
			t.Fatalf("%s: %d records, %v in\n%s", name, len(list), err, out.String())
		}
		if got, want := calls(list[0]), calls(record); got != want {
			t.Errorf("%s: calls %s, want %s", name, got, want)
		}
		for line := range strings.Lines(out.String()) {
			value, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(value); err != nil {
				t.Errorf("%s: %v\n%s", name, err, line)
			}
		}
		if got := again(t, out.String()); got != out.String() {
			t.Errorf("%s: written again as\n%s\nfirst\n%s", name, got, out.String())
		}
	}
}

// The reasons and the hooks are those that the session file tells. A hook of which only the beginning is known is left
// out.
func TestAnswersEndAndHooksRunAsTheSessionFileTells(t *testing.T) {
	t.Parallel()
	call := func(id string) records.Step {
		return records.Step{
			Role: records.RoleAgent, ToolCalls: []records.ToolCall{{ToolCallID: id, ToolName: "Bash", Input: json.RawMessage(`{}`)}},
			Observations: []records.Observation{{SourceCallID: id, Content: new("ok")}},
		}
	}
	r := &records.Record{SessionID: "s", Steps: []records.Step{call("a"), call("b"), {Role: records.RoleAgent}, {Role: records.RoleAgent}}}
	for i := range r.Steps {
		r.Steps[i].StepIndex = i + 1
	}
	r.SetMeta("stop_reasons", []records.Stop{{Step: 2, Reason: "max_tokens"}, {Step: 3, Reason: "refusal"}, {Step: 4, Reason: "stop_sequence"}})
	r.SetMeta("hooks", []records.HookRun{
		{After: 0, Event: "SessionStart", Outcome: "success"},
		{After: 1, Event: "PostToolUse", Name: "PostToolUse:Bash", Outcome: "non_blocking_error", ExitCode: new(int64(3))},
		{After: 1, Event: "PreToolUse", Name: "PreToolUse:Bash", Outcome: "blocking_error"},
		{After: 2, Event: "PreToolUse", Outcome: "started"},
		{After: 2, Event: "Stop", Outcome: "additional_context"},
	})
	var out bytes.Buffer
	if err := ccpa.Write(&out, r); err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(out.String()) {
		var l struct {
			Kind, Event, Matcher, Decision string
			Stop                           string `json:"stop_reason"`
			Exit                           int    `json:"exit_code"`
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		if l.Event != "" {
			l.Kind = fmt.Sprint(l.Event, " ", l.Matcher, " ", l.Decision, " ", l.Exit)
		}
		got = append(got, strings.TrimSpace(l.Kind+" "+l.Stop))
	}
	want := []string{
		"session_start", "SessionStart  allow 0", "assistant_turn tool_use", "PreToolUse Bash block 2", "tool_result", "PostToolUse Bash warn 3",
		"assistant_turn max_tokens", "tool_result", "assistant_turn end_turn", "assistant_turn stop_sequence", "session_end stop_sequence",
	}
	if !slices.Equal(got, want) {
		t.Errorf("lines %q, want %q", got, want)
	}
}

// calls are the calls of the main conversation with their results, in order.
func calls(r *records.Record) string {
	var b strings.Builder
	for _, s := range r.Steps {
		if s.CallType != nil && *s.CallType != records.CallMain {
			continue
		}
		for i, c := range s.ToolCalls {
			o := s.Observations[i]
			b.WriteString(c.ToolCallID + " " + c.ToolName)
			if o.Content != nil && *o.Content != "" {
				b.WriteString(" " + *o.Content)
			}
			if o.Error != nil && *o.Error != records.ErrorNoResult {
				b.WriteString(" failed")
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

func TestFaultsNameTheirLine(t *testing.T) {
	t.Parallel()
	start, _, _ := strings.Cut(version1, "\n")
	for raw, want := range map[string]error{
		`{"kind":"user_prompt","text":"x"}`:                                                            ccpa.ErrOrder,
		start + "\n\n" + `{"kind":"surprise","v":1}`:                                                   ccpa.ErrKind,
		start + "\n" + `{"v":1}`:                                                                       ccpa.ErrMissing,
		start + "\n" + `{"kind":"tool_result","v":1,"turn":2,"tool_use_id":"x"}`:                       ccpa.ErrMissing,
		start + "\n" + `{"kind":"user_prompt","v":2,"turn":0,"text":"x"}`:                              ccpa.ErrValue,
		start + "\n" + `{"kind":"user_prompt","v":1,"turn":-1,"text":"x"}`:                             ccpa.ErrValue,
		start + "\n" + `{"kind":"user_prompt","kind":"user_prompt","text":"x"}`:                        ccpa.ErrValue,
		start + "\n" + `{"kind":"assistant_turn","v":1,"turn":1,"blocks":[],"stop_reason":"end_turn"}`: ccpa.ErrValue,
		start + "\n" + `{"kind":"user_prompt","v":1,"turn":0,"text":7}`:                                ccpa.ErrValue,
		start + "\n" + `{"kind":"user_prompt","v":1,"turn":"0","text":"x"}`:                            ccpa.ErrValue,
		start + "\n" + `{"kind":"tool_result","tool_use_id":"t","ok":"yes","content":"x"}`:             ccpa.ErrValue,
		start + "\n" + `{"kind":"assistant_turn","blocks":["x"],"stop_reason":"end_turn"}`:             ccpa.ErrValue,
	} {
		_, err := read(raw)
		line := "line 2, byte "
		if strings.Contains(raw, "\n\n") {
			line = "line 3, byte "
		} else if !strings.Contains(raw, "\n") {
			line = "line 1, byte "
		}
		if !errors.Is(err, want) || !strings.HasPrefix(err.Error(), line) {
			t.Errorf("%s\ngives %v", raw, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(version1)
	f.Add(version2)
	f.Add(described)
	f.Fuzz(func(t *testing.T, raw string) {
		list, err := read(raw)
		if err != nil {
			return
		}
		for _, r := range list {
			var out bytes.Buffer
			if err := ccpa.Write(&out, r); err != nil {
				t.Fatal(err)
			}
			if _, err := read(out.String()); err != nil {
				t.Fatalf("what was written cannot be read: %v\n%s", err, out.String())
			}
		}
	})
}
