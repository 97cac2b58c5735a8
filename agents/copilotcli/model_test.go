package copilotcli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/events"
)

func TestTheModelOfACallIsThatOfTheAnswerThatAsksForIt(t *testing.T) {
	t.Parallel()
	const (
		answer  = `{"type":"assistant.message","data":{"model":"big","toolRequests":[{"toolCallId":"1","name":"bash","arguments":{"command":"make","mode":"sync"}}]}}`
		ended   = `{"type":"tool.execution_complete","data":{"toolCallId":"1","model":"big"}}`
		other   = `{"type":"assistant.message","data":{"model":"small","toolRequests":[{"toolCallId":"2","name":"bash","arguments":{"command":"ls"}}]}}`
		helpers = `{"type":"assistant.message","agentId":"H","data":{"model":"tiny","toolRequests":[{"toolCallId":"3","name":"bash","arguments":{"mode":"sync","command":"make"}}]}}`
	)
	print := payload.Fingerprint("bash", json.RawMessage(`{"command":"make","mode":"sync"}`))
	for name, test := range map[string]struct {
		lines    []string
		subagent string
		want     string
	}{
		"the answer is there":                    {[]string{other, answer}, "", "big"},
		"so is what a sub-agent asked for":       {[]string{answer, helpers}, "", "big"},
		"it is the sub-agent's call":             {[]string{answer, helpers}, "H", "tiny"},
		"the file is behind":                     {[]string{other}, "", ""},
		"an equal call of before, which ended":   {[]string{answer, ended}, "", ""},
		"a later answer asks for something else": {[]string{answer, other}, "", ""},
		"a file that is none":                    {[]string{"nonsense", `"toolCallId"`}, "", ""},
	} {
		path := filepath.Join(t.TempDir(), "events.jsonl")
		if err := os.WriteFile(path, []byte(strings.Join(test.lines, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if got, _ := modelOf(path, test.subagent, print); got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
	if got, _ := modelOf(filepath.Join(t.TempDir(), "none"), "", print); got != "" {
		t.Errorf("a file that is not there names %q", got)
	}
}

// In the first turn a command was run that the second turn runs again with another model, and the session file is not
// written further than the first answer. Nothing tells the second model; the first one is not given in its place.
func TestTheModelOfAnEarlierAnswerIsNotThatOfAnEqualCall(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	file := filepath.Join(home, ".copilot", "session-state", "s", "events.jsonl")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	const (
		answer = `{"type":"assistant.message","timestamp":"2026-11-02T10:00:00.500Z","data":{"model":"big","toolRequests":[{"toolCallId":"1","name":"bash","arguments":{"command":"make"}},{"toolCallId":"2","name":"bash","arguments":{"command":"ls"}}]}}`
		ended  = `{"type":"tool.execution_complete","timestamp":"2026-11-02T10:00:30Z","data":{"toolCallId":"2"}}`
		other  = `{"type":"tool.execution_complete","agentId":"H","timestamp":"2026-11-02T10:00:30Z","data":{"toolCallId":"9"}}`
	)
	begins := `{"sessionId":"s","cwd":"/p","toolName":"bash","toolArgs":{"command":"make"}}`
	for name, test := range map[string]struct {
		lines []string
		event string
		after time.Duration // the hook, after the full second
		want  string
		known bool // also of the end of a call that began then
	}{
		"at once":                              {[]string{answer}, "preToolUse", time.Second, "big", true},
		"hooks of others took their time":      {[]string{answer}, "preToolUse", 5500 * time.Millisecond, "big", true},
		"an answer of before":                  {[]string{answer}, "preToolUse", 5501 * time.Millisecond, "", false},
		"behind another call of the answer":    {[]string{answer, ended}, "preToolUse", 32 * time.Second, "big", true},
		"that call was a sub-agent's":          {[]string{answer, other}, "preToolUse", 32 * time.Second, "", false},
		"the end of a call tells what it may":  {[]string{answer}, "postToolUse", time.Hour, "big", false},
		"a file that does not tell the moment": {[]string{strings.Replace(answer, "timestamp", "time", 1)}, "preToolUse", time.Hour, "big", true},
	} {
		if err := os.WriteFile(file, []byte(strings.Join(test.lines, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		at := time.Date(2026, 11, 2, 10, 0, 0, 0, time.UTC).Add(test.after)
		client := New(capability.Env{Home: home, Now: func() time.Time { return at }})
		got, err := client.Decoder.Decode(test.event, []byte(begins))
		if err != nil || len(got) != 1 || got[0].Model != test.want || got[0].AnsweredFor(at) != test.known {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if unknown := slices.Contains(got[0].Limits, events.LimitModelUnknown); unknown != (test.want == "") {
			t.Errorf("%s: the limits are %v", name, got[0].Limits)
		}
	}
}
