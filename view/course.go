package view

import (
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// Course is what the log knows of the course of a conversation: which calls were declined, what they wrote, and what
// the work tree held when they began.
type Course struct {
	Tasks    map[int]bool        // prompts that the agent's own background task sent
	Rejected map[string]bool     // calls that never ran
	Calls    map[string]refs.OID // the snapshot at the beginning of each call
	Prompts  map[int]refs.OID    // and at each prompt
	Patches  []CallPatch         // in the order of the log
}

// CallPatch is a hunk that an agent's call wrote.
type CallPatch struct {
	Call string
	Data events.PatchData
}

// Course gathers it; nil for a conversation of which the log knows nothing.
func (r *Reader) Course(id events.TraceID) (*Course, error) {
	recorded, err := r.log.Told(id)
	if err != nil || len(recorded) == 0 {
		return nil, err
	}
	c := &Course{
		Tasks: map[int]bool{}, Rejected: map[string]bool{}, Calls: map[string]refs.OID{}, Prompts: map[int]refs.OID{},
	}
	last := 0 // prompt
	for i := range recorded {
		e := &recorded[i]
		switch e.Type {
		case events.PromptSubmitted:
			d := events.DataOf[events.PromptData](*e)
			last, c.Tasks[d.Index] = d.Index, d.Kind == "task"
		case events.SnapshotTaken:
			if d := events.DataOf[events.SnapshotData](*e); d.Role == "prompt" && !d.Tree.IsZero() {
				c.Prompts[last] = d.Tree
			}
		case events.WindowOpened:
			if d := events.DataOf[events.WindowData](*e); !d.Tree.IsZero() {
				c.Calls[e.ToolCall] = d.Tree
			}
		case events.WindowClosed:
			if events.DataOf[events.WindowData](*e).Status == "rejected" {
				c.Rejected[e.ToolCall] = true
			}
		case events.PatchRecorded:
			if d := events.DataOf[events.PatchData](*e); e.ToolCall != "" && d.Owner == events.OwnerAI {
				c.Patches = append(c.Patches, CallPatch{e.ToolCall, d})
			}
		default:
		}
	}
	return c, nil
}
