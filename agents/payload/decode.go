package payload

import (
	"fmt"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/events"
)

// Fields holds the common members of all events' payloads. Missing members are "". The JSON names are the names that
// most agents use, after Claude Code.
type Fields struct {
	Session      string `json:"session_id"`
	Subagent     string `json:"agent_id"`
	SubagentType string `json:"agent_type"`
	Model        string `json:"model"`
	Cwd          string `json:"cwd"`
	Transcript   string `json:"transcript_path"`
	Source       string `json:"source"`  // the reason for a start
	Reason       string `json:"reason"`  // the reason for an end
	Trigger      string `json:"trigger"` // the reason for a compaction
	Prompt       string `json:"prompt"`
	PromptID     string `json:"prompt_id"`
	PID          int    `json:"pid"` // the client's process id
}

// Same returns the fields; a payload that embeds them needs no other function.
func (f *Fields) Same() Fields { return *f }

// Decoder decodes the payloads of an agent's hooks. W is a payload with the fields of all events.
type Decoder[W any] struct {
	Env    capability.Env
	Agent  string
	Kinds  Events
	Fields func(*W) Fields
	// Fill adds the data that only this agent sends, and reports whether the event is a boundary at all.
	Fill func(*events.Boundary, *W) bool
	// End finds the end of a tool call whose after-boundary is missing; nil if only hooks report the end.
	End func(capability.Call) capability.End
}

// Events returns the hook events that are boundaries.
func (d Decoder[W]) Events() []string { return d.Kinds.Names() }

// Settle finds the end of a tool call whose after-boundary is missing.
func (d Decoder[W]) Settle(call capability.Call) (end capability.End) {
	if d.End != nil {
		end = d.End(call)
	}
	return end
}

// Decode decodes the payload of one hook call. For an event that is not a boundary, it returns no boundary and no
// error.
func (d Decoder[W]) Decode(event string, data []byte) ([]events.Boundary, error) {
	kind := d.Kinds.Kind(event)
	if kind == "" {
		return nil, nil
	}
	w := new(W)
	var f Fields
	err := Object(data, w)
	if err == nil {
		f = d.Fields(w)
		err = ids(f.Session, f.Subagent)
	}
	if err != nil {
		return nil, fmt.Errorf("decode %s: %w", event, err)
	}
	b := f.boundary(kind)
	b.Agent, b.Time = d.Agent, d.Env.Time()
	if !d.Fill(&b, w) {
		return nil, nil
	}
	if b.Kind == events.ToolBefore && b.Tool != nil && b.Tool.Class == events.ToolUnknown {
		b.Tool.Names = named(data, b.Cwd) // its input is unknown, except for possible paths
	}
	return []events.Boundary{b}, nil
}

// ids checks the id of a session and, if there is one, of a subagent.
func ids(session, subagent string) error {
	switch {
	case !SessionID(session):
		return ErrSession
	case subagent != "" && !SessionID(subagent):
		return ErrSubagent
	}
	return nil
}

func (f Fields) boundary(kind events.BoundaryKind) events.Boundary {
	b := events.Boundary{
		Kind: kind, Session: f.Session, Subagent: f.Subagent, SubagentType: Name(f.SubagentType), Model: Name(f.Model),
		Cwd: AbsPath(f.Cwd), Transcript: AbsPath(f.Transcript), Process: Process(f.PID),
	}
	prompt := Name(f.PromptID)
	switch {
	case kind == events.SessionStart:
		b.Source = Name(f.Source)
	case kind == events.SessionEnd:
		b.Source = Name(f.Reason)
	case kind == events.Compaction:
		b.Source = Name(f.Trigger)
	case kind == events.PromptSubmit:
		b.Source, b.Prompt = events.SourceUser, &events.Prompt{ID: prompt, Text: f.Prompt}
	case OfCall(kind) && prompt != "" && f.Subagent == "": // a subagent counts its prompts separately
		b.Prompt = &events.Prompt{ID: prompt}
	}
	return b
}

// OfCall reports whether a boundary belongs to a tool call.
func OfCall(kind events.BoundaryKind) bool {
	switch kind {
	case events.ToolBefore, events.ToolAfter, events.ToolFailed, events.ConsentAsked:
		return true
	}
	return false
}

// Event is a hook event of an agent, with the agent's name for it, and the kind of its boundary.
type Event struct {
	Name string
	Kind events.BoundaryKind
}

// Events holds an agent's hook events that are boundaries, in the order in which they occur.
type Events []Event

func (e Events) Names() []string {
	names := make([]string, len(e))
	for i, one := range e {
		names[i] = one.Name
	}
	return names
}

// Kind returns the kind of an event's boundary; "" if the event is not a boundary.
func (e Events) Kind(name string) events.BoundaryKind {
	for _, one := range e {
		if one.Name == name {
			return one.Kind
		}
	}
	return ""
}
