package spool

import (
	"encoding/json"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs/codec"
	"github.com/git-trace/git-trace/trails/process"
	"github.com/git-trace/git-trace/trails/snapshot"
)

// Boundary is a boundary in the form in which it is spooled.
type Boundary struct {
	events.Boundary
	Glance *Glance `json:"glance,omitempty"`
}

// Host returns the agent's process if it is known, otherwise the parent of the hook.
func (b *Boundary) Host() int {
	if b.Process != 0 {
		return b.Process
	}
	return b.Parent
}

// Glance holds the sights of paths from a hook that stored its boundary for later.
type Glance struct {
	Paths map[string]snapshot.Sight `json:"paths"` // sights by path, as in events
	// Left lists the processes that the ending call leaves running, and Printed the files to which they print.
	Left    []process.Process `json:"left,omitempty"`
	Printed []process.Output  `json:"printed,omitempty"`
}

// DecodeLate decodes a boundary that was stored for later.
func DecodeLate(raw []byte) (b Boundary, err error) {
	err = json.Unmarshal(raw, &b)
	return b, err
}

// boundaryFields lists the fields of a boundary that a note contains. It leaves out the texts of edits, because they
// need the snapshot of that moment.
func boundaryFields(f codec.Fields, b *events.Boundary) {
	codec.Word(f, &b.Kind)
	codec.Texts(f, &b.Agent, &b.Session, &b.Subagent, &b.SubagentType, &b.Model)
	f.Moment(&b.Time)
	f.Moment(&b.Done)
	codec.Texts(f, &b.Cwd, &b.Transcript)
	codec.Numbers(f, &b.Process, &b.Parent)
	f.Integer(&b.Moment)
	codec.Texts(f, &b.Mark, &b.Source)
	codec.Optional(f, &b.Prompt, func(p *events.Prompt) {
		codec.Texts(f, &p.ID, &p.Text)
	})
	codec.Optional(f, &b.Tool, func(t *events.ToolUse) {
		codec.Texts(f, &t.CallID, &t.Fingerprint, &t.Name)
		codec.Word(f, &t.Class)
		codec.List(f, &t.Paths, func(p *string) { f.Text(p) })
		codec.List(f, &t.Hints, func(p *string) { f.Text(p) })
		f.Flag(&t.Background)
		f.Text(&t.TaskID)
		f.Integer(&t.Lasted)
		f.Flag(&t.Rejected)
	})
	codec.List(f, &b.Running, func(id *string) { f.Text(id) })
	codec.List(f, &b.Limits, func(l *events.Limit) { codec.Word(f, l) })
}
