package claudecode_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/claudecode"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/events"
)

const (
	fixtures   = "../../testdata/payloads/claude-code"
	session    = "0b5e2d4c-6f1a-4e0b-9a3d-2c7f8e915a60"
	subagent   = "a1f4c09be27d3658c"
	callID     = "toolu_01Kz9vXw3c"
	project    = "/home/dev/project"
	transcript = "/home/dev/.claude/projects/-home-dev-project/" + session + ".jsonl"
)

var now = time.Date(2026, 3, 4, 5, 6, 7, 8, time.UTC)

func environment(vars map[string]string) capability.Env {
	return capability.Env{
		Home: "/home/dev", Binary: "/opt/git-trace", Now: func() time.Time { return now },
		Getenv: func(key string) string { return vars[key] },
	}
}

func decoder(vars map[string]string) capability.PayloadDecoder {
	return claudecode.New(environment(vars)).Decoder
}

func fixture(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(fixtures, name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// eventOf is the hook event that a fixture is named after.
func eventOf(name string) string {
	event, _, _ := strings.Cut(name, "-")
	return event
}

func text(s string) *string { return &s }

// boundary has the fields that all fixtures share.
func boundary(kind events.BoundaryKind, change func(*events.Boundary)) *events.Boundary {
	b := &events.Boundary{
		Kind: kind, Agent: "claude-code", Session: session, Time: now, Cwd: project, Transcript: transcript,
	}
	if change != nil {
		change(b)
	}
	return b
}

func source(kind events.BoundaryKind, source string) *events.Boundary {
	return boundary(kind, func(b *events.Boundary) { b.Source = source })
}

// tool is a call of a tool that writes; no fixture has a session file, so that the model is not known.
func tool(kind events.BoundaryKind, use events.ToolUse, change func(*events.Boundary)) *events.Boundary {
	return boundary(kind, func(b *events.Boundary) {
		use.CallID = callID
		b.Tool = &use
		b.Limits = []events.Limit{events.LimitModelUnknown}
		if change != nil {
			change(b)
		}
	})
}

func reader(kind events.BoundaryKind, name string) *events.Boundary {
	return boundary(kind, func(b *events.Boundary) {
		b.Tool = &events.ToolUse{CallID: callID, Name: name, Class: events.ToolReads}
	})
}

func inSubagent(b *events.Boundary) { b.Subagent, b.SubagentType = subagent, "general-purpose" }

func edits(name string, list ...events.DeclaredEdit) events.ToolUse {
	return events.ToolUse{Name: name, Class: events.ToolEdits, Paths: []string{list[0].Path}, Edits: list}
}

const (
	oldGreet = "package greet\n\nfunc Greet(name string) string {\n\treturn \"hello\"\n}\n"
	newGreet = "package greet\n\nfunc Greet(name string) string {\n\treturn \"hello, \" + name\n}\n"
)

// expected is the boundary of every fixture; nil stands for none.
func expected() map[string]*events.Boundary {
	greet := events.DeclaredEdit{Path: project + "/greet.go", Old: `return "hello"`, New: `return "hello, " + name`}
	greetDone := greet
	greetDone.Before, greetDone.After = text(oldGreet), text(newGreet)
	created := events.DeclaredEdit{Path: project + "/new.txt", New: "first\nsecond\n"}
	createdDone := created
	createdDone.Before, createdDone.After = text(""), text("first\nsecond\n")
	updatedDone := createdDone
	updatedDone.Before = text("old\n")
	list := []events.DeclaredEdit{{Path: project + "/list.txt", Old: "one", New: "1"}, {Path: project + "/list.txt", Old: "two\n"}}
	listDone := slices.Clone(list)
	listDone[0].Before, listDone[1].After = text("one\ntwo\none more\n"), text("1\n1 more\n")
	note := events.DeclaredEdit{Path: project + "/notes.md", New: "# Notes\n", Before: text(""), After: text("# Notes\n")}
	book := events.DeclaredEdit{Path: project + "/n.ipynb", New: "x = 2\n"}
	bookDone := events.DeclaredEdit{Path: project + "/n.ipynb", Old: "x = 1", New: "x = 2\n", Before: text(`{"cells":[]}`), After: text("{\n \"cells\": []\n}")}
	worktree := project + "/.claude/worktrees/agent-" + subagent
	shell := events.ToolUse{Name: "Bash", Class: events.ToolRuns, Hints: []string{project + "/docs", "/tmp/sed.log", project + "/docs/s/teh/the"}}
	server := events.ToolUse{Name: "Bash", Class: events.ToolRuns, Background: true, Hints: []string{project + "/server"}}
	serverDone := server
	serverDone.TaskID = "b7k2m9xq1"
	files := events.ToolUse{Name: "mcp__files__write_file", Class: events.ToolUnknown, Hints: []string{project + "/docs/out.md"}}
	const before, after = events.ToolBefore, events.ToolAfter
	return map[string]*events.Boundary{
		"SessionStart-startup": source(events.SessionStart, "startup"),
		"SessionStart-clear":   source(events.SessionStart, "clear"),
		"SessionStart-resume":  source(events.SessionStart, "resume"),
		"SessionStart-fork":    source(events.SessionStart, "fork"),
		"SessionStart-compact": boundary(events.SessionStart, func(b *events.Boundary) { b.Source, b.Model = "compact", "claude-sonnet-4-5" }),
		"UserPromptSubmit": boundary(events.PromptSubmit, func(b *events.Boundary) {
			b.Source, b.Prompt = "user", &events.Prompt{ID: "5d0f6a1e-8b7c-4d2e-a1f3-7c9b0e4d2f68", Text: "Make the greeting friendlier."}
		}),
		"UserPromptSubmit-task": boundary(events.PromptSubmit, func(b *events.Boundary) {
			b.Source, b.Prompt = "task", &events.Prompt{ID: "5d0f6a1e-8b7c-4d2e-a1f3-7c9b0e4d2f68", Text: "<task-notification>\n<task-id>b7k2m9xq1</task-id>\n" +
				"<status>completed</status>\n<summary>Background command \"Run the server\" completed (exit code 0)</summary>\n</task-notification>"}
		}),
		"PreToolUse-Edit":            tool(before, edits("Edit", greet), nil),
		"PreToolUse-Edit-camel-case": tool(before, edits("Edit", greet), nil),
		"PreToolUse-Edit-1.0": tool(before, edits("Edit", greet), func(b *events.Boundary) {
			b.Tool.CallID = ""
			b.Limits = slices.Insert(b.Limits, 0, events.LimitIDMissing)
		}),
		"PreToolUse-Edit-in-subagent":            tool(before, edits("Edit", greet), inSubagent),
		"PostToolUse-Edit":                       tool(after, edits("Edit", greetDone), nil),
		"PostToolUse-Edit-in-subagent":           tool(after, edits("Edit", greetDone), inSubagent),
		"PostToolUse-Edit-long-file":             tool(after, edits("Edit", greet), nil),
		"PostToolUse-Edit-new-file":              tool(after, edits("Edit", note), nil),
		"PreToolUse-MultiEdit":                   tool(before, edits("MultiEdit", list...), nil),
		"PostToolUse-MultiEdit":                  tool(after, edits("MultiEdit", listDone...), nil),
		"PreToolUse-Write":                       tool(before, edits("Write", created), nil),
		"PostToolUse-Write":                      tool(after, edits("Write", createdDone), nil),
		"PostToolUse-Write-update":               tool(after, edits("Write", updatedDone), nil),
		"PostToolUse-Write-in-subagent-worktree": tool(after, edits("Write", events.DeclaredEdit{Path: worktree + "/w.txt", New: "W\n", Before: text(""), After: text("W\n")}), func(b *events.Boundary) { inSubagent(b); b.Cwd = worktree }),
		"PreToolUse-NotebookEdit":                tool(before, edits("NotebookEdit", book), nil),
		"PostToolUse-NotebookEdit":               tool(after, edits("NotebookEdit", bookDone), nil),
		"PreToolUse-Bash":                        tool(before, shell, nil),
		"PostToolUse-Bash":                       tool(after, shell, nil),
		"PostToolUse-Bash-in-subagent":           tool(after, events.ToolUse{Name: "Bash", Class: events.ToolRuns}, inSubagent),
		"PreToolUse-Bash-background":             tool(before, server, nil),
		"PostToolUse-Bash-background":            tool(after, serverDone, nil),
		"PostToolUseFailure-Bash":                tool(events.ToolFailed, events.ToolUse{Name: "Bash", Class: events.ToolRuns}, nil),
		"PreToolUse-Read":                        reader(before, "Read"),
		"PostToolUse-Read":                       reader(after, "Read"),
		"PreToolUse-Agent":                       reader(before, "Agent"),
		"PostToolUse-Agent":                      reader(after, "Agent"),
		"PreToolUse-mcp":                         tool(before, files, nil),
		"PostToolUse-mcp":                        tool(after, files, nil),
		"Stop":                                   boundary(events.TurnEnd, func(b *events.Boundary) { b.Running = []string{subagent, "b7k2m9xq1"} }),
		"Stop-idle":                              boundary(events.TurnEnd, func(b *events.Boundary) { b.Running = []string{} }),
		"StopFailure":                            boundary(events.TurnEnd, nil),
		"SubagentStart":                          boundary(events.SubagentStart, inSubagent),
		"SubagentStop":                           boundary(events.SubagentEnd, func(b *events.Boundary) { inSubagent(b); b.Running = []string{"b7k2m9xq1"} }),
		"PreCompact":                             source(events.Compaction, "manual"),
		"PostCompact":                            source(events.Compaction, "auto"),
		"CwdChanged":                             boundary(events.CwdChanged, func(b *events.Boundary) { b.Cwd = project + "/docs" }),
		"SessionEnd-other":                       source(events.SessionEnd, "other"),
		"SessionEnd-clear":                       source(events.SessionEnd, "clear"),
		"SessionEnd-prompt_input_exit":           source(events.SessionEnd, "prompt_input_exit"),
		"PermissionRequest-Edit":                 nil,
		"PostToolBatch":                          nil,
		"InstructionsLoaded":                     nil,
		"Notification":                           nil,
	}
}

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
		got, err := decoder(nil).Decode(event, []byte(`{"session_id":"s","tool_name":"Read","tool_use_id":"t"}`))
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
		{"no session", `{}`, claudecode.ErrSession},
		{"an empty session", `{"session_id":""}`, claudecode.ErrSession},
		{"a session that is a number", `{"session_id":7}`, claudecode.ErrSession},
		{"a session that leaves its directory", `{"session_id":"../../x"}`, claudecode.ErrSession},
		{"a session with a control character", `{"session_id":"a\u0000b"}`, claudecode.ErrSession},
		{"a session that is too long", `{"session_id":"` + strings.Repeat("a", 200) + `"}`, claudecode.ErrSession},
		{"a subagent that leaves its directory", `{"session_id":"s","agent_id":"../x"}`, claudecode.ErrSubagent},
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
	got, err := decoder(nil).Decode("PreToolUse", []byte(`{"session_id":"s","tool_use_id":"t","tool_name":"Edit","tool_input":{"file_path":"a\u0000"}}`))
	if err != nil || got[0].Tool.Class != events.ToolUnknown || len(got[0].Tool.Paths) != 0 {
		t.Errorf("got %s, %v", asJSON(t, got), err)
	}
}

func TestRelativePathsAreBelowTheCurrentDirectory(t *testing.T) {
	t.Parallel()
	got, err := decoder(nil).Decode("PostToolUse", []byte(`{"session_id":"s","cwd":"/w","tool_use_id":"t","tool_name":"Write","tool_response":{"type":"create","filePath":"sub/a","content":"x"}}`))
	if err != nil || !slices.Equal(got[0].Tool.Paths, []string{"/w/sub/a"}) {
		t.Errorf("got %s, %v", asJSON(t, got), err)
	}
}

func TestCommandLinesDoNotLeaveTheDecoder(t *testing.T) {
	t.Parallel()
	const data = `{"session_id":"s","tool_use_id":"t","tool_name":"Bash","tool_input":{"command":"TOKEN=hunter2 curl -H 'x: hunter2' https://example.com","description":"hunter2"},"tool_response":{"stdout":"hunter2"}}`
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

func TestToolsHaveTheClassOfWhatTheyCanDo(t *testing.T) {
	t.Parallel()
	tests := map[events.ToolClass][]string{
		events.ToolRuns: {"Bash", "PowerShell"},
		events.ToolReads: {
			"Read", "Glob", "Grep", "LS", "WebFetch", "WebSearch", "BashOutput", "KillShell", "TodoWrite", "Task", "Agent", "TaskCreate",
			"TaskUpdate", "Skill", "AskUserQuestion", "ExitPlanMode", "ToolSearch",
		},
		events.ToolUnknown: {"mcp__git__commit", "Workflow", "EnterWorktree", "edit", "", "SomethingNew"},
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

// TestPayloadsCapturedFromTheClient runs over a directory of payloads that a real client sent, as a check of the fixtures.
func TestPayloadsCapturedFromTheClient(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("GITTRACE_CAPTURED")
	if dir == "" {
		t.Skip("GITTRACE_CAPTURED does not name a directory of captured payloads")
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no payloads in %s: %v", dir, err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".json")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var wrapped struct {
				Payload json.RawMessage `json:"payload"`
			}
			if err := json.Unmarshal(data, &wrapped); err != nil {
				t.Fatal(err)
			}
			if wrapped.Payload != nil {
				data = wrapped.Payload
			}
			got, err := decoder(nil).Decode(eventOf(name), data)
			if err != nil {
				t.Fatal(err)
			}
			if slices.Contains(decoder(nil).Events(), eventOf(name)) != (len(got) == 1) {
				t.Fatalf("got %d boundaries", len(got))
			}
			for _, b := range got {
				checkInvariants(t, b)
				checkCaptured(t, b, name)
			}
		})
	}
}

// checkInvariants holds for whatever the decoder accepts.
func checkInvariants(t *testing.T, b events.Boundary) {
	t.Helper()
	if b.Agent != "claude-code" || !payload.SessionID(b.Session) || b.Subagent != "" && !payload.SessionID(b.Subagent) || !b.Time.Equal(now) {
		t.Errorf("envelope: %s", asJSON(t, b))
	}
	paths := []string{b.Cwd, b.Transcript}
	if b.Tool != nil {
		paths = slices.Concat(paths, b.Tool.Paths, b.Tool.Hints)
		if b.Tool.Class == events.ToolEdits != (len(b.Tool.Paths) == 1) || len(b.Tool.Hints) > 16 {
			t.Errorf("paths do not fit the class: %s", asJSON(t, b.Tool))
		}
		for _, edit := range b.Tool.Edits {
			paths = append(paths, edit.Path)
		}
	}
	for _, path := range paths {
		if path != "" && payload.AbsPath(path) != path {
			t.Errorf("%q is not a clean absolute path", path)
		}
	}
	if (b.Tool != nil) != slices.Contains([]events.BoundaryKind{events.ToolBefore, events.ToolAfter, events.ToolFailed}, b.Kind) {
		t.Errorf("a tool at %s", b.Kind)
	}
}

func checkCaptured(t *testing.T, b events.Boundary, name string) {
	t.Helper()
	if b.Cwd == "" || b.Transcript == "" || strings.Contains(name, "in-subagent") && b.Subagent == "" {
		t.Errorf("fields are missing: %s", asJSON(t, b))
	}
	if b.Tool == nil {
		return
	}
	if b.Tool.CallID == "" || b.Tool.Class == events.ToolUnknown {
		t.Errorf("the call is not understood: %s", asJSON(t, b.Tool))
	}
	if b.Kind == events.ToolAfter && b.Tool.Class == events.ToolEdits {
		first, last := b.Tool.Edits[0], b.Tool.Edits[len(b.Tool.Edits)-1]
		if first.Before == nil || last.After == nil || *first.Before == *last.After {
			t.Errorf("contents are not known: %s", asJSON(t, b.Tool))
		}
	}
}

func FuzzDecode(f *testing.F) {
	paths, err := filepath.Glob(filepath.Join(fixtures, "*.json"))
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".json")
		f.Add(eventOf(name), fixture(f, name))
	}
	f.Add("PreToolUse", []byte("\xFF\xFE{\x00}\x00"))
	f.Add("PostToolUse", []byte(`{"session_id":"s","tool_name":"Edit","tool_input":{"file_path":"/a","edits":[{}]},"tool_response":{"originalFile":"x"}}`))
	d := decoder(nil)
	f.Fuzz(func(t *testing.T, event string, data []byte) {
		got, err := d.Decode(event, data)
		if err != nil && len(got) != 0 {
			t.Errorf("boundaries beside the error %v", err)
		}
		for _, b := range got {
			checkInvariants(t, b)
		}
	})
}

// BenchmarkDecode decodes a write of 330 kB, three times in one payload.
func BenchmarkDecode(b *testing.B) {
	content := strings.Repeat("\tif err := run(\"x\"); err != nil {\n", 330_000/34)
	data, err := json.Marshal(map[string]any{
		"session_id": session, "cwd": project, "tool_name": "Write", "tool_use_id": callID,
		"tool_input":    map[string]any{"file_path": project + "/a.go", "content": content},
		"tool_response": map[string]any{"type": "update", "filePath": project + "/a.go", "content": content, "originalFile": content},
	})
	if err != nil {
		b.Fatal(err)
	}
	d := decoder(nil)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := d.Decode("PostToolUse", data); err != nil {
			b.Fatal(err)
		}
	}
}
