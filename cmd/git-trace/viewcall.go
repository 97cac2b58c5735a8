package main

import (
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/graph"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/view"
)

// toolCallView is a tool call with its hunks.
type toolCallView struct {
	Trace   events.TraceID `json:"trace"`
	Agent   string         `json:"agent"`
	Session string         `json:"session"`
	callView
	Hunks []*patchView `json:"hunks"`
}

// patchView is a patch: one hunk with its owner.
type patchView struct {
	Patch      events.PatchID         `json:"patch"`
	Owner      events.OwnerKind       `json:"owner"`
	Trace      events.TraceID         `json:"trace,omitempty"`
	Agent      string                 `json:"agent,omitempty"`
	Session    string                 `json:"session,omitempty"`
	Subagent   string                 `json:"subagent,omitempty"`
	ToolCall   string                 `json:"tool_call,omitempty"`
	Tool       string                 `json:"tool,omitempty"`
	Prompt     int                    `json:"prompt,omitempty"`
	Model      string                 `json:"model,omitempty"`
	Time       time.Time              `json:"time"`
	Path       string                 `json:"path"`
	PathBase64 string                 `json:"path_base64,omitempty"` // of a path that is not UTF-8
	OldPath    string                 `json:"old_path,omitempty"`
	Before     refs.OID               `json:"before,omitzero"`
	After      refs.OID               `json:"after,omitzero"`
	OldStart   int                    `json:"old_start"`
	OldCount   int                    `json:"old_count"`
	NewStart   int                    `json:"new_start"`
	NewCount   int                    `json:"new_count"`
	Mode       string                 `json:"mode,omitempty"`
	Kept       []events.KeptRun       `json:"kept,omitempty"`
	Previous   []events.PatchID       `json:"previous,omitempty"`
	Candidates []events.CandidateData `json:"candidates,omitempty"`
	Limits     []events.Limit         `json:"limits,omitempty"`
	Commits    []view.CommitLines     `json:"commits"`
	Removed    []string               `json:"removed"` // nil when the text is no longer kept
	Added      []string               `json:"added"`
}

// commitView is a commit as the graph knows it.
type commitView struct{ commit graph.Commit }

// MarshalJSON gives the commit in the form of the graph.
func (c *commitView) MarshalJSON() ([]byte, error) { return marshal(c.commit.JSON()) }

// toolCall gathers a tool call. Should agents have used one id twice, the first one is shown.
func (v *viewer) toolCall(id string) (drawable, error) {
	named, err := v.reader.ToolCall(id)
	if err != nil {
		return nil, err
	}
	var recorded []events.Event
	for _, e := range named {
		if len(recorded) == 0 || e.Trace == recorded[0].Trace && e.Subagent == recorded[0].Subagent {
			recorded = append(recorded, e)
		}
	}
	if len(recorded) == 0 {
		return nil, missing(false, "tool call "+id)
	}
	first := recorded[0]
	held, err := v.lines.Anchors(first.Trace, func(o *events.AnchorOwner) bool { return o.ToolCall == id })
	if err != nil {
		return nil, err
	}
	calls := callsOf(recorded, held)
	if len(calls) == 0 {
		return nil, missing(false, "tool call "+id)
	}
	out := &toolCallView{
		Trace: first.Trace, Agent: first.Agent, Session: first.Session, callView: calls[0], Hunks: []*patchView{},
	}
	for _, e := range recorded {
		if e.Type == events.PatchRecorded {
			out.Hunks = append(out.Hunks, v.hunk(e, events.DataOf[events.PatchData](e), held))
		}
	}
	return out, nil
}
