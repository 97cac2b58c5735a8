package claudecode_test

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/claudecode"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/events"
)

func TestEveryKindOfPayloadIsDecoded(t *testing.T) {
	t.Parallel()
	want := expected()
	paths, err := filepath.Glob(filepath.Join(fixtures, "*.json"))
	if err != nil || len(paths) != len(want) {
		t.Fatalf("%d fixtures, %v; want %d", len(paths), err, len(want))
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".json")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			expect, known := want[name]
			if !known {
				t.Fatal("nothing is expected of this fixture")
			}
			got, err := decoder(nil).Decode(eventOf(name), fixture(t, name))
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range got {
				asked := b.Tool != nil && (b.Tool.Class == events.ToolRuns || b.Tool.Class == events.ToolUnknown && b.Kind == events.ToolBefore)
				if b.Tool != nil && asked != (len(b.Tool.Names) > 0) {
					t.Errorf("names %q", b.Tool.Names)
				} else if b.Tool != nil {
					b.Tool.Names = nil // they have a test of their own
				}
			}
			var list []events.Boundary
			if expect != nil {
				list = []events.Boundary{*expect}
			}
			if !reflect.DeepEqual(got, list) {
				t.Errorf("got  %s\nwant %s", asJSON(t, got), asJSON(t, list))
			}
		})
	}
}

func asJSON(t *testing.T, value any) string {
	t.Helper()
	data, err := json.MarshalIndent(value, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestEveryListedEventHasABoundary(t *testing.T) {
	t.Parallel()
	for _, event := range decoder(nil).Events() {
		got, err := decoder(nil).Decode(event, []byte(`{"session_id":"s","tool_name":"Read","tool_use_id":"t",`+
			`"tool_calls":[{"tool_name":"Edit","tool_input":{"file_path":"/a"}}]}`))
		if err != nil || len(got) != 1 {
			t.Errorf("%s: %v, %v", event, got, err)
		}
	}
}

func TestPayloadsThatAreRefused(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, data string
		want       error
	}{
		{"nothing", "", payload.ErrEmpty},
		{"white space", " \n", payload.ErrEmpty},
		{"half an object", `{"session_id":"s"`, nil},
		{"an array", `[]`, nil},
		{"text", `"session"`, nil},
		{"null", `null`, nil},
		{"two objects", `{"session_id":"s"}{}`, nil},
		{"a depth without end", `{"session_id":"s","tool_input":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `}`, nil},
		{"no session", `{}`, payload.ErrSession},
		{"an empty session", `{"session_id":""}`, payload.ErrSession},
		{"a session that is a number", `{"session_id":7}`, payload.ErrSession},
		{"a session that leaves its directory", `{"session_id":"../../x"}`, payload.ErrSession},
		{"a session with a control character", `{"session_id":"a\u0000b"}`, payload.ErrSession},
		{"a session that is too long", `{"session_id":"` + strings.Repeat("a", 200) + `"}`, payload.ErrSession},
		{"a subagent that leaves its directory", `{"session_id":"s","agent_id":"../x"}`, payload.ErrSubagent},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := decoder(nil).Decode("PreToolUse", []byte(test.data))
			if err == nil || len(got) != 0 || test.want != nil && !errors.Is(err, test.want) {
				t.Errorf("got %v, %v, want %v", got, err, test.want)
			}
			if err != nil && strings.Contains(err.Error(), "aaa") {
				t.Errorf("the error quotes the payload: %v", err)
			}
		})
	}
}

func TestByteOrderMarksAreUnderstood(t *testing.T) {
	t.Parallel()
	plain := fixture(t, "PostToolUse-Edit")
	want, err := decoder(nil).Decode("PostToolUse", plain)
	if err != nil {
		t.Fatal(err)
	}
	wide := []byte{0xFF, 0xFE}
	for _, c := range plain { // the fixture is ASCII
		wide = append(wide, c, 0)
	}
	for name, data := range map[string][]byte{"UTF-8": append([]byte("\xEF\xBB\xBF"), plain...), "UTF-16": wide} {
		got, err := decoder(nil).Decode("PostToolUse", data)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, %v", name, got, err)
		}
	}
}

func TestFieldsOfOddTypesCountAsAbsent(t *testing.T) {
	t.Parallel()
	const data = `{"session_id":"s","cwd":5,"transcript_path":[],"model":{"id":"m1"},"agent_type":null,"tool_name":"Write",` +
		`"tool_use_id":{},"tool_input":{"file_path":"/a","content":{"x":1}},"tool_response":"Error: no"}`
	got, err := decoder(nil).Decode("PostToolUse", []byte(data))
	if err != nil || len(got) != 1 {
		t.Fatalf("got %v, %v", got, err)
	}
	b := got[0]
	if b.Cwd != "" || b.Transcript != "" || b.Model != "m1" || b.Tool.CallID != "" || !slices.Equal(b.Tool.Paths, []string{"/a"}) {
		t.Errorf("got %s", asJSON(t, b))
	}
}

func TestAnEditToolWithoutAPathMayWriteAnywhere(t *testing.T) {
	t.Parallel()
	const data = `{"session_id":"s","tool_use_id":"t","tool_name":"Edit","tool_input":{"file_path":"a\u0000"}}`
	got, err := decoder(nil).Decode("PreToolUse", []byte(data))
	if err != nil || got[0].Tool.Class != events.ToolUnknown || len(got[0].Tool.Paths) != 0 {
		t.Errorf("got %s, %v", asJSON(t, got), err)
	}
}

func TestRelativePathsAreBelowTheCurrentDirectory(t *testing.T) {
	t.Parallel()
	const data = `{"session_id":"s","cwd":"/w","tool_use_id":"t","tool_name":"Write",` +
		`"tool_response":{"type":"create","filePath":"sub/a","content":"x"}}`
	got, err := decoder(nil).Decode("PostToolUse", []byte(data))
	if err != nil || !slices.Equal(got[0].Tool.Paths, []string{"/w/sub/a"}) {
		t.Errorf("got %s, %v", asJSON(t, got), err)
	}
}

func TestCommandLinesDoNotLeaveTheDecoder(t *testing.T) {
	t.Parallel()
	const data = `{"session_id":"s","tool_use_id":"t","tool_name":"Bash",` +
		`"tool_input":{"command":"TOKEN=hunter2 curl -H 'x: hunter2' https://example.com","description":"hunter2"},` +
		`"tool_response":{"stdout":"hunter2"}}`
	got, err := decoder(nil).Decode("PostToolUse", []byte(data))
	if err != nil || strings.Contains(asJSON(t, got), "hunter2") {
		t.Errorf("got %s, %v", asJSON(t, got), err)
	}
}

func TestCallsOfOtherClientsAreNotClaudes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		vars map[string]string
		want int
	}{
		{"a plain environment", nil, 1},
		{"Claude's own environment", map[string]string{"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": session}, 1},
		{"Copilot CLI runs Claude's hooks", map[string]string{"COPILOT_CLI": "1"}, 0},
		{"Cursor runs Claude's hooks", map[string]string{"CURSOR_VERSION": "2.1"}, 0},
		{"Claude runs in Copilot's shell", map[string]string{"COPILOT_CLI": "1", "CLAUDE_CODE_SESSION_ID": session}, 1},
		{"Copilot runs in Claude's shell", map[string]string{"COPILOT_CLI": "1", "CLAUDE_CODE_SESSION_ID": "another"}, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := decoder(test.vars).Decode("PostToolUse", fixture(t, "PostToolUse-Edit"))
			if err != nil || len(got) != test.want {
				t.Errorf("got %d boundaries, %v, want %d", len(got), err, test.want)
			}
		})
	}
}

// A client that reads Claude's settings is told by the entry of its environment that holds the session's id, or by the
// form of its payloads.
func TestOtherClientsAreNamed(t *testing.T) {
	t.Parallel()
	const native, camel = `{"session_id":"session-1","tool_use_id":"t","tool_name":"Bash","tool_input":{"command":"x"}}`,
		`{"sessionId":"session-1","toolUseId":"t","toolName":"Bash","toolInput":{"command":"x"}}`
	for name, tt := range map[string]struct {
		data    string
		environ []string
		want    string
	}{
		"Claude Code":                           {native, []string{"CLAUDE_CODE_SESSION_ID=session-1"}, claudecode.Name},
		"Claude Code of before it named itself": {native, []string{"OTHER_SESSION_ID=another"}, claudecode.Name},
		"Grok":                                  {camel, []string{"GROK_SESSION_ID=session-1", "PWD=/"}, "grok"},
		"Devin, with Claude's own form":         {native, []string{"DEVIN_SESSION_ID=session-1"}, "devin"},
		"a name of several words":               {native, []string{"SOME_NEW_CODE_SESSION_ID=session-1"}, "some-new-code"},
		"Claude Code in the shell of Grok": {native, []string{"GROK_SESSION_ID=another",
			"CLAUDE_CODE_SESSION_ID=session-1"}, claudecode.Name},
		"a client that hands on Claude's entry": {native, []string{"GROK_SESSION_ID=session-1",
			"CLAUDE_CODE_SESSION_ID=session-1"}, claudecode.Name},
		"Visual Studio Code": {`{"sessionId":"session-1","hookEventName":"PreToolUse","tool_use_id":"t","tool_name":"Bash",` +
			`"tool_input":{"command":"x"}}`, nil, "copilot-vscode"},
		"a name that is none": {native, []string{"__SESSION_ID=session-1", "a=b_SESSION_ID=session-1"}, claudecode.Name},
	} {
		env := capability.Env{Home: "/home/dev", Environ: func() []string { return tt.environ }, Getenv: func(key string) string {
			for _, entry := range tt.environ {
				if value, found := strings.CutPrefix(entry, key+"="); found {
					return value
				}
			}
			return ""
		}}
		got, err := claudecode.New(env).Decoder.Decode("PreToolUse", []byte(tt.data))
		if err != nil || len(got) != 1 || got[0].Agent != tt.want {
			t.Errorf("%s: %v, %v, want %s", name, asJSON(t, got), err, tt.want)
		}
	}
}

func TestToolsHaveTheClassOfWhatTheyCanDo(t *testing.T) {
	t.Parallel()
	tests := map[events.ToolClass][]string{
		events.ToolRuns: {"Bash", "PowerShell"},
		events.ToolReads: {
			"Read", "Glob", "Grep", "LS", "WebFetch", "WebSearch", "BashOutput", "KillShell", "TodoWrite", "Task", "Agent", "TaskCreate",
			"TaskUpdate", "Skill", "AskUserQuestion", "ExitPlanMode", "ToolSearch", "EnterWorktree", "ExitWorktree",
		},
		events.ToolUnknown: {"mcp__git__commit", "Workflow", "edit", "", "SomethingNew"},
	}
	for class, names := range tests {
		for _, name := range names {
			got, err := decoder(nil).Decode("PreToolUse", []byte(`{"session_id":"s","tool_use_id":"t","tool_name":"`+name+`"}`))
			if err != nil || got[0].Tool.Class != class {
				t.Errorf("%s: got %v, %v, want %v", name, got[0].Tool.Class, err, class)
			}
		}
	}
}
