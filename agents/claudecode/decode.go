package claudecode

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/events"
)

// Errors of payloads that callers branch on.
var (
	ErrSession  = errors.New("session id is not usable")
	ErrSubagent = errors.New("subagent id is not usable")
)

// Events lists the hook events that carry a boundary.
func (c *Client) Events() []string {
	return []string{
		"SessionStart", "UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "Stop", "StopFailure",
		"SubagentStart", "SubagentStop", "PreCompact", "PostCompact", "CwdChanged", "SessionEnd",
	}
}

func kindOf(event string) events.BoundaryKind {
	switch event {
	case "SessionStart":
		return events.SessionStart
	case "UserPromptSubmit":
		return events.PromptSubmit
	case "PermissionRequest":
		return events.ConsentAsked
	case "PreToolUse":
		return events.ToolBefore
	case "PostToolUse":
		return events.ToolAfter
	case "PostToolUseFailure":
		return events.ToolFailed
	case "PostToolBatch":
		return events.ToolsEnd
	case "Stop", "StopFailure":
		return events.TurnEnd
	case "SubagentStart":
		return events.SubagentStart
	case "SubagentStop":
		return events.SubagentEnd
	case "PreCompact", "PostCompact":
		return events.Compaction
	case "CwdChanged":
		return events.CwdChanged
	case "SessionEnd":
		return events.SessionEnd
	}
	return ""
}

// Decode reads the payload of one hook call. It gives no boundary and no error for an event without one, and for a call
// that another client made because it reads Claude's settings as well.
func (c *Client) Decode(event string, data []byte) ([]events.Boundary, error) {
	kind := kindOf(event)
	if kind == "" {
		return nil, nil
	}
	w, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("decode %s: %w", event, err)
	}
	if !payload.SessionID(w.Session) {
		return nil, fmt.Errorf("decode %s: %w", event, ErrSession)
	}
	if w.Agent != "" && !payload.SessionID(w.Agent) {
		return nil, fmt.Errorf("decode %s: %w", event, ErrSubagent)
	}
	if c.otherClient(w.Session) {
		return nil, nil
	}
	pid, _ := strconv.Atoi(c.env.Lookup("CLAUDE_PID"))
	b := events.Boundary{
		Kind: kind, Agent: Name, Session: w.Session, Subagent: w.Agent, SubagentType: payload.Name(w.AgentType),
		Model: string(w.Model), Time: c.env.Time(), Cwd: payload.AbsPath(w.Cwd), Transcript: payload.AbsPath(w.Transcript),
		Process: payload.Process(pid),
	}
	c.fill(&b, w)
	if kind == events.ToolsEnd && b.Tool == nil {
		return nil, nil // nothing was edited
	}
	return []events.Boundary{b}, nil
}

// fill adds what the kind of boundary has beyond the common fields.
func (c *Client) fill(b *events.Boundary, w *wire) {
	switch b.Kind {
	case events.SessionStart:
		b.Source = payload.Name(w.Source)
	case events.SessionEnd:
		b.Source = payload.Name(w.Reason)
	case events.Compaction:
		b.Source = payload.Name(w.Trigger)
	case events.CwdChanged:
		b.Cwd = either(payload.AbsPath(w.NewCwd), b.Cwd)
	case events.PromptSubmit:
		b.Source = events.SourceUser
		if strings.HasPrefix(strings.TrimSpace(w.Prompt), "<task-notification>") {
			b.Source = events.SourceTask
		}
		b.Prompt = &events.Prompt{ID: payload.Name(w.PromptID), Text: w.Prompt}
	case events.TurnEnd, events.SubagentEnd:
		b.Running = running(w)
	case events.ToolBefore, events.ToolAfter, events.ToolFailed, events.ConsentAsked:
		c.fillTool(b, w)
	case events.ToolsEnd:
		c.fillBatch(b, w)
	case events.SubagentStart:
	}
}

// running lists the tasks that go on, whether shells or subagents. A subagent that ends is still listed as running in the
// payload that says so. nil stands for a client that does not tell.
func running(w *wire) []string {
	if w.Background == nil {
		return nil
	}
	ids := []string{}
	for _, task := range w.Background {
		if task.Status == "running" && task.ID != w.Agent && payload.CallID(task.ID) {
			ids = append(ids, task.ID)
		}
	}
	return ids
}

// fillBatch names the files that the calls of an answer edited.
func (c *Client) fillBatch(b *events.Boundary, w *wire) {
	for i := range w.Calls {
		call := &w.Calls[i]
		if classOf(call.Tool) != events.ToolEdits {
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
	tool := &events.ToolUse{Name: payload.Name(w.Tool), Class: classOf(w.Tool)}
	b.Tool = tool
	if id := payload.Name(w.PromptID); id != "" {
		b.Prompt = &events.Prompt{ID: id}
	}
	if payload.CallID(w.ToolUse) {
		tool.CallID = w.ToolUse
	} else {
		b.Limits = append(b.Limits, events.LimitIDMissing)
	}
	switch tool.Class {
	case events.ToolReads:
		return
	case events.ToolEdits:
		path := payload.Path(either(in.path(), out.FilePath), b.Cwd, c.env.Home)
		if path == "" { // nothing says where it writes
			tool.Class = events.ToolUnknown
			break
		}
		tool.Paths = []string{path}
		tool.Edits = declare(b.Kind, w.Tool, path, in, out)
	case events.ToolRuns:
		tool.Lasted = payload.Milliseconds(w.Lasted)
		payload.Command(tool, in.Command, b.Cwd, c.env.Home)
		tool.Background = in.InBackground || out.TaskID != ""
		if payload.CallID(out.TaskID) {
			tool.TaskID = out.TaskID
		}
	case events.ToolUnknown:
		if path := payload.Path(either(in.path(), in.Path), b.Cwd, c.env.Home); path != "" {
			tool.Hints = []string{path}
		}
	}
	if b.Model == "" {
		b.Model = lastModel(b.Transcript, b.Subagent)
	}
	if b.Model == "" {
		b.Limits = append(b.Limits, events.LimitModelUnknown)
	}
}
