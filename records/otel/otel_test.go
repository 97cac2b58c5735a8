package otel_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/foreign"
	"github.com/git-trace/git-trace/records/otel"
)

func read(raw string) (list []*records.Record, err error) {
	err = otel.Read(strings.NewReader(raw), func(_ int, r *records.Record) error {
		list = append(list, r)
		return nil
	})
	return list, err
}

// chat is a span as OTLP has it.
func chat(id, parent, at string, attributes map[string]any) string {
	var list []map[string]any
	for name, value := range attributes {
		kind := "stringValue"
		if text, ok := value.(string); ok && strings.Trim(text, "0123456789") == "" {
			kind = "intValue"
		}
		list = append(list, map[string]any{"key": name, "value": map[string]any{kind: value}})
	}
	raw, _ := json.Marshal(map[string]any{"traceId": "0af7651916cd43dd8448eb211c80319c", "spanId": id, "parentSpanId": parent,
		"name": "x", "startTimeUnixNano": at, "endTimeUnixNano": at + "", "attributes": list})
	return string(raw)
}

func otlp(spans ...string) string {
	return `{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"coder"}}]},"scopeSpans":[{"spans":[` +
		strings.Join(spans, ",") + `]}]}]}`
}

const (
	firstInput  = `[{"role":"system","parts":[{"type":"text","content":"S"}]},{"role":"user","parts":[{"type":"text","content":"fix it"}]}`
	firstOutput = `{"role":"assistant","parts":[{"type":"reasoning","content":"hm"},{"type":"tool_call","id":"c1","name":"bash","arguments":{"command":"make"}}]}`
	response    = `{"role":"tool","parts":[{"type":"tool_call_response","id":"c1","response":"ok"}]}`
)

func genAI(more map[string]any) map[string]any {
	all := map[string]any{"gen_ai.operation.name": "chat", "gen_ai.conversation.id": "c-1", "gen_ai.request.model": "anthropic/claude-opus-4-5"}
	for name, value := range more {
		all[name] = value
	}
	return all
}

func TestSpansBecomeOneConversation(t *testing.T) {
	t.Parallel()
	list, err := read(otlp(
		chat("b", "root", "1778900009000000000", genAI(map[string]any{
			"gen_ai.input.messages":  firstInput + "," + firstOutput + "," + response + "]",
			"gen_ai.output.messages": `[{"role":"assistant","parts":[{"type":"text","content":"done"}]}]`, "gen_ai.response.id": "r2"})),
		chat("t", "a", "1778900005000000000", map[string]any{"gen_ai.operation.name": "execute_tool", "gen_ai.conversation.id": "c-1",
			"gen_ai.tool.name": "bash", "gen_ai.tool.call.id": "c1"}),
		chat("wrapper", "", "1778899999000000000", genAI(map[string]any{"gen_ai.output.messages": "[" + firstOutput + "]"})),
		chat("a", "wrapper", "1778900000000000000", genAI(map[string]any{"gen_ai.input.messages": firstInput + "]",
			"gen_ai.output.messages": "[" + firstOutput + "]", "gen_ai.usage.input_tokens": "1200",
			"gen_ai.usage.cache_read.input_tokens": "1000", "gen_ai.usage.output_tokens": "40"})),
		chat("again", "", "1778900009500000000", genAI(map[string]any{"gen_ai.response.id": "r2"})),
		chat("blind", "", "1778900010000000000", genAI(map[string]any{"gen_ai.usage.input_tokens": "7"})),
		chat("t2", "", "1778900011000000000", map[string]any{"gen_ai.operation.name": "execute_tool", "gen_ai.conversation.id": "c-1",
			"gen_ai.tool.name": "edit"}),
	))
	if err != nil || len(list) != 1 {
		t.Fatalf("%d, %v", len(list), err)
	}
	r := list[0]
	if r.SessionID != "c-1" || r.Agent.Name != "coder" || len(r.SystemPrompts) != 1 || len(r.Steps) != 4 || len(r.Check()) > 0 {
		t.Fatalf("%+v", r)
	}
	call := r.Steps[1]
	if *r.Steps[0].Content != "fix it" || *call.ReasoningContent != "hm" || call.ToolCalls[0].ToolName != "bash" ||
		*call.Observations[0].Content != "ok" || call.TokenUsage.InputTokens != 200 || call.TokenUsage.CacheReadTokens != 1000 {
		t.Errorf("%+v", call)
	}
	if blind := r.Steps[3]; blind.ToolCalls[0].ToolName != "edit" || string(r.Metadata["content_absent"]) != "1" {
		t.Errorf("%+v %s", blind, r.Metadata["content_absent"])
	}
}

// A limit of attributes cuts messages off: they are absent then, which is told. A text in brackets is no message.
func TestMessagesThatWereCutOffAreCounted(t *testing.T) {
	t.Parallel()
	answer := "[" + firstOutput + "]"
	for name, test := range map[string]struct {
		attributes map[string]any
		want       string
	}{
		"input":      {map[string]any{"gen_ai.input.messages": firstInput, "gen_ai.output.messages": answer}, "1"},
		"output":     {map[string]any{"gen_ai.output.messages": firstOutput[:40]}, "1"},
		"whole":      {map[string]any{"gen_ai.input.messages": firstInput + "]", "gen_ai.output.messages": answer}, ""},
		"a text":     {map[string]any{"gen_ai.prompt": "[INST] go", "gen_ai.output.messages": answer}, ""},
		"no content": {nil, ""},
	} {
		list, err := read(otlp(chat("a", "", "1778900000000000000", genAI(test.attributes))))
		if err != nil || len(list) != 1 {
			t.Fatalf("%s: %v", name, err)
		}
		if got := string(list[0].Metadata["truncated_attributes"]); got != test.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestWhatIsWrittenIsReadAgain(t *testing.T) {
	t.Parallel()
	r, err := records.Decode([]byte(example))
	if err != nil {
		t.Fatal(err)
	}
	var first, second bytes.Buffer
	if err := otel.Write(&first, r); err != nil {
		t.Fatal(err)
	}
	list, err := read(first.String())
	if err != nil || len(list) != 1 {
		t.Fatalf("%d %v", len(list), err)
	}
	back := list[0]
	if back.TraceID != r.TraceID || len(back.Steps) != len(r.Steps) {
		t.Fatalf("%s %s, %d steps of %d", back.TraceID, r.TraceID, len(back.Steps), len(r.Steps))
	}
	for i := range r.Steps {
		a, b := &r.Steps[i], &back.Steps[i]
		if a.Role != b.Role || !reflect.DeepEqual(a.Content, b.Content) || !reflect.DeepEqual(a.ReasoningContent, b.ReasoningContent) ||
			a.TokenUsage != b.TokenUsage || !reflect.DeepEqual(a.Model, b.Model) || len(a.ToolCalls) != len(b.ToolCalls) ||
			len(a.ToolCalls) > 0 && !reflect.DeepEqual(a.ToolCalls, b.ToolCalls) {
			t.Errorf("step %d: %+v\n%+v", i+1, a, b)
		}
		for k := range a.Observations {
			x, y := a.Observations[k], b.Observations[k]
			if !reflect.DeepEqual(x.Content, y.Content) || !reflect.DeepEqual(x.Error, y.Error) {
				t.Errorf("step %d: %+v\n%+v", i+1, x, y)
			}
		}
	}
	if err := otel.Write(&second, r); err != nil || first.String() != second.String() {
		t.Error("the same record gives two documents")
	}
}

// What was asked and not answered is in the agent's span.
func TestAConversationWithoutALastAnswerIsReadAgain(t *testing.T) {
	t.Parallel()
	whole, err := records.Decode([]byte(example))
	if err != nil {
		t.Fatal(err)
	}
	for _, steps := range []int{1, 3, 4} {
		r := *whole
		r.Steps = whole.Steps[:steps]
		var out bytes.Buffer
		if err := otel.Write(&out, &r); err != nil {
			t.Fatal(err)
		}
		list, err := read(out.String())
		if err != nil || len(list) != 1 || len(list[0].Steps) != steps {
			t.Fatalf("of %d steps: %v, %+v", steps, err, list)
		}
		if last := list[0].Steps[steps-1]; last.Role != r.Steps[steps-1].Role || *last.Content != *r.Steps[steps-1].Content {
			t.Errorf("of %d steps the last is %+v", steps, last)
		}
	}
}

// Where no span of a model was kept, the outermost agents' spans stand for their answers.
func TestAnAgentsSpanStandsForItsAnswer(t *testing.T) {
	t.Parallel()
	agent := func(id, parent, at string, more map[string]any) string {
		all := genAI(more)
		all["gen_ai.operation.name"] = "invoke_agent"
		return chat(id, parent, at, all)
	}
	tool := func(id, parent, at string) string {
		return chat(id, parent, at, map[string]any{"gen_ai.operation.name": "execute_tool", "gen_ai.conversation.id": "c-1",
			"gen_ai.tool.name": "readFile", "gen_ai.tool.call.id": "c" + id, "gen_ai.tool.call.result": "text"})
	}
	list, err := read(otlp(
		agent("a", "", "1778900001000000000", map[string]any{"gen_ai.agent.name": "copilot", "gen_ai.usage.input_tokens": "30",
			"gen_ai.usage.output_tokens": "4", "gen_ai.input.messages": firstInput + "]",
			"gen_ai.output.messages": `[{"role":"assistant","parts":[{"type":"text","content":"done"}]}]`}),
		tool("t", "a", "1778900002000000000"),
		agent("inner", "t", "1778900003000000000", map[string]any{"gen_ai.agent.name": "search", "gen_ai.usage.output_tokens": "3"}),
		agent("b", "", "1778900009000000000", map[string]any{"gen_ai.agent.name": "copilot", "gen_ai.usage.output_tokens": "5"}),
		tool("u", "b", "1778900009500000000"),
	))
	if err != nil || len(list) != 1 {
		t.Fatalf("%v, %d", err, len(list))
	}
	r := list[0]
	var said []string
	for _, s := range r.Steps {
		text := ""
		if s.Content != nil {
			text = *s.Content
		}
		said = append(said, fmt.Sprint(s.Role, " ", text, " ", s.TokenUsage.InputTokens, " ", s.TokenUsage.OutputTokens, " ", len(s.ToolCalls)))
	}
	want := []string{"user fix it 0 0 0", "agent done 30 4 1", "agent  0 5 1"}
	if !slices.Equal(said, want) {
		t.Errorf("%q", said)
	}
}

const example = `{"schema_version":"0.3.0","trace_id":"5756d20c-81ca-544d-ad54-27460dcb5fe8","session_id":"alpha","agent":{"name":"claude-code"},
"timestamp_start":"2026-11-02T09:00:01Z","system_prompts":{},"steps":[
{"step_index":1,"role":"user","content":"go on"},
{"step_index":2,"role":"agent","model":"anthropic/claude-opus-4-5","content":"Look.","reasoning_content":"hm","timestamp":"2026-11-02T09:00:02Z",
 "token_usage":{"input_tokens":3,"output_tokens":4,"cache_read_tokens":5,"cache_write_tokens":6},
 "tool_calls":[{"tool_call_id":"a","tool_name":"bash","input":{"command":"ls"},"duration_ms":12},{"tool_call_id":"b","tool_name":"bash","input":{"command":"false"},"duration_ms":0}],
 "observations":[{"source_call_id":"a","content":"x"},{"source_call_id":"b","content":"","error":"exit_code:1"}]},
{"step_index":3,"role":"user","content":"go on"},
{"step_index":4,"role":"agent","model":"anthropic/claude-opus-4-5","content":"Done."}]}`

// agentSpan is the span of an agent, without an id of a conversation, as most have none.
func agentSpan(id, parent, at, name string) string {
	return chat(id, parent, at, map[string]any{"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name})
}

func said(id, parent, at, text, calls string) string {
	return chat(id, parent, at, map[string]any{"gen_ai.operation.name": "chat", "gen_ai.conversation.id": "c-1", "gen_ai.response.id": id,
		"gen_ai.input.messages": `[{"role":"user","parts":[{"type":"text","content":"fix it"}]}]`, "gen_ai.output.messages": `[{"role":"assistant","parts":[{"type":"text","content":"` + text + `"}` + calls + `]}]`})
}

func TestAgentsWithinAgentsAreSubagents(t *testing.T) {
	t.Parallel()
	const call = `,{"type":"tool_call","id":"c9","name":"task","arguments":{}}`
	list, err := read(otlp(
		agentSpan("main", "", "1778900000000000000", "coder"),
		agentSpan("again", "main", "1778900000000000001", "coder"), // the same agent, told by another library
		said("m1", "again", "1778900001000000000", "start", call),
		chat("task", "m1", "1778900002000000000", map[string]any{"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "task", "gen_ai.tool.call.id": "c9"}),
		agentSpan("scout", "task", "1778900003000000000", "scout"),
		said("s1", "scout", "1778900004000000000", "look", ""),
		agentSpan("deep", "scout", "1778900005000000000", "deep"),
		said("d1", "deep", "1778900006000000000", "dig", ""),
		said("s2", "scout", "1778900007000000000", "found", ""),
		said("m2", "again", "1778900009000000000", "done", "")))
	if err != nil || len(list) != 1 {
		t.Fatalf("%d, %v", len(list), err)
	}
	got := whoSaid(list[0])
	want := []string{"main 0 fix it", "main 0 start", "user 2 fix it", "scout 2 look", "user 0 fix it", "deep 0 dig", "scout 2 found", "main 0 done"}
	if len(list[0].Check()) > 0 || !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v, %v", got, want, list[0].Check())
	}
	var out bytes.Buffer
	if err := otel.Write(&out, list[0]); err != nil {
		t.Fatal(err)
	}
	back, err := read(out.String())
	if err != nil || len(back) != 1 {
		t.Fatalf("written and read again: %d, %v", len(back), err)
	}
	again := whoSaid(back[0])
	slices.Sort(again) // one whose call nobody knows comes where there is room for it
	slices.Sort(want)
	if !slices.Equal(again, want) {
		t.Errorf("written and read again: %v", again)
	}
}

// whoSaid lists the steps: who, the step that started them, what.
func whoSaid(r *records.Record) (got []string) {
	for _, s := range r.Steps {
		role, parent := "main", 0
		if s.CallType != nil && *s.CallType == records.CallSubagent {
			role = "user"
			if s.AgentRole != nil {
				role = *s.AgentRole
			}
		}
		if s.ParentStep != nil {
			parent = *s.ParentStep
		}
		got = append(got, fmt.Sprintf("%s %d %s", role, parent, *s.Content))
	}
	return got
}

// A file in which only an agent within another one said something tells of that one.
func TestWhatIsWithinTheOnlyAgentIsTheConversation(t *testing.T) {
	t.Parallel()
	list, err := read(otlp(agentSpan("team", "", "1778900000000000000", "team"), agentSpan("one", "team", "1778900001000000000", "one"),
		said("m", "one", "1778900002000000000", "hello", ""), agentSpan("loop", "loop", "1778900003000000000", "loop")))
	if err != nil || len(list) != 1 || len(list[0].Steps) != 2 || *list[0].Steps[1].CallType != records.CallMain {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestWrongFilesAreRefused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ raw, want string }{
		"nothing":          {``, "line 1, byte 0"},
		"no span":          {`{"a":1}` + "\n" + `[1]`, "line 2"},
		"cut off":          {otlp(chat("a", "", "1", genAI(nil)))[:120], "line 1, byte"},
		"mixed":            {otlp(chat("a", "", "1", genAI(nil))) + "\nnonsense", "line 2"},
		"nobody says much": {otlp(`{"traceId":"1","spanId":"2","name":"GET /","attributes":[]}`), "line 1"},
	} {
		_, err := read(test.raw)
		var fault *foreign.Fault
		if !errors.As(err, &fault) || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Real files are read or refused for a reason, and every call of theirs has one result.
func TestRealFiles(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("GITTRACE_CORPUS")
	if dir == "" {
		t.Skip("GITTRACE_CORPUS names no directory of real files")
	}
	for _, format := range []string{"otel-genai", "openinference"} {
		files, err := filepath.Glob(filepath.Join(dir, format, "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			raw, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			list, err := read(string(raw))
			steps, calls := 0, 0
			for _, r := range list {
				steps += len(r.Steps)
				for i := range r.Steps {
					calls += len(r.Steps[i].ToolCalls)
				}
			}
			t.Logf("%s: %d conversations, %d steps, %d calls, %v", filepath.Base(name), len(list), steps, calls, err)
			if err != nil && !errors.Is(err, foreign.ErrNothing) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(otlp(chat("a", "", "1778900000000000000", genAI(map[string]any{"gen_ai.input.messages": firstInput + "]", "gen_ai.output.messages": "[" + firstOutput + "]"}))))
	f.Add(`[{"name":"ai.generateText.doGenerate","spanContext":{"spanId":"1"},"attributes":{"ai.response.text":"x"},"startTime":[1,2]}]`)
	f.Add(`{"openinference.span.kind":"LLM","llm.input_messages.0.message.role":"user","llm.input_messages.0.message.content":"q"}`)
	f.Fuzz(func(t *testing.T, raw string) {
		list, err := read(raw)
		if err != nil {
			return
		}
		for _, r := range list {
			if faults := r.Check(); len(faults) > 0 {
				t.Errorf("%v", faults)
			}
			if err := otel.Write(&bytes.Buffer{}, r); err != nil {
				t.Error(err)
			}
		}
	})
}
