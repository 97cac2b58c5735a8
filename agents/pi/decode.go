package pi

import (
	"fmt"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/events"
)

// kinds are Pi's events that the extension reports.
var kinds = payload.Events{
	{Name: "session_start", Kind: events.SessionStart},
	{Name: "before_agent_start", Kind: events.PromptSubmit},
	{Name: "tool_call", Kind: events.ToolBefore},
	{Name: "tool_result", Kind: events.ToolAfter},
	{Name: "tool_execution_end", Kind: events.ToolFailed},
	{Name: "agent_end", Kind: events.TurnEnd},
	{Name: "session_shutdown", Kind: events.SessionEnd},
}

// Events lists the events that carry a boundary.
func (c *Client) Events() []string { return kinds.Names() }

// wire is what the extension sends.
type wire struct {
	Session string `json:"session_id"`
	File    string `json:"session_file"`
	Cwd     string `json:"cwd"`
	Model   string `json:"model"`
	Reason  string `json:"reason"`
	Prompt  string `json:"prompt"`
	Tool    string `json:"tool_name"`
	CallID  string `json:"tool_call_id"`
	IsError bool   `json:"is_error"`
	Input   input  `json:"input"`
	PID     int    `json:"pid"` // of the client
}

// input is a tool's input with the fields of all tools that write.
type input struct {
	Path    string `json:"path"`
	Content string `json:"content"`
	Command string `json:"command"`
	replacement
	Edits []replacement `json:"edits"`
}

// replacement is one old text and its new one; older versions have a single one beside the path.
type replacement struct {
	Old string `json:"oldText"`
	New string `json:"newText"`
}

// Decode reads what the extension sent.
func (c *Client) Decode(event string, data []byte) ([]events.Boundary, error) {
	kind := kinds.Kind(event)
	if kind == "" {
		return nil, nil
	}
	w := new(wire)
	err := payload.Object(data, w)
	if err == nil {
		err = payload.Ids(w.Session, "")
	}
	if err != nil {
		return nil, fmt.Errorf("decode %s: %w", event, err)
	}
	b := events.Boundary{
		Kind: kind, Agent: Name, Session: w.Session, Model: payload.Name(w.Model), Time: c.env.Time(),
		Cwd: payload.AbsPath(w.Cwd), Transcript: payload.AbsPath(w.File),
		Process: payload.Process(w.PID),
	}
	switch kind {
	case events.SessionStart, events.SessionEnd:
		b.Source = payload.Name(w.Reason)
	case events.PromptSubmit:
		b.Source, b.Prompt = events.SourceUser, &events.Prompt{Text: w.Prompt}
	case events.ToolAfter:
		if w.IsError {
			b.Kind = events.ToolFailed
		}
		c.fillTool(&b, w)
	case events.ToolBefore, events.ToolFailed:
		c.fillTool(&b, w)
	case events.ToolsEnd, events.TurnEnd, events.SubagentStart, events.SubagentEnd, events.Compaction, events.CwdChanged,
		events.ConsentAsked:
	}
	return []events.Boundary{b}, nil
}

func (c *Client) fillTool(b *events.Boundary, w *wire) {
	tool := &events.ToolUse{Name: payload.Name(w.Tool), Class: classOf(w.Tool)}
	b.Tool = tool
	if payload.CallID(w.CallID) {
		tool.CallID = w.CallID
	} else {
		b.Limits = append(b.Limits, events.LimitIDMissing)
	}
	if b.Model == "" {
		b.Limits = append(b.Limits, events.LimitModelUnknown)
	}
	switch tool.Class {
	case events.ToolEdits:
		path := payload.Path(w.Input.Path, b.Cwd, c.env.Home)
		if path == "" { // nothing says where it writes
			tool.Class = events.ToolUnknown
			return
		}
		tool.Paths, tool.Edits = []string{path}, declare(w.Tool, path, &w.Input)
	case events.ToolRuns:
		payload.Command(tool, w.Input.Command, b.Cwd, c.env.Home)
	case events.ToolUnknown:
		if path := payload.Path(w.Input.Path, b.Cwd, c.env.Home); path != "" {
			tool.Hints = []string{path}
		}
	case events.ToolReads:
	}
}

func declare(tool, path string, in *input) []events.DeclaredEdit {
	if tool == "write" {
		return []events.DeclaredEdit{{Path: path, New: in.Content}}
	}
	steps := in.Edits
	if in.Old != "" || in.New != "" {
		steps = append([]replacement{in.replacement}, steps...)
	}
	edits := make([]events.DeclaredEdit, len(steps))
	for i, step := range steps {
		edits[i] = events.DeclaredEdit{Path: path, Old: step.Old, New: step.New}
	}
	return edits
}

// classOf says what a tool can do to a work tree. Tools of extensions may write anywhere.
func classOf(tool string) events.ToolClass {
	switch tool {
	case "edit", "write":
		return events.ToolEdits
	case "bash", "powershell":
		return events.ToolRuns
	case "read", "grep", "find", "ls":
		return events.ToolReads
	}
	return events.ToolUnknown
}

// Settle knows nothing more: the extension reports the end of every call that Pi itself lives to see.
func (c *Client) Settle(capability.Call) capability.End { return capability.End{} }
