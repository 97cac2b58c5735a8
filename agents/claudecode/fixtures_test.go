package claudecode_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/claudecode"
	"github.com/git-trace/git-trace/events"
)

const (
	fixtures   = "../../testdata/payloads/claude-code"
	session    = "0b5e2d4c-6f1a-4e0b-9a3d-2c7f8e915a60"
	subagent   = "a1f4c09be27d3658c"
	callID     = "toolu_01Kz9vXw3c"
	project    = "/home/dev/project"
	promptID   = "5d0f6a1e-8b7c-4d2e-a1f3-7c9b0e4d2f68"
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

// change makes a boundary different from the others of its kind.
type change func(*events.Boundary)

// boundary has the fields that all fixtures share.
func boundary(kind events.BoundaryKind, changes ...change) *events.Boundary {
	b := &events.Boundary{
		Kind: kind, Agent: "claude-code", Session: session, Time: now, Cwd: project, Transcript: transcript,
	}
	for _, change := range changes {
		change(b)
	}
	return b
}

func source(kind events.BoundaryKind, source string) *events.Boundary {
	return boundary(kind, func(b *events.Boundary) { b.Source = source })
}

func prompt(source, text string) *events.Boundary {
	return boundary(events.PromptSubmit, func(b *events.Boundary) {
		b.Source, b.Prompt = source, &events.Prompt{ID: promptID, Text: text}
	})
}

// tool is a call of a tool that writes; no fixture has a session file, so that the model is not known.
func tool(kind events.BoundaryKind, use events.ToolUse, changes ...change) *events.Boundary {
	use.CallID = callID
	b := boundary(kind)
	b.Tool, b.Prompt, b.Limits = &use, &events.Prompt{ID: promptID}, []events.Limit{events.LimitModelUnknown}
	for _, change := range changes {
		change(b)
	}
	return b
}

func inSubagent(b *events.Boundary)    { b.Subagent, b.SubagentType = subagent, "general-purpose" }
func withoutPrompt(b *events.Boundary) { b.Prompt = nil }
func withoutLimits(b *events.Boundary) { b.Limits = nil }

func withoutCall(b *events.Boundary) {
	b.Tool.CallID = ""
	b.Limits = slices.Insert(b.Limits, 0, events.LimitIDMissing)
}

func in(dir string) change { return func(b *events.Boundary) { b.Cwd = dir } }

func running(ids ...string) change {
	return func(b *events.Boundary) { b.Running = append([]string{}, ids...) }
}

func edits(name string, list ...events.DeclaredEdit) events.ToolUse {
	return events.ToolUse{Name: name, Class: events.ToolEdits, Paths: []string{list[0].Path}, Edits: list}
}

func whole(edit events.DeclaredEdit, before, after string) events.DeclaredEdit {
	edit.Before, edit.After = text(before), text(after)
	return edit
}

func command(hints ...string) events.ToolUse {
	return events.ToolUse{Name: "Bash", Class: events.ToolRuns, Hints: hints}
}

func reader(name string) events.ToolUse { return events.ToolUse{Name: name, Class: events.ToolReads} }

const (
	notification = "<task-notification>\n<task-id>b7k2m9xq1</task-id>\n<status>completed</status>\n" +
		"<summary>Background command \"Run the server\" completed (exit code 0)</summary>\n</task-notification>"
	oldGreet = "package greet\n\nfunc Greet(name string) string {\n\treturn \"hello\"\n}\n"
	newGreet = "package greet\n\nfunc Greet(name string) string {\n\treturn \"hello, \" + name\n}\n"
)

// expected is the boundary of every fixture; nil stands for none.
func expected() map[string]*events.Boundary {
	all := map[string]*events.Boundary{
		"SessionStart-startup":         source(events.SessionStart, "startup"),
		"SessionStart-clear":           source(events.SessionStart, "clear"),
		"SessionStart-resume":          source(events.SessionStart, "resume"),
		"SessionStart-fork":            source(events.SessionStart, "fork"),
		"SessionStart-compact":         source(events.SessionStart, "compact"),
		"UserPromptSubmit":             prompt("user", "Make the greeting friendlier."),
		"UserPromptSubmit-task":        prompt("task", notification),
		"Stop":                         boundary(events.TurnEnd, running(subagent, "b7k2m9xq1")),
		"Stop-idle":                    boundary(events.TurnEnd, running()),
		"StopFailure":                  boundary(events.TurnEnd),
		"SubagentStart":                boundary(events.SubagentStart, inSubagent),
		"SubagentStop":                 boundary(events.SubagentEnd, inSubagent, running("b7k2m9xq1")),
		"PreCompact":                   source(events.Compaction, "manual"),
		"PostCompact":                  source(events.Compaction, "auto"),
		"CwdChanged":                   boundary(events.CwdChanged, in(project+"/docs")),
		"SessionEnd-other":             source(events.SessionEnd, "other"),
		"SessionEnd-clear":             source(events.SessionEnd, "clear"),
		"SessionEnd-prompt_input_exit": source(events.SessionEnd, "prompt_input_exit"),
		"PostToolBatch":                nil,
		"InstructionsLoaded":           nil,
		"Notification":                 nil,
	}
	all["PostToolBatch-Edit"] = boundary(events.ToolsEnd)
	all["PostToolBatch-Edit"].Tool = &events.ToolUse{Class: events.ToolEdits, Paths: []string{project + "/greet.go"}}
	all["PermissionRequest-Edit"] = boundary(events.ConsentAsked)
	all["PermissionRequest-Edit"].Prompt = &events.Prompt{ID: promptID}
	all["PermissionRequest-Edit"].Limits = []events.Limit{events.LimitIDMissing, events.LimitModelUnknown}
	all["PermissionRequest-Edit"].Tool = &events.ToolUse{Name: "Edit", Class: events.ToolEdits, Paths: []string{project + "/greet.go"}, Edits: []events.DeclaredEdit{
		{Path: project + "/greet.go", Old: `return "hello"`, New: `return "hello, " + name`},
	}}
	all["SessionStart-compact"].Model = "claude-sonnet-4-5"
	maps.Copy(all, expectedEdits())
	maps.Copy(all, expectedOthers())
	return all
}

func expectedEdits() map[string]*events.Boundary {
	const before, after = events.ToolBefore, events.ToolAfter
	greet := events.DeclaredEdit{Path: project + "/greet.go", Old: `return "hello"`, New: `return "hello, " + name`}
	exact := greet
	exact.Exact = true
	file := events.DeclaredEdit{Path: project + "/new.txt", New: "first\nsecond\n"}
	list := []events.DeclaredEdit{
		{Path: project + "/list.txt", Old: "one", New: "1"},
		{Path: project + "/list.txt", Old: "two\n"},
	}
	listDone := slices.Clone(list)
	listDone[0].Before, listDone[1].After = text("one\ntwo\none more\n"), text("1\n1 more\n")
	notes := events.DeclaredEdit{Path: project + "/notes.md", New: "# Notes\n"}
	book := events.DeclaredEdit{Path: project + "/n.ipynb", New: "x = 2\n"}
	bookDone := whole(book, `{"cells":[]}`, "{\n \"cells\": []\n}")
	bookDone.Old = "x = 1"
	tree := project + "/.claude/worktrees/agent-" + subagent
	inTree := whole(events.DeclaredEdit{Path: tree + "/w.txt", New: "W\n"}, "", "W\n")
	return map[string]*events.Boundary{
		"PreToolUse-Edit":                        tool(before, edits("Edit", greet)),
		"PreToolUse-Edit-camel-case":             tool(before, edits("Edit", greet), withoutPrompt),
		"PreToolUse-Edit-1.0":                    tool(before, edits("Edit", greet), withoutPrompt, withoutCall),
		"PreToolUse-Edit-in-subagent":            tool(before, edits("Edit", greet), inSubagent),
		"PostToolUse-Edit":                       tool(after, edits("Edit", whole(greet, oldGreet, newGreet))),
		"PostToolUse-Edit-in-subagent":           tool(after, edits("Edit", whole(greet, oldGreet, newGreet)), inSubagent),
		"PostToolUse-Edit-long-file":             tool(after, edits("Edit", exact)),
		"PostToolUse-Edit-new-file":              tool(after, edits("Edit", whole(notes, "", "# Notes\n"))),
		"PreToolUse-MultiEdit":                   tool(before, edits("MultiEdit", list...)),
		"PostToolUse-MultiEdit":                  tool(after, edits("MultiEdit", listDone...)),
		"PreToolUse-Write":                       tool(before, edits("Write", file)),
		"PostToolUse-Write":                      tool(after, edits("Write", whole(file, "", "first\nsecond\n"))),
		"PostToolUse-Write-update":               tool(after, edits("Write", whole(file, "old\n", "first\nsecond\n"))),
		"PostToolUse-Write-in-subagent-worktree": tool(after, edits("Write", inTree), inSubagent, in(tree)),
		"PreToolUse-NotebookEdit":                tool(before, edits("NotebookEdit", book)),
		"PostToolUse-NotebookEdit":               tool(after, edits("NotebookEdit", bookDone)),
	}
}

func expectedOthers() map[string]*events.Boundary {
	const before, after = events.ToolBefore, events.ToolAfter
	shell := command(project+"/docs", "/tmp/sed.log", project+"/docs/s/gray/grey")
	server := command(project + "/server")
	server.Background = true
	serverDone := server
	serverDone.TaskID, serverDone.Lasted = "b7k2m9xq1", 9
	shellDone, commandDone := shell, command()
	shellDone.Lasted, commandDone.Lasted = 9, 9
	files := events.ToolUse{Name: "mcp__files__write_file", Class: events.ToolUnknown, Hints: []string{project + "/docs/out.md"}}
	return map[string]*events.Boundary{
		"PreToolUse-Bash":              tool(before, shell),
		"PostToolUse-Bash":             tool(after, shellDone),
		"PostToolUse-Bash-in-subagent": tool(after, commandDone, inSubagent),
		"PreToolUse-Bash-background":   tool(before, server),
		"PostToolUse-Bash-background":  tool(after, serverDone),
		"PostToolUseFailure-Bash":      tool(events.ToolFailed, commandDone),
		"PreToolUse-Read":              tool(before, reader("Read"), withoutLimits),
		"PostToolUse-Read":             tool(after, reader("Read"), withoutLimits),
		"PreToolUse-Agent":             tool(before, reader("Agent"), withoutLimits),
		"PostToolUse-Agent":            tool(after, reader("Agent"), withoutLimits),
		"PreToolUse-mcp":               tool(before, files),
		"PostToolUse-mcp":              tool(after, files),
	}
}
