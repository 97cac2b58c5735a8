package copilotcli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/agents/payload"
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
		if got := modelOf(path, test.subagent, print); got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
	if got := modelOf(filepath.Join(t.TempDir(), "none"), "", print); got != "" {
		t.Errorf("a file that is not there names %q", got)
	}
}
