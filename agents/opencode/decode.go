package opencode

import (
	"fmt"
	"strconv"

	"github.com/git-trace/git-trace/agents/applypatch"
	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/events"
)

// eventNames are what the plugin reports, named as OpenCode does; tool.failed is taken from message.part.updated.
var eventNames = []string{
	"session.created", "chat.message", "tool.execute.before", "permission.asked", "tool.execute.after", "tool.failed", "session.idle",
}

// Events lists the events that carry a boundary.
func (c *Client) Events() []string { return eventNames }

// kindOf depends on whether a session is a sub-agent's: OpenCode tells of both in the same way.
func kindOf(event string, subagent bool) events.BoundaryKind {
	switch event {
	case "session.created":
		if subagent {
			return events.SubagentStart
		}
		return events.SessionStart
	case "chat.message":
		return events.PromptSubmit
	case "tool.execute.before":
		return events.ToolBefore
	case "permission.asked":
		return events.ConsentAsked
	case "tool.execute.after":
		return events.ToolAfter
	case "tool.failed":
		return events.ToolFailed
	case "session.idle":
		if subagent {
			return events.SubagentEnd
		}
		return events.TurnEnd
	}
	return ""
}

// wire is what the plugin sends.
type wire struct {
	Session  string  `json:"session_id"`
	Subagent string  `json:"subagent_id"`
	Cwd      string  `json:"cwd"`
	Model    string  `json:"model"`
	Prompt   string  `json:"prompt"`
	PromptID string  `json:"prompt_id"`
	Tool     string  `json:"tool_name"`
	CallID   string  `json:"call_id"`
	Input    input   `json:"input"`
	Lasted   float64 `json:"duration_ms"` // since consent was given
	Rejected bool    `json:"rejected"`    // by the person
	PID      int     `json:"pid"`         // of the client
}

// input is a tool's input with the fields of all tools that write.
type input struct {
	Path    string `json:"filePath"`
	Content string `json:"content"`
	Old     string `json:"oldString"`
	New     string `json:"newString"`
	Patch   string `json:"patchText"`
	Command string `json:"command"`
	Dir     string `json:"workdir"`
}

// Decode reads what the plugin sent.
func (c *Client) Decode(event string, data []byte) ([]events.Boundary, error) {
	if kindOf(event, false) == "" {
		return nil, nil
	}
	w := new(wire)
	err := payload.Object(data, w)
	if err == nil {
		err = payload.Ids(w.Session, w.Subagent)
	}
	if err != nil {
		return nil, fmt.Errorf("decode %s: %w", event, err)
	}
	b := events.Boundary{
		Kind: kindOf(event, w.Subagent != ""), Agent: Name, Session: w.Session, Subagent: w.Subagent,
		Model: payload.Name(w.Model), Time: c.env.Time(), Cwd: payload.AbsPath(w.Cwd),
		Process: payload.Process(w.PID),
	}
	if b.Process != 0 {
		b.Mark = "OPENCODE_PID=" + strconv.Itoa(b.Process)
	}
	switch b.Kind {
	case events.SessionStart:
		b.Source = "startup"
	case events.PromptSubmit:
		b.Source, b.Prompt = events.SourceUser, &events.Prompt{ID: payload.Name(w.PromptID), Text: w.Prompt}
	case events.ToolBefore, events.ToolAfter, events.ToolFailed, events.ConsentAsked:
		c.fillTool(&b, w)
	case events.ToolsEnd, events.TurnEnd, events.SessionEnd, events.SubagentStart, events.SubagentEnd, events.Compaction, events.CwdChanged:
	}
	return []events.Boundary{b}, nil
}

func (c *Client) fillTool(b *events.Boundary, w *wire) {
	tool := &events.ToolUse{Name: payload.Name(w.Tool), Class: classOf(w.Tool)}
	tool.Rejected = w.Rejected
	b.Tool = tool
	if payload.CallID(w.CallID) {
		tool.CallID = w.CallID
	} else {
		b.Limits = append(b.Limits, events.LimitIDMissing)
	}
	if b.Model == "" {
		b.Limits = append(b.Limits, events.LimitModelUnknown)
	}
	path := payload.Path(w.Input.Path, b.Cwd, c.env.Home)
	switch tool.Class {
	case events.ToolEdits:
		switch {
		case w.Input.Patch != "":
			tool.Paths, tool.Edits = applypatch.Declare(w.Input.Patch, b.Cwd, c.env.Home)
		case path != "":
			tool.Paths = []string{path}
			tool.Edits = []events.DeclaredEdit{{Path: path, Old: w.Input.Old, New: w.Input.New + w.Input.Content}}
		}
		if len(tool.Paths) == 0 { // nothing says where it writes
			tool.Class = events.ToolUnknown
		}
	case events.ToolRuns:
		dir := payload.Path(w.Input.Dir, b.Cwd, c.env.Home)
		if dir == "" {
			dir = b.Cwd
		}
		tool.Lasted = payload.Milliseconds(w.Lasted)
		payload.Command(tool, w.Input.Command, dir, c.env.Home)
	case events.ToolUnknown:
		if path != "" {
			tool.Hints = []string{path}
		}
	case events.ToolReads:
	}
}

// classOf says what a tool can do to a work tree. Tools of MCP servers and plugins may write anywhere. The tool for sub-agents
// is a reader on purpose: what a sub-agent writes is reported by its own calls.
func classOf(tool string) events.ToolClass {
	switch tool {
	case "edit", "write", "multiedit", "patch", "apply_patch":
		return events.ToolEdits
	case "bash":
		return events.ToolRuns
	case "read", "grep", "glob", "list", "ls", "codesearch", "webfetch", "websearch", "todowrite", "todoread", "task", "skill",
		"question", "plan_enter", "plan_exit", "lsp":
		return events.ToolReads
	}
	return events.ToolUnknown
}

// Settle knows nothing more: the plugin reports the end of every call that OpenCode itself lives to see.
func (c *Client) Settle(capability.Call) capability.End { return capability.End{} }
