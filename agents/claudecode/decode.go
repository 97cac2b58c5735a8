package claudecode

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/events"
)

// kinds lists the hook events that are boundaries, in the order in which they occur.
var kinds = payload.Events{
	{Name: "SessionStart", Kind: events.SessionStart},
	{Name: "UserPromptSubmit", Kind: events.PromptSubmit},
	{Name: "PreToolUse", Kind: events.ToolBefore},
	{Name: "PermissionRequest", Kind: events.ConsentAsked},
	{Name: "PostToolUse", Kind: events.ToolAfter},
	{Name: "PostToolUseFailure", Kind: events.ToolFailed},
	{Name: "PostToolBatch", Kind: events.ToolsEnd},
	{Name: "Stop", Kind: events.TurnEnd},
	{Name: "StopFailure", Kind: events.TurnEnd},
	{Name: "SubagentStart", Kind: events.SubagentStart},
	{Name: "SubagentStop", Kind: events.SubagentEnd},
	{Name: "PreCompact", Kind: events.Compaction},
	{Name: "PostCompact", Kind: events.Compaction},
	{Name: "CwdChanged", Kind: events.CwdChanged},
	{Name: "SessionEnd", Kind: events.SessionEnd},
}

// Events returns the hook events that are boundaries.
func (c *Client) Events() []string { return kinds.Names() }

// Decode decodes the payload of one hook call. For an event that is not a boundary, it returns no boundary and no
// error. The same holds for a call by another client that also reads Claude's settings.
func (c *Client) Decode(event string, data []byte) ([]events.Boundary, error) {
	in := payload.Decoder[wire]{Env: c.env, Agent: Name, Kinds: kinds, Fields: c.fields, Fill: c.fill}
	out, err := in.Decode(event, snaked(data))
	for i := range out {
		out[i].Agent = c.clientOf(out[i].Session, out[i].Transcript, data)
		if out[i].Agent == editorName && c.editorHooks(out[i].Cwd) {
			return nil, nil
		}
	}
	return out, err
}

func (c *Client) fields(w *wire) payload.Fields {
	f := w.Fields
	f.Model = string(w.Model)
	f.PID, _ = strconv.Atoi(c.env.Lookup("CLAUDE_PID"))
	return f
}

// fill adds the fields for the kind of boundary.
func (c *Client) fill(b *events.Boundary, w *wire) bool {
	if c.otherClient(w.Session) {
		return false
	}
	switch b.Kind {
	case events.CwdChanged:
		b.Cwd = cmp.Or(payload.AbsPath(w.NewCwd), b.Cwd)
	case events.PromptSubmit:
		if strings.HasPrefix(strings.TrimSpace(w.Prompt), "<task-notification>") {
			b.Source = events.SourceTask
		}
	case events.TurnEnd, events.SubagentEnd:
		b.Running = running(w)
	case events.ToolBefore, events.ToolAfter, events.ToolFailed, events.ConsentAsked:
		c.fillTool(b, w)
	case events.ToolsEnd:
		c.fillBatch(b, w)
		return b.Tool != nil // otherwise nothing was edited
	}
	return true
}

// running returns the ids of the tasks that still run, both shells and subagents. When a subagent ends, the payload
// still lists it as running. The result is nil if the client does not list tasks.
func running(w *wire) []string {
	if w.Background == nil {
		return nil
	}
	ids := []string{}
	for _, task := range w.Background {
		if task.Status == "running" && task.ID != w.Subagent && payload.CallID(task.ID) {
			ids = append(ids, task.ID)
		}
	}
	return ids
}

// fillBatch adds the files that the calls of an answer edited.
func (c *Client) fillBatch(b *events.Boundary, w *wire) {
	for i := range w.Calls {
		call := &w.Calls[i]
		if tools.Class(call.Tool) != events.ToolEdits {
			continue
		}
		if path := payload.Path(call.Input.path(), b.Cwd, c.env.Home); path != "" {
			if b.Tool == nil {
				b.Tool = &events.ToolUse{Class: events.ToolEdits}
			}
			b.Tool.Paths = append(b.Tool.Paths, path)
		}
	}
}

func (c *Client) fillTool(b *events.Boundary, w *wire) {
	in, out := &w.Input, &w.Response
	call := payload.Call{ID: w.ToolUse, Name: w.Tool, Class: tools.Class(w.Tool), Command: in.Command}
	switch call.Class {
	case events.ToolEdits:
		call.Path = cmp.Or(in.path(), out.FilePath)
		call.Edits = declare(b.Kind, w.Tool, payload.Path(call.Path, b.Cwd, c.env.Home), in, out)
	case events.ToolUnknown:
		call.Path = cmp.Or(in.path(), in.Path)
		if call.Path == "" && call.Command != "" {
			call.Class = events.ToolRuns
		}
	}
	tool := call.Describe(b, c.env.Home)
	if id := payload.Name(w.PromptID); id != "" { // in a subagent: the id of the main conversation's prompt
		b.Prompt = &events.Prompt{ID: id}
	}
	if tool.Class == events.ToolReads {
		return
	}
	if tool.Class == events.ToolRuns {
		tool.Lasted = payload.Milliseconds(w.Lasted)
		tool.Background = in.InBackground || out.TaskID != ""
		if payload.CallID(out.TaskID) {
			tool.TaskID = out.TaskID
		}
	}
	if b.Model == "" {
		b.Model = lastModel(b.Transcript, b.Subagent)
	}
	payload.NeedModel(b)
}
