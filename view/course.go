package view

import (
	"cmp"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// Course holds the events of a conversation in the log: the declined calls, the written hunks, and the snapshots at the
// beginnings of calls.
type Course struct {
	Tasks    map[int]bool        // prompts that the agent's own background task sent
	Rejected map[string]bool     // calls that never ran
	Calls    map[string]refs.OID // the snapshot at the beginning of each call that may write
	Prompts  map[int]refs.OID    // the newest snapshot at each prompt
	Newest   refs.OID            // the last snapshot
	Patches  []CallPatch         // patches in the order of the log
	Pauses   []Pause             // pauses in the order of the log
}

// Pause is the time between the end of a turn and the next call. This clone saw all of it, and no other conversation
// was active. So people made the changes of that time.
type Pause struct {
	Prompt        int // the prompt whose turn ended
	Before, After refs.OID
}

// CallPatch is a hunk that an agent's call wrote.
type CallPatch struct {
	Call string
	Seq  int64
	Data events.PatchData
}

// Course gathers the events; nil for a conversation that is not in the log.
func (r *Reader) Course(id events.TraceID) (*Course, error) {
	recorded, err := r.log.Told(id)
	if err != nil || len(recorded) == 0 {
		return nil, err
	}
	c := &Course{
		Tasks: map[int]bool{}, Rejected: map[string]bool{}, Calls: map[string]refs.OID{}, Prompts: map[int]refs.OID{},
	}
	last := 0            // prompt
	newest := refs.OID{} // snapshot
	for i := range recorded {
		e := &recorded[i]
		switch e.Type {
		case events.SessionStarted:
			newest = cmp.Or(events.DataOf[events.SessionData](*e).Tree, newest)
		case events.PromptSubmitted:
			d := events.DataOf[events.PromptData](*e)
			if last, c.Tasks[d.Index] = d.Index, d.Kind == "task"; !newest.IsZero() {
				c.Prompts[last] = newest
			}
		case events.SnapshotTaken:
			d := events.DataOf[events.SnapshotData](*e)
			if newest = cmp.Or(d.Tree, newest); d.Role == "prompt" && !d.Tree.IsZero() {
				c.Prompts[last] = d.Tree
			}
		case events.WindowOpened:
			if d := events.DataOf[events.WindowData](*e); !d.Tree.IsZero() {
				c.Calls[e.ToolCall], newest = d.Tree, d.Tree
			}
		case events.WindowClosed:
			d := events.DataOf[events.WindowData](*e)
			if newest = cmp.Or(d.Tree, newest); d.Status == "rejected" {
				c.Rejected[e.ToolCall] = true
			}
		case events.TurnEnded:
			newest = cmp.Or(events.DataOf[events.TurnData](*e).Tree, newest)
			if err := r.pause(c, e); err != nil {
				return nil, err
			}
		case events.PatchRecorded:
			if d := events.DataOf[events.PatchData](*e); e.ToolCall != "" && d.Owner == events.OwnerAI {
				c.Patches = append(c.Patches, CallPatch{e.ToolCall, e.Seq, d})
			}
		default:
		}
	}
	c.Newest = newest
	return c, nil
}

// pause reads the events that follow the end of a turn.
func (r *Reader) pause(c *Course, end *events.Event) error {
	own, found, err := r.log.Event(end.Seq)
	d := events.DataOf[events.TurnData](*end)
	if err != nil || !found || own.ID != end.ID || d.Tree.IsZero() || len(d.Running) > 0 {
		return err
	}
	p := Pause{Prompt: d.Prompt, Before: d.Tree}
	for seq := end.Seq + 1; ; seq++ {
		e, found, err := r.log.Event(seq)
		if err != nil {
			return err
		}
		if !found || e.Type == events.WindowOpened && e.Trace == end.Trace || e.Type == events.TurnEnded {
			break
		}
		if e.Trace != "" && e.Trace != end.Trace {
			return nil
		}
		if s := events.DataOf[events.SnapshotData](e); e.Type == events.SnapshotTaken && s.Scope == "full" {
			p.After = s.Tree
		}
	}
	if !p.After.IsZero() {
		c.Pauses = append(c.Pauses, p)
	}
	return nil
}
