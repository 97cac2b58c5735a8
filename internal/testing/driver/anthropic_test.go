package driver

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestMessagesStreamHasTheShapeClientsExpect(t *testing.T) {
	t.Parallel()
	s, _ := serve(t, Main(Turn{Thinking: "hm", Text: "hello", Tools: []Tool{Bash("a"), Bash("b")}}))
	stream := ask(t, s, "main", 0)
	var names []string
	for _, e := range stream {
		if e.Data["type"] != e.Name {
			t.Errorf("event %s carries type %v", e.Name, e.Data["type"])
		}
		if n := len(names); n == 0 || names[n-1] != e.Name {
			names = append(names, e.Name) // the number of deltas is of no concern
		}
	}
	block := []string{"content_block_start", "content_block_delta", "content_block_stop"}
	want := []string{"message_start"}
	for range 4 {
		want = append(want, block...)
	}
	want = append(want, "message_delta", "message_stop")
	if !reflect.DeepEqual(names, want) {
		t.Errorf("events are %q, want %q", names, want)
	}
	if stop := stream[len(stream)-2].Data["delta"].(map[string]any)["stop_reason"]; stop != "tool_use" {
		t.Errorf("stop reason is %v", stop)
	}
	calls := tools(t, stream)
	for i, command := range []string{"a", "b"} {
		if calls[i][2] != `{"command":"`+command+`","description":"scripted command"}` {
			t.Errorf("input of call %d is %s", i, calls[i][2])
		}
	}
	if !strings.HasPrefix(calls[0][0], "toolu_main_t0_0_") || !strings.HasPrefix(calls[1][0], "toolu_main_t0_1_") {
		t.Errorf("ids are %s and %s", calls[0][0], calls[1][0])
	}
}

func TestMessagesAreAnsweredWholeWhenNotStreamed(t *testing.T) {
	t.Parallel()
	s, _ := serve(t, Main(Turn{Text: "hello"}))
	resp, err := post(t, s, "/v1/messages", messages("main", 0, false))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var msg struct {
		Content []struct{ Type, Text string }
		Stop    string `json:"stop_reason"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&msg); err != nil {
		t.Fatal(err)
	}
	if len(msg.Content) != 1 || msg.Content[0].Text != "hello" || msg.Stop != "end_turn" {
		t.Errorf("answer is %+v", msg)
	}
}
