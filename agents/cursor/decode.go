package cursor

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/events"
)

// kinds are the hook events that carry a boundary, in the order in which they happen.
var kinds = payload.Events{
	{Name: "sessionStart", Kind: events.SessionStart},
	{Name: "beforeSubmitPrompt", Kind: events.PromptSubmit},
	{Name: "preToolUse", Kind: events.ToolBefore},
	{Name: "postToolUse", Kind: events.ToolAfter},
	{Name: "postToolUseFailure", Kind: events.ToolFailed},
	{Name: "subagentStart", Kind: events.SubagentStart},
	{Name: "subagentStop", Kind: events.SubagentEnd},
	{Name: "stop", Kind: events.TurnEnd},
	{Name: "sessionEnd", Kind: events.SessionEnd},
}

// Events lists the hook events that carry a boundary.
func (c *Client) Events() []string { return kinds.Names() }

// wire is a hook payload with the fields of all events.
type wire struct {
	Conversation string          `json:"conversation_id"`
	Session      string          `json:"session_id"`
	Generation   string          `json:"generation_id"`
	Model        string          `json:"model"`
	Transcript   string          `json:"transcript_path"`
	Roots        []string        `json:"workspace_roots"`
	Cwd          string          `json:"cwd"`
	Source       string          `json:"source"`
	Reason       string          `json:"reason"`
	Prompt       string          `json:"prompt"`
	Subagent     string          `json:"subagent_id"`
	SubagentType string          `json:"subagent_type"`
	Parent       string          `json:"parent_conversation_id"`
	Tool         string          `json:"tool_name"`
	CallID       string          `json:"tool_use_id"`
	Input        json.RawMessage `json:"tool_input"`
}

// input is tool_input with the fields of all tools that write. Some versions give it as JSON text.
type input struct {
	Path     string `json:"file_path"`
	Target   string `json:"path"`
	Content  string `json:"content"`
	Contents string `json:"contents"`
	Old      string `json:"old_string"`
	New      string `json:"new_string"`
	Command  string `json:"command"`
	Dir      string `json:"working_directory"`
}

// Decode reads the payload of one hook call. It gives no boundary and no error for an event without one.
func (c *Client) Decode(event string, data []byte) ([]events.Boundary, error) {
	kind := kinds.Kind(event)
	if kind == "" {
		return nil, nil
	}
	w := new(wire)
	err := payload.Object(data, w)
	session := either(w.Conversation, w.Session)
	if w.Parent != "" && w.Parent != session { // a sub-agent's conversation is one of its own
		w.Subagent, session = either(w.Subagent, session), w.Parent
	}
	if err == nil {
		err = payload.Ids(session, w.Subagent)
	}
	if err != nil {
		return nil, fmt.Errorf("decode %s: %w", event, err)
	}
	b := events.Boundary{
		Kind: kind, Agent: Name, Session: session, Subagent: w.Subagent, SubagentType: payload.Name(w.SubagentType),
		Model: payload.Name(w.Model), Time: c.env.Time(), Transcript: payload.AbsPath(native(w.Transcript)),
	}
	if b.Cwd = payload.AbsPath(native(w.Cwd)); b.Cwd == "" && len(w.Roots) > 0 {
		b.Cwd = payload.AbsPath(native(w.Roots[0]))
	}
	switch kind {
	case events.SessionStart:
		b.Source = payload.Name(w.Source)
	case events.SessionEnd:
		b.Source = payload.Name(w.Reason)
	case events.PromptSubmit:
		b.Source, b.Prompt = events.SourceUser, &events.Prompt{ID: payload.Name(w.Generation), Text: w.Prompt}
	case events.ToolBefore, events.ToolAfter, events.ToolFailed:
		c.fillTool(&b, w)
	case events.ToolsEnd, events.TurnEnd, events.SubagentStart, events.SubagentEnd, events.Compaction, events.CwdChanged,
		events.ConsentAsked:
	}
	return []events.Boundary{b}, nil
}

func (c *Client) fillTool(b *events.Boundary, w *wire) {
	raw := w.Input
	var text string
	if json.Unmarshal(raw, &text) == nil {
		raw = json.RawMessage(text)
	}
	var in input
	_ = json.Unmarshal(raw, &in) // a field of another type is an absent one
	tool := &events.ToolUse{Name: payload.Name(w.Tool), Class: classOf(w.Tool)}
	b.Tool = tool
	if id := payload.Name(w.Generation); id != "" && b.Subagent == "" {
		b.Prompt = &events.Prompt{ID: id}
	}
	if payload.CallID(w.CallID) {
		tool.CallID = w.CallID
	} else {
		tool.Fingerprint = payload.Fingerprint(w.Tool, raw)
		b.Limits = append(b.Limits, events.LimitIDMissing)
	}
	if b.Model == "" && tool.Class != events.ToolReads {
		b.Limits = append(b.Limits, events.LimitModelUnknown)
	}
	path := payload.Path(native(either(in.Path, in.Target)), b.Cwd, c.env.Home)
	switch tool.Class {
	case events.ToolEdits:
		if path == "" { // nothing says where it writes
			tool.Class = events.ToolUnknown
			break
		}
		tool.Paths = []string{path}
		tool.Edits = []events.DeclaredEdit{{Path: path, Old: in.Old, New: in.New + in.Content + in.Contents}}
	case events.ToolRuns:
		dir := payload.Path(native(in.Dir), b.Cwd, c.env.Home)
		payload.Command(tool, in.Command, either(dir, b.Cwd), c.env.Home)
	case events.ToolUnknown:
		if path != "" {
			tool.Hints = []string{path}
		}
	case events.ToolReads:
	}
}

// classOf says what a tool can do to a work tree. Tools of MCP servers and tools that this list does not know may write
// anywhere. Task is a reader on purpose: what a sub-agent writes is reported by its own calls.
func classOf(tool string) events.ToolClass {
	switch tool {
	case "Write", "Edit", "StrReplace", "EditNotebook", "Delete":
		return events.ToolEdits
	case "Shell":
		return events.ToolRuns
	case "Read", "Grep", "Glob", "LS", "SemanticSearch", "WebSearch", "WebFetch", "Task", "TodoWrite", "ReadLints", "AskQuestion":
		return events.ToolReads
	}
	return events.ToolUnknown
}

// native is a path as this system writes it.
func native(path string) string {
	if runtime.GOOS == "windows" && strings.HasPrefix(path, "/") && len(path) > 2 && path[2] == ':' {
		return path[1:]
	}
	return path
}

func either(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// Settle knows nothing more than the hooks told: the session file has no results of calls.
func (c *Client) Settle(capability.Call) capability.End { return capability.End{} }
