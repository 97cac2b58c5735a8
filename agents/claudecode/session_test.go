package claudecode_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/events"
)

// line makes a session line; the order of its keys is that of encoding/json.
func line(t testing.TB, fields map[string]any) string {
	t.Helper()
	data, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return string(data) + "\n"
}

func answer(t testing.TB, model, content string) string {
	t.Helper()
	return line(t, map[string]any{
		"type": "assistant", "isSidechain": false, "sessionId": session,
		"message": map[string]any{
			"role": "assistant", "model": model, "content": []any{map[string]any{"type": "text", "text": content}},
		},
	})
}

func noted(t testing.TB, model string) string {
	t.Helper()
	return line(t, map[string]any{
		"type": "attachment", "attachment": map[string]any{"type": "model", "identity": map[string]any{"modelId": model}},
	})
}

func typed(t testing.TB, text string) string {
	t.Helper()
	return line(t, map[string]any{"type": "user", "message": map[string]any{"content": text}})
}

// save writes a session file and gives its path.
func save(t testing.TB, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), session+".jsonl")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func payloadFor(t testing.TB, path, agent string) []byte {
	t.Helper()
	return []byte(line(t, map[string]any{
		"session_id": session, "transcript_path": path, "agent_id": agent,
		"tool_name": "Bash", "tool_use_id": callID, "tool_input": map[string]any{"command": "make"},
	}))
}

func modelOf(t *testing.T, path, agent string) string {
	t.Helper()
	got, err := decoder(nil).Decode("PreToolUse", payloadFor(t, path, agent))
	if err != nil || len(got) != 1 {
		t.Fatalf("got %v, %v", got, err)
	}
	if unknown := slices.Contains(got[0].Limits, events.LimitModelUnknown); unknown != (got[0].Model == "") {
		t.Errorf("model %q, limits %v", got[0].Model, got[0].Limits)
	}
	return got[0].Model
}

func TestTheModelIsThatOfTheLastAnswer(t *testing.T) {
	t.Parallel()
	user := typed(t, `say {"type":"assistant","message":{"model":"fake"}}`)
	const opus, haiku, sonnet = "claude-opus-4-6", "claude-haiku-4-5", "claude-sonnet-4-5"
	hi := answer(t, opus, "hi")
	tests := []struct {
		name  string
		lines []string
		want  string
	}{
		{"a single answer tells", []string{hi}, opus},
		{"the last answer counts", []string{hi, user, answer(t, sonnet, "ho"), user}, sonnet},
		{"answers that the client made up are passed over", []string{hi, answer(t, "<synthetic>", "API Error")}, opus},
		{"a torn line is passed over", []string{hi, `{"type":"assistant","message":{"model":"claude-s`}, opus},
		{"an answer before a long line is found", []string{hi, typed(t, strings.Repeat("x", 200_000))}, opus},
		{"an answer of a megabyte is found", []string{user, answer(t, opus, strings.Repeat("x", 1<<20))}, opus},
		{"text that looks like an answer is not one", []string{user}, ""},
		{"the model noted at the start counts before the first answer", []string{noted(t, opus), user}, opus},
		{"a change of the model counts before the next answer", []string{hi, noted(t, haiku)}, haiku},
		{"a model's name is plain text", []string{answer(t, "bad\x1b[31m", "hi")}, ""},
		{"an empty file does not tell", nil, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := modelOf(t, save(t, test.lines...), ""); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestTheModelOfASubagentIsInItsOwnFile(t *testing.T) {
	t.Parallel()
	for _, layout := range []string{filepath.Join(session, "subagents"), ""} {
		path := save(t, answer(t, "claude-opus-4-6", "parent"))
		own := filepath.Join(filepath.Dir(path), layout, "agent-"+subagent+".jsonl")
		if err := os.MkdirAll(filepath.Dir(own), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(own, []byte(answer(t, "claude-haiku-4-5", "child")), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := modelOf(t, path, subagent); got != "claude-haiku-4-5" {
			t.Errorf("layout %q: got %q", layout, got)
		}
		if got := modelOf(t, path, "another"); got != "" {
			t.Errorf("layout %q: a subagent without a file has the model %q", layout, got)
		}
	}
}

func TestTheModelOfASubagentThatHasNotAnsweredIsInItsDescription(t *testing.T) {
	t.Parallel()
	path := save(t, answer(t, "claude-opus-4-6", "parent"))
	own := filepath.Join(strings.TrimSuffix(path, ".jsonl"), "subagents", "agent-"+subagent)
	if err := os.MkdirAll(filepath.Dir(own), 0o755); err != nil {
		t.Fatal(err)
	}
	files := []struct{ name, content string }{
		{".meta.json", `{"agentType":"general-purpose","model":"claude-haiku-4-5"}`},
		{".jsonl", ""},
	}
	for _, file := range files {
		if err := os.WriteFile(own+file.name, []byte(file.content), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := modelOf(t, path, subagent); got != "claude-haiku-4-5" {
			t.Errorf("with %s: got %q", file.name, got)
		}
	}
}

func TestSessionFilesThatAreNotFilesAreLeftAlone(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a.jsonl")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(t.TempDir(), "secret.txt")
	if err := os.WriteFile(secret, []byte(answer(t, "claude-opus-4-6", "")), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, secret, "relative.jsonl", "/dev/zero", "/missing.jsonl", ""} {
		if got := modelOf(t, path, ""); got != "" {
			t.Errorf("%s: got %q", path, got)
		}
	}
}

const (
	refused = "The user doesn't want to proceed with this tool use. The tool use was rejected " +
		"(eg. if it was a file edit, the new_string was NOT written to the file)."
	stopNow  = refused + " STOP what you are doing and wait for the user to tell you how to proceed."
	withText = refused + " To tell you how to proceed, the user said:\nuse the other file"
)

// ended makes the session line of a call's result.
func ended(t *testing.T, failed bool, content any, more map[string]any) string {
	t.Helper()
	fields := map[string]any{"type": "user", "message": map[string]any{"role": "user", "content": []any{
		map[string]any{"type": "tool_result", "tool_use_id": callID, "is_error": failed, "content": content},
	}}}
	for key, value := range more {
		fields[key] = value
	}
	return line(t, fields)
}

func TestSettlingACallWithoutItsHook(t *testing.T) {
	t.Parallel()
	const rejected, ran, unknown = capability.OutcomeRejected, capability.OutcomeRan, capability.OutcomeUnknown
	kind := func(kind, when string) map[string]any {
		return map[string]any{"toolDenialKind": kind, "toolDenial" + when + "Run": true}
	}
	done := ended(t, false, "see "+callID, nil)
	tests := []struct {
		name  string
		class events.ToolClass
		line  string
		want  capability.Outcome
	}{
		{"no result yet", events.ToolRuns, "", unknown},
		{"a good result", events.ToolRuns, ended(t, false, "done", nil), ran},
		{"a failed command", events.ToolRuns, ended(t, true, "Exit code 3\nPermission to write denied", nil), ran},
		{"a refusal before the call began", events.ToolRuns, ended(t, true, stopNow, kind("user-rejected", "Before")), rejected},
		{"Esc while a command ran", events.ToolRuns, ended(t, true, stopNow, map[string]any{"toolDenialKind": "user-rejected"}), ran},
		{"Esc on a command, as older clients write it", events.ToolRuns, ended(t, true, stopNow, nil), ran},
		{"Esc on a tool that may write anywhere", events.ToolUnknown, ended(t, true, stopNow, nil), ran},
		{"Esc on an edit, as older clients write it", events.ToolEdits, ended(t, true, stopNow, nil), rejected},
		{"a refusal with a reason", events.ToolRuns, ended(t, true, withText, nil), rejected},
		{"an interruption", events.ToolRuns, ended(t, true, "Interrupted", map[string]any{"toolDenialKind": "interrupted"}), ran},
		{"a refusal by a rule", events.ToolRuns, ended(t, true, "no", map[string]any{"toolDenialKind": "permission-rule"}), rejected},
		{"a result withheld after the call", events.ToolRuns, ended(t, true, "no", kind("permission-rule", "After")), ran},
		{"a refusal by the automatic mode", events.ToolRuns, ended(t, true, "Permission for this action was denied by", nil), rejected},
		{"a permission that was not granted", events.ToolEdits, ended(t, true, "Claude requested permissions to write to /x", nil), rejected},
		{"a hook that blocked the call", events.ToolRuns, ended(t, true, "PreToolUse:Bash hook error: [guard]: no", nil), rejected},
		{"a refusal in blocks", events.ToolRuns, ended(t, true, []any{map[string]any{"type": "text", "text": withText}}, nil), rejected},
		{"a call cancelled beside another", events.ToolRuns, ended(t, true, "<tool_use_error>Sibling tool call errored", nil), unknown},
		{"the result of another call", events.ToolRuns, strings.Replace(done, `"tool_use_id":"`, `"tool_use_id":"x`, 1), unknown},
		{"an answer that quotes a result", events.ToolRuns, strings.Replace(done, `"type":"user"`, `"type":"assistant"`, 1), unknown},
		{"a line that is torn", events.ToolRuns, ended(t, false, "done", nil)[:80], unknown},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			path := save(t, answer(t, "m", callID), test.line, typed(t, "go on"))
			end := decoder(nil).Settle(capability.Call{Transcript: path, CallID: callID, Class: test.class})
			if end.Outcome != test.want {
				t.Errorf("got %v, want %v", end.Outcome, test.want)
			}
			if either := strings.HasPrefix(test.name, "Esc on a ") || strings.HasPrefix(test.name, "Esc while"); end.Unbegun != (either && test.want == ran) {
				t.Errorf("it may never have begun: %v", end.Unbegun)
			}
		})
	}
}

func TestSettlingTakesNoForeignPaths(t *testing.T) {
	t.Parallel()
	path := save(t, ended(t, false, "done", nil))
	calls := []capability.Call{
		{Transcript: path, CallID: "a b"},
		{Transcript: path, CallID: ""},
		{Transcript: path, CallID: callID, Subagent: "../x"},
		{Transcript: path + "x", CallID: callID},
		{Transcript: filepath.Dir(path), CallID: callID},
	}
	for _, call := range calls {
		if got := decoder(nil).Settle(call).Outcome; got != capability.OutcomeUnknown {
			t.Errorf("%+v: got %v", call, got)
		}
	}
}

func FuzzSettle(f *testing.F) {
	f.Add(`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"toolu_01Kz9vXw3c","content":[{"text":"x"}],"is_error":true}]}}`)
	f.Add(`{"type":"assistant","message":{"model":"m"}}` + "\n{")
	d, dir := decoder(nil), f.TempDir()
	f.Fuzz(func(t *testing.T, content string) {
		path := filepath.Join(dir, "s.jsonl")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		_ = d.Settle(capability.Call{Transcript: path, CallID: callID})
		if _, err := d.Decode("PreToolUse", payloadFor(t, path, "")); err != nil {
			t.Error(err)
		}
	})
}

// BenchmarkModel decodes a call with a session file whose last lines are of the usual kind.
func BenchmarkModel(b *testing.B) {
	lines := []string{}
	for range 200 {
		lines = append(lines, answer(b, "claude-opus-4-6", strings.Repeat("word ", 200)),
			typed(b, strings.Repeat("result ", 1000)))
	}
	lines = append(lines, answer(b, "claude-opus-4-6", strings.Repeat("word ", 2000)), line(b, map[string]any{"type": "mode"}))
	data := payloadFor(b, save(b, lines...), "")
	d := decoder(nil)
	for b.Loop() {
		if got, err := d.Decode("PreToolUse", data); err != nil || got[0].Model == "" {
			b.Fatal(got, err)
		}
	}
}
