package exchange

import "testing"

// What a file of each exchange format begins with, in its least form; what is none of them is of none.
func TestAFormatIsToldByTheBeginningOfAFile(t *testing.T) {
	t.Parallel()
	for head, want := range map[string]string{
		`{"schema_version":"ATIF-v1.6","steps":[`:                                                       "atif",
		`[{"schema_version":"ATIF-v1.8"`:                                                                "atif",
		`{"resourceSpans":[`:                                                                            "otlp",
		`{"resource_spans":[`:                                                                           "otlp",
		`{"attributes":{},"spanContext":{}}`:                                                            "otlp",
		`[{"name":"x","context":{"span_id":"a"},"attributes":{}}]`:                                      "otlp",
		`{"span_id":"a","attributes":{}}`:                                                               "otlp",
		`{"trajectory_format":"mini-swe-agent-1.1","messages":[`:                                        "mini-swe-agent",
		`{"info":{},"messages":[{"role":"user"}],"trajectory_format":"mini-swe-agent-1"}`:               "mini-swe-agent",
		`{"trajectory":[{"action":"ls"`:                                                                 "swe-agent",
		`{"trajectory":[],"history":[`:                                                                  "swe-agent",
		`{"title":"T","mapping":{`:                                                                      "chatgpt",
		`{"current_node":"b","mapping":{`:                                                               "chatgpt",
		`[{"title":"T","mapping":{`:                                                                     "chatgpt",
		`[{"role":"user","content":"a"}`:                                                                "messages",
		`{"messages":"[{\"role\":\"user\",\"content\":\"a\"}]"}`:                                        "messages",
		`{"instance_id":"i","messages":[{"role":"user","content":"a"}]}`:                                "messages",
		`{"model":"grok-4","conversation":[{"role":"user","content":"a"}]}`:                             "messages",
		`[{"source":"user","action":"message"`:                                                          "openhands-v0",
		`[{"source":"agent","observation":"run"`:                                                        "openhands-v0",
		`{"instance_id":"i","instruction":"x","history":[{"source":"user","action":"message"`:           "openhands-v0",
		`{"messageCount":1,"workspaceId":"w","messages":[{"role":"user","timestamp":"2026-05-16T04:00"`: "messages",
		`{"conversations":[{"from":"human","value":"a"}]}`:                                              "sharegpt",
		`{"type":"user_input","status":"done","user_input":{`:                                           "windsurf",
		`{"code_action":{"path":"file:///a"},"status":"done","type":"code_action"}`:                     "windsurf",
		`{"kind":"session_start","v":1`:                                                                 "ccpa",
		`{"schemaVersion":"0.3","generator":`:                                                           "treetrace",
		`{"v":1,"id":"T-1","messages":[{"role":"user","content":[]}]}`:                                  "",
		`{"version":1,"agent":"lead","sessionId":"s","messages":[`:                                      "",
		`{"sessionId":"s","workspaceDirectory":"/p","history":[`:                                        "",
		`[{"ts":1,"type":"say","say":"task"}]`:                                                          "",
		`[{"role":"user","content":"a","ts":1778900000000}]`:                                            "",
		`{"type":"session_start","id":"d","owner":"me"}`:                                                "",
		`{"requests":[{"message":{"text":"a"}}]}`:                                                       "",
	} {
		format, _ := Recognise([]byte(head))
		if format.Name != want {
			t.Errorf("%s: %q, want %q", head, format.Name, want)
		}
	}
}
