package generic

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/events"
)

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
	{Name: "completion", Kind: events.Completed},
	{Name: "saved", Kind: events.Saved},
}

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
	Time       string `json:"time"`
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
		Typed  []lines `json:"typed"`
		Put    []lines `json:"put"`
	} `json:"edits"`
	Background bool   `json:"background"`
	Task       string `json:"task"`
}

// decoder returns the decoder of hook payloads.
func (c *Client) decoder() capability.PayloadDecoder {
	return payload.Decoder[wire]{Env: c.env, Agent: Name, Kinds: kinds, Fields: fields, Fill: c.fill}
}

func fields(w *wire) payload.Fields {
	return payload.Fields{
		Session: w.Session, Subagent: w.Subagent.ID, SubagentType: w.Subagent.Type, Model: w.Model, Cwd: w.Cwd,
		Transcript: w.Transcript,
		Source:     w.Source, Reason: w.Source,
	}
}

func (c *Client) fill(b *events.Boundary, w *wire) bool {
	if payload.SessionID(w.Agent) {
		b.Agent = w.Agent
	}
	b.Prompt = nil
	if w.Prompt != nil {
		b.Prompt = &events.Prompt{ID: payload.Name(w.Prompt.ID)}
	}
	switch b.Kind {
	case events.PromptSubmit:
		if w.Source == events.SourceTask {
			b.Source = events.SourceTask
		}
		if w.Prompt != nil {
			b.Prompt.Text = w.Prompt.Text
		}
	case events.TurnEnd, events.SubagentEnd:
		b.Running = w.Running
	case events.ToolBefore, events.ToolAfter, events.ToolFailed:
		c.fillTool(b, w)
	case events.Completed, events.Saved:
		return c.fillBuffer(b, w)
	}
	return true
}

func (c *Client) fillTool(b *events.Boundary, w *wire) {
	var t tool
	_ = json.Unmarshal(w.Tool, &t) // a field of another type counts as missing
	same := fingerprinted(&t)
	call := payload.Call{ID: t.ID, Name: t.Name, Class: tools.Class(t.Does), Input: &same, Command: t.Command}
	for _, path := range t.Paths {
		call.Paths = addPath(call.Paths, payload.Path(path, b.Cwd, c.env.Home))
	}
	paths := slices.Clone(call.Paths)
	for _, e := range t.Edits {
		if path := payload.Path(e.Path, b.Cwd, c.env.Home); path != "" {
			call.Paths = addPath(call.Paths, path)
			call.Edits = append(call.Edits, events.DeclaredEdit{Path: path, Old: e.Old, New: e.New, Before: e.Before,
				After: e.After})
		}
	}
	use := call.Describe(b, c.env.Home)
	use.Background = t.Background
	if payload.CallID(t.Task) {
		use.TaskID = t.Task
	}
	if call.Class == events.ToolReads {
		return
	}
	if call.Class != events.ToolEdits {
		payload.Command(use, t.Command, b.Cwd, c.env.Home)
		use.Hints = limited(slices.Concat(paths, use.Hints))
	}
	payload.NeedModel(b)
}

// lines is a range of lines: the first and the last line, from 1.
type lines [2]int

func runs(list []lines) (out []events.LineRun) {
	for _, run := range list {
		out = append(out, events.LineRun{First: run[0], Last: run[1]})
	}
	return out
}

// longestWait limits the time for which an editor's event may have waited for its hook.
const longestWait = 10 * time.Minute

// fillBuffer adds an editor's report about its buffer. Without texts of a file, it is not a boundary.
func (c *Client) fillBuffer(b *events.Boundary, w *wire) bool {
	var t tool
	_ = json.Unmarshal(w.Tool, &t) // a field of another type counts as missing
	call := payload.Call{ID: t.ID, Name: events.ToolCompletion, Class: events.ToolEdits}
	if call.ID == "" { // no other event reports it
		call.ID = "accepted-" + payload.Fingerprint(call.Name, w.Tool)
	}
	for _, e := range t.Edits {
		path := payload.Path(e.Path, b.Cwd, c.env.Home)
		if b.Kind == events.Saved {
			e.Before, e.After = e.After, nil
		}
		if path == "" || e.Before == nil || b.Kind == events.Completed && e.After == nil {
			continue
		}
		edit := events.DeclaredEdit{Path: path, Before: e.Before, After: e.After, Typed: runs(e.Typed), Put: runs(e.Put)}
		call.Paths, call.Edits = addPath(call.Paths, path), append(call.Edits, edit)
	}
	if len(call.Edits) == 0 {
		return false
	}
	call.Describe(b, c.env.Home)
	if at, err := time.Parse(time.RFC3339, w.Time); err == nil && at.Before(b.Time) && at.After(b.Time.Add(-longestWait)) {
		b.Done = at
	}
	if b.Kind == events.Completed {
		payload.NeedModel(b)
	}
	return true
}

// `fingerprinted` returns the data that both boundaries of a call have in common, whatever the after-boundary adds.
func fingerprinted(t *tool) json.RawMessage {
	paths := slices.Clone(t.Paths)
	for _, e := range t.Edits {
		paths = append(paths, e.Path)
	}
	slices.Sort(paths)
	data, _ := json.Marshal([]any{t.Does, t.Command, slices.Compact(paths)}) // only strings: no error is possible
	return data
}

// tools maps the word in the payload to the class of a call.
var tools = payload.Tools{
	{events.ToolReads, []string{"reads"}},
	{events.ToolEdits, []string{"edits"}},
	{events.ToolRuns, []string{"runs"}},
}

func addPath(paths []string, path string) []string {
	if path == "" || slices.Contains(paths, path) {
		return paths
	}
	return append(paths, path)
}

// maxHints is the greatest number of hints for one call.
const maxHints = 16

func limited(hints []string) []string { return hints[:min(len(hints), maxHints)] }
