package driver

import (
	"encoding/json"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"
)

// body posts a request and returns the whole answer.
func body(t *testing.T, s *Server, path, request string) string {
	t.Helper()
	resp, err := post(t, s, path, request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestResponsesStreamHasTheShapeClientsExpect(t *testing.T) {
	t.Parallel()
	patch := "*** Begin Patch\n*** Add File: f\n+" + strings.Repeat("x", 99) + "\n*** End Patch\n"
	s, _ := serve(t, Main(Turn{Thinking: "hm", Text: "hello", Tools: []Tool{
		{Name: "exec_command", Input: map[string]any{"cmd": "ls"}}, {Name: "apply_patch", Custom: &patch},
	}}))
	const request = `{"model":"m","stream":true,"input":[{"role":"user","content":[{"type":"input_text","text":"[[script:main]]"}]}]}`
	joined := map[string]string{}
	var done []map[string]any
	stream := events(t, strings.NewReader(body(t, s, "/v1/responses", request)))
	for i, e := range stream {
		if e.Data["sequence_number"] != float64(i) || e.Data["type"] != e.Name {
			t.Errorf("event %d is %s with %v", i, e.Name, e.Data)
		}
		if name, ok := strings.CutSuffix(e.Name, ".delta"); ok {
			joined[name] += e.Data["delta"].(string)
		}
		if e.Name == "response.output_item.done" {
			done = append(done, e.Data["item"].(map[string]any))
		}
	}
	want := map[string]string{
		"response.output_text": "hello", "response.function_call_arguments": `{"cmd":"ls"}`, "response.custom_tool_call_input": patch,
	}
	if !reflect.DeepEqual(joined, want) {
		t.Errorf("deltas join to %q, want %q", joined, want)
	}
	var kinds []string
	for _, item := range done {
		kinds = append(kinds, item["type"].(string))
	}
	if want := []string{"reasoning", "message", "function_call", "custom_tool_call"}; !reflect.DeepEqual(kinds, want) {
		t.Errorf("items are %q, want %q", kinds, want)
	}
	last := stream[len(stream)-1]
	if last.Name != "response.completed" || !reflect.DeepEqual(last.Data["response"].(map[string]any)["output"].([]any)[2], any(done[2])) {
		t.Errorf("the stream ends with %s", last.Name)
	}
	if id := done[3]["call_id"].(string); !strings.HasPrefix(id, "call_main_t0_1_") {
		t.Errorf("id of the second call is %s", id)
	}
}

func TestTurnsOfResponsesAreCountedByTheirCalls(t *testing.T) {
	t.Parallel()
	const (
		prompt  = `{"type":"message","role":"user","content":[{"type":"input_text","text":"[[script:main]]"}]}`
		nextOne = `{"type":"message","role":"user","content":"[[script:other]]"}`
		said    = `{"type":"message","role":"assistant","content":[]}`
		call0   = `{"type":"function_call","call_id":"call_main_t0_0_aa"}`
		call0b  = `{"type":"custom_tool_call","call_id":"call_main_t0_1_aa"}`
		call1   = `{"type":"function_call","call_id":"call_main_t1_0_bb"}`
		foreign = `{"type":"function_call","call_id":"fc_123"}`
		output  = `{"type":"function_call_output","call_id":"x","output":"[[script:never]]"}`
		task    = `{"type":"agent_message","content":[{"type":"text","encrypted_content":"[[script:sub]]"}]}`
	)
	tests := []struct {
		name   string
		items  []string
		sub    bool
		script string
		turn   int
	}{
		{"only the prompt", []string{prompt}, false, "main", 0},
		{"parallel calls are one turn", []string{prompt, call0, call0b, output, output}, false, "main", 1},
		{"text and call are one turn", []string{prompt, said, call0, output}, false, "main", 1},
		{"two turns", []string{prompt, said, call0, output, call1, output}, false, "main", 2},
		{"text alone is a turn", []string{prompt, call0, output, said}, false, "main", 2},
		{"calls with ids of others are a turn each", []string{prompt, foreign, foreign}, false, "main", 2},
		{"another prompt begins anew", []string{prompt, call0, output, said, nextOne}, false, "other", 0},
		{"the task of a sub-agent is its prompt", []string{prompt, call0, task}, true, "sub", 0},
		{"a message of an agent is no prompt elsewhere", []string{prompt, call0, task}, false, "main", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			header := http.Header{}
			if tt.sub {
				header.Set("x-openai-subagent", "thread_spawn")
			}
			pos, err := responses{}.locate([]byte(`{"input":[`+strings.Join(tt.items, ",")+`]}`), header)
			if err != nil || pos.Script != tt.script || pos.Turn != tt.turn {
				t.Errorf("position is %s %d (%v), want %s %d", pos.Script, pos.Turn, err, tt.script, tt.turn)
			}
		})
	}
}

func TestChatStreamHasTheShapeClientsExpect(t *testing.T) {
	t.Parallel()
	s, _ := serve(t, Main(Turn{}, Turn{Text: "hello", Tools: []Tool{Bash("a"), Bash("b")}}))
	const request = `{"model":"m","stream":true,"messages":[{"role":"system","content":"s"},{"role":"user","content":"[[script:main]]"},` +
		`{"role":"assistant","content":"x"},{"role":"tool","content":"[[script:never]]"}]}`
	answer := body(t, s, "/v1/chat/completions", request)
	if !strings.HasSuffix(answer, "data: [DONE]\n\n") {
		t.Errorf("the stream ends with %q", answer[max(0, len(answer)-40):])
	}
	var text, finish string
	ids, arguments := map[int]string{}, map[int]string{}
	for _, e := range events(t, strings.NewReader(answer)) {
		var chunk struct {
			Choices []struct {
				Finish string `json:"finish_reason"`
				Delta  struct {
					Content string
					Calls   []struct {
						Index    int
						ID       string
						Function struct{ Arguments string }
					} `json:"tool_calls"`
				}
			}
		}
		data, err := json.Marshal(e.Data)
		if err == nil {
			err = json.Unmarshal(data, &chunk)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range chunk.Choices {
			text, finish = text+c.Delta.Content, finish+c.Finish
			for _, call := range c.Delta.Calls {
				ids[call.Index] += call.ID
				arguments[call.Index] += call.Function.Arguments
			}
		}
	}
	if text != "hello" || finish != "tool_calls" {
		t.Errorf("text %q, finish reason %q", text, finish)
	}
	for i, command := range []string{"a", "b"} {
		want := `{"command":"` + command + `","description":"scripted command"}`
		if arguments[i] != want || !strings.HasPrefix(ids[i], "call_main_t1_") {
			t.Errorf("call %d is %s %s", i, ids[i], arguments[i])
		}
	}
}

func TestGeminiAnswersStreamedAndWhole(t *testing.T) {
	t.Parallel()
	s, _ := serve(t, Main(Turn{}, Turn{Text: "hello", Tools: []Tool{Bash("a")}}))
	const request = `{"contents":[{"role":"user","parts":[{"text":"[[script:main]]"}]},{"role":"model","parts":[{"text":"x"}]}]}`
	whole := body(t, s, "/v1beta/models/m:generateContent", request)
	streamed := body(t, s, "/v1beta/models/m:streamGenerateContent?alt=sse", request)
	for _, answer := range []string{whole, strings.TrimPrefix(streamed, "data: ")} {
		var got struct {
			Candidates []struct {
				Content struct {
					Parts []struct {
						Text string
						Call struct{ ID, Name string } `json:"functionCall"`
					}
				}
			}
		}
		if err := json.Unmarshal([]byte(answer), &got); err != nil {
			t.Fatalf("%v: %s", err, answer)
		}
		parts := got.Candidates[0].Content.Parts
		if len(parts) != 2 || parts[0].Text != "hello" || parts[1].Call.Name != "Bash" || !strings.HasPrefix(parts[1].Call.ID, "fc_main_t1_0_") {
			t.Errorf("parts are %+v", parts)
		}
	}
}
