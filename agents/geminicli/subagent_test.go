package geminicli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/events"
)

// Lines of session files, as the client writes them.
const (
	mainHead   = `{"sessionId":"S","projectHash":"p","startTime":"2026-01-01T10:00:00.000Z","kind":"main"}`
	helperHead = `{"sessionId":"H","projectHash":"p","startTime":"2026-01-01T10:00:05.000Z","kind":"subagent"}`
	earlier    = `{"sessionId":"H","projectHash":"p","startTime":"2026-01-01T10:00:02.000Z","kind":"subagent"}`
	task       = `{"id":"1","timestamp":"2026-01-01T10:00:03.000Z","type":"user","content":[{"text":"do it"}]}`
	answer     = `{"id":"2","timestamp":"2026-01-01T10:00:04.000Z","type":"gemini","content":"","model":"big"}`
	ended      = `{"id":"2","timestamp":"2026-01-01T10:00:04.000Z","type":"gemini","content":"","model":"big","toolCalls":[{"id":"c"}]}`
	results    = `{"id":"3","timestamp":"2026-01-01T10:00:06.000Z","type":"user","content":[{"functionResponse":{"id":"c"}}]}`
	next       = `{"id":"4","timestamp":"2026-01-01T10:00:07.000Z","type":"gemini","content":"","model":"small"}`
	warning    = `{"id":"5","timestamp":"2026-01-01T10:00:08.000Z","type":"user","content":[{"text":"you have one final chance"}]}`
	last       = `{"id":"6","timestamp":"2026-01-01T10:00:09.000Z","type":"gemini","content":"done","model":"big"}`
	noted      = `{"$set":{"lastUpdated":"2026-01-01T10:00:09.000Z"}}`
)

// sessionDir is a session and the files of its sub-agents.
func sessionDir(t *testing.T, main []string, helpers map[string][]string) string {
	t.Helper()
	dir := t.TempDir()
	write := func(path string, lines []string) {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "session-2026-01-01T10-00-S.jsonl")
	write(path, main)
	for name, lines := range helpers {
		write(filepath.Join(dir, "S", name+".jsonl"), lines)
	}
	return path
}

func TestASubagentIsToldByTheFilesOfItsSession(t *testing.T) {
	t.Parallel()
	busy := []string{mainHead, task, noted, answer, noted}
	for name, test := range map[string]struct {
		main    []string
		helpers map[string][]string
		want    string // sub-agent and model
		unknown bool   // one of several
	}{
		"none was started":                      {busy, nil, " ", false},
		"its first answer waits for its calls":  {busy, map[string][]string{"H": {helperHead, task, noted, answer, noted}}, "H big", false},
		"a later one does":                      {busy, map[string][]string{"H": {helperHead, task, answer, ended, results, next, noted}}, "H small", false},
		"it waits for an answer":                {busy, map[string][]string{"H": {helperHead, task, answer, ended, results, noted}}, " ", false},
		"it has no answer yet":                  {busy, map[string][]string{"H": {helperHead, task}}, " ", false},
		"its calls have ended":                  {busy, map[string][]string{"H": {helperHead, task, answer, ended}}, " ", false},
		"it was told that its time is over":     {busy, map[string][]string{"H": {helperHead, task, answer, warning, last}}, " ", false},
		"so it was after calls":                 {busy, map[string][]string{"H": {helperHead, task, ended, results, warning, last}}, " ", false},
		"it begins like no file of a session":   {busy, map[string][]string{"H": {strings.Replace(helperHead, `,"kind":"subagent"`, "", 1), task, answer}}, " ", false},
		"an answer of before started it":        {busy, map[string][]string{"H": {earlier, task, answer}}, " ", false},
		"the main conversation goes on":         {[]string{mainHead, task, answer, ended, results}, map[string][]string{"H": {helperHead, task, answer}}, " ", false},
		"another one waits for an answer":       {busy, map[string][]string{"H": {helperHead, task, answer}, "I": {helperHead, task}}, "H big", false},
		"two wait for calls, of one model":      {busy, map[string][]string{"H": {helperHead, task, answer}, "I": {helperHead, task, answer}}, " big", true},
		"two wait for calls, of two models":     {busy, map[string][]string{"H": {helperHead, task, answer}, "I": {helperHead, task, ended, results, next}}, " ", true},
		"a file that is none of a session":      {busy, map[string][]string{"H": {"nonsense"}, "I": {""}}, " ", false},
		"a session file that cannot be read":    {[]string{"nonsense"}, map[string][]string{"H": {helperHead, task, answer}}, " ", false},
		"a name that could leave the directory": {busy, map[string][]string{"H;x": {helperHead, task, answer}}, " ", false},
	} {
		b := events.Boundary{Session: "S", Transcript: sessionDir(t, test.main, test.helpers)}
		attribute(&b)
		if got := b.Subagent + " " + b.Model; got != test.want || slices.Contains(b.Limits, events.LimitSubagentUnknown) != test.unknown {
			t.Errorf("%s: got %q, %v", name, got, b.Limits)
		}
	}
	for _, b := range []events.Boundary{{}, {Session: "S"}, {Session: "../S", Transcript: "/nowhere/x.jsonl"}} {
		if attribute(&b); b.Subagent != "" {
			t.Errorf("%+v has a sub-agent", b)
		}
	}
}

func TestACallIsOverWhenItsSubagentIs(t *testing.T) {
	t.Parallel()
	busy := []string{mainHead, task, answer}
	atWork := map[string][]string{"H": {helperHead, task, answer}}
	for name, test := range map[string]struct {
		main    []string
		helpers map[string][]string
		call    capability.Call
		want    capability.Outcome
	}{
		"an edit of the main conversation runs alone": {busy, nil, capability.Call{Class: events.ToolEdits}, capability.OutcomeRan},
		"a shell does not":                            {busy, nil, capability.Call{Class: events.ToolRuns}, capability.OutcomeUnknown},
		"an edit that may be a sub-agent's":           {busy, atWork, capability.Call{Class: events.ToolEdits}, capability.OutcomeUnknown},
		"a sub-agent that is at work":                 {busy, atWork, capability.Call{Class: events.ToolEdits, Subagent: "H"}, capability.OutcomeUnknown},
		"a sub-agent that is not":                     {busy, atWork, capability.Call{Class: events.ToolRuns, Subagent: "I"}, capability.OutcomeRan},
		"sub-agents of before":                        {[]string{mainHead, task, answer, ended, results}, atWork, capability.Call{Class: events.ToolRuns, Subagent: "H"}, capability.OutcomeRan},
	} {
		test.call.Transcript = sessionDir(t, test.main, test.helpers)
		if got := (&Client{}).settle(test.call).Outcome; got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}

// The model of a sub-agent is not taken for the one of the main conversation.
func TestTheModelOfACallIsThatOfWhoMakesIt(t *testing.T) {
	t.Parallel()
	nameless := strings.Replace(answer, `,"model":"big"`, "", 1)
	for name, test := range map[string]struct {
		helpers map[string][]string
		event   string
		want    string
	}{
		"of the main conversation":   {nil, "BeforeTool", "big"},
		"at its end":                 {nil, "AfterTool", "big"},
		"of a sub-agent":             {map[string][]string{"H": {helperHead, task, ended, results, next}}, "BeforeTool", "small"},
		"of one that names no model": {map[string][]string{"H": {helperHead, task, nameless}}, "BeforeTool", ""},
		"of one of two":              {map[string][]string{"H": {helperHead, task, nameless}, "I": {helperHead, task, ended, results, next}}, "BeforeTool", ""},
	} {
		path := sessionDir(t, []string{mainHead, task, answer}, test.helpers)
		payload := `{"session_id":"S","cwd":"/work","transcript_path":"` + path + `","tool_name":"replace","tool_input":{"file_path":"a"}}`
		got, err := (&Client{}).decoder().Decode(test.event, []byte(payload))
		if err != nil || len(got) != 1 || got[0].Model != test.want || slices.Contains(got[0].Limits, events.LimitModelUnknown) != (test.want == "") {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func FuzzSubagents(f *testing.F) {
	f.Add(strings.Join([]string{mainHead, task, answer}, "\n"), strings.Join([]string{helperHead, task, answer}, "\n"))
	f.Add(`{"$set":{}}`, `{"type":"gemini"}`)
	f.Fuzz(func(t *testing.T, main, helper string) {
		b := events.Boundary{Session: "S", Transcript: sessionDir(t, []string{main}, map[string][]string{"H": {helper}})}
		attribute(&b)
		if b.Subagent != "" && b.Subagent != "H" {
			t.Errorf("sub-agent %q", b.Subagent)
		}
	})
}
