package generic

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/events"
)

// kinds are the events by their names.
var kinds = payload.Events{
	{Name: "session-start", Kind: events.SessionStart},
	{Name: "prompt", Kind: events.PromptSubmit},
	{Name: "tool-before", Kind: events.ToolBefore},
	{Name: "tool-after", Kind: events.ToolAfter},
	{Name: "tool-failed", Kind: events.ToolFailed},
	{Name: "subagent-start", Kind: events.SubagentStart},
	{Name: "subagent-end", Kind: events.SubagentEnd},
	{Name: "turn-end", Kind: events.TurnEnd},
	{Name: "session-end", Kind: events.SessionEnd},
}

// Events lists the events, in the order in which they happen.
func (c *Client) Events() []string { return kinds.Names() }

// wire is the payload. Its fields are documented in docs/schema/hook-1.schema.json.
type wire struct {
	Agent    string `json:"agent"`
	Session  string `json:"session"`
	Subagent struct {
		ID   string `json:"id"`
		Type string `json:"type"`
	} `json:"subagent"`
	Model      string `json:"model"`
	Cwd        string `json:"cwd"`
	Transcript string `json:"transcript"`
	Source     string `json:"source"`
	Prompt     *struct {
		ID   string `json:"id"`
		Text string `json:"text"`
	} `json:"prompt"`
	Tool    json.RawMessage `json:"tool"`
	Running []string        `json:"running"`
}

// tool is the part of the payload that describes a tool call.
type tool struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	Does    string   `json:"does"` // reads, edits, runs
	Paths   []string `json:"paths"`
	Command string   `json:"command"`
	Edits   []struct {
		Path   string  `json:"path"`
		Old    string  `json:"old"`
		New    string  `json:"new"`
		Before *string `json:"before"`
		After  *string `json:"after"`
	} `json:"edits"`
	Background bool   `json:"background"`
	Task       string `json:"task"`
}

// Decode reads a payload. It gives no boundary and no error for an event that is not in the list.
func (c *Client) Decode(event string, data []byte) ([]events.Boundary, error) {
	kind := kinds.Kind(event)
	if kind == "" {
		return nil, nil
	}
	w := new(wire)
	err := payload.Object(data, w)
	if err == nil {
		err = payload.Ids(w.Session, w.Subagent.ID)
	}
	if err != nil {
		return nil, fmt.Errorf("decode %s: %w", event, err)
	}
	b := events.Boundary{
		Kind: kind, Agent: Name, Session: w.Session, Subagent: w.Subagent.ID, SubagentType: payload.Name(w.Subagent.Type),
		Model: payload.Name(w.Model), Time: c.env.Time(), Cwd: payload.AbsPath(w.Cwd), Transcript: payload.AbsPath(w.Transcript),
	}
	if payload.SessionID(w.Agent) {
		b.Agent = w.Agent
	}
	if w.Prompt != nil {
		b.Prompt = &events.Prompt{ID: payload.Name(w.Prompt.ID)}
	}
	switch b.Kind {
	case events.SessionStart, events.SessionEnd:
		b.Source = payload.Name(w.Source)
	case events.PromptSubmit:
		b.Source = events.SourceUser
		if w.Source == events.SourceTask {
			b.Source = events.SourceTask
		}
		if w.Prompt != nil {
			b.Prompt.Text = w.Prompt.Text
		}
	case events.TurnEnd, events.SubagentEnd:
		b.Running = w.Running
	case events.ToolBefore, events.ToolAfter, events.ToolFailed:
		c.fillTool(&b, w)
	case events.SubagentStart, events.Compaction, events.CwdChanged, events.ConsentAsked:
	}
	return []events.Boundary{b}, nil
}

func (c *Client) fillTool(b *events.Boundary, w *wire) {
	var t tool
	_ = json.Unmarshal(w.Tool, &t) // a field of another type is an absent one
	use := &events.ToolUse{Name: payload.Name(t.Name), Class: classOf(t.Does), Background: t.Background}
	b.Tool = use
	if payload.CallID(t.Task) {
		use.TaskID = t.Task
	}
	if payload.CallID(t.ID) {
		use.CallID = t.ID
	} else {
		use.Fingerprint = payload.Fingerprint(t.Name, fingerprinted(&t))
		b.Limits = append(b.Limits, events.LimitIDMissing)
	}
	if b.Model == "" && use.Class != events.ToolReads {
		b.Limits = append(b.Limits, events.LimitModelUnknown)
	}
	if use.Class == events.ToolReads {
		return
	}
	var paths []string
	for _, path := range t.Paths {
		paths = addPath(paths, payload.Path(path, b.Cwd, c.env.Home))
	}
	if use.Class != events.ToolEdits {
		payload.Command(use, t.Command, b.Cwd, c.env.Home)
		use.Hints = limited(slices.Concat(paths, use.Hints))
		return
	}
	for _, e := range t.Edits {
		if path := payload.Path(e.Path, b.Cwd, c.env.Home); path != "" {
			paths = addPath(paths, path)
			use.Edits = append(use.Edits, events.DeclaredEdit{Path: path, Old: e.Old, New: e.New, Before: e.Before, After: e.After})
		}
	}
	if use.Paths = paths; len(paths) == 0 { // nothing says where it writes
		use.Class = events.ToolUnknown
	}
}

// fingerprinted is what both boundaries of a call have in common, whatever the after-boundary adds.
func fingerprinted(t *tool) json.RawMessage {
	paths := slices.Clone(t.Paths)
	for _, e := range t.Edits {
		paths = append(paths, e.Path)
	}
	slices.Sort(paths)
	data, _ := json.Marshal([]any{t.Does, t.Command, slices.Compact(paths)}) // strings
	return data
}

func classOf(does string) events.ToolClass {
	switch does {
	case "reads":
		return events.ToolReads
	case "edits":
		return events.ToolEdits
	case "runs":
		return events.ToolRuns
	}
	return events.ToolUnknown
}

func addPath(paths []string, path string) []string {
	if path == "" || slices.Contains(paths, path) {
		return paths
	}
	return append(paths, path)
}

// maxHints is the number of hints that one call gives.
const maxHints = 16

func limited(hints []string) []string { return hints[:min(len(hints), maxHints)] }

// Settle knows nothing beyond the payloads.
func (c *Client) Settle(capability.Call) capability.End { return capability.End{} }
