package trails

import (
	"maps"
	"slices"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/codec"
	"github.com/git-trace/git-trace/trails/gitfacts"
	"github.com/git-trace/git-trace/trails/process"
)

// fields lists the stored fields of a state, in the order of the file.
func (s *state) fields(f codec.Fields) {
	f.Integer(&s.Interval)
	f.Integer(&s.LastFull)
	f.OID(&s.Tree)
	markFields(f, &s.Git)
	f.Integer(&s.RestoredAt)
	f.OID(&s.Squash)
	codec.List(f, &s.Marks, func(m *lookMark) {
		f.Integer(&m.At)
		markFields(f, &m.Git)
	})
	codec.List(f, &s.Windows, func(w **Window) {
		if *w == nil {
			*w = &Window{}
		}
		(*w).fields(f)
	})
	table(f, &s.Sessions, func(one **sessionState) {
		if *one == nil {
			*one = &sessionState{}
		}
		(*one).fields(f)
	})
	table(f, &s.Scoped, func(n *int64) { f.Integer(n) })
	codec.List(f, &s.Anchored, func(o *refs.OID) { f.OID(o) })
	table(f, &s.Expected, func(o *refs.OID) { f.OID(o) })
	f.Integer(&s.Lost)
	codec.List(f, &s.Shifts, func(one **shift) {
		if *one == nil {
			*one = &shift{}
		}
		(*one).fields(f)
	})
	table(f, &s.Taken, func(one *taken) {
		f.OID(&one.Blob)
		f.Moment(&one.At)
	})
	codec.List(f, &s.Spooled, func(name *string) { f.Text(name) })
	codec.Word(f, &s.LostWhy)
	codec.Numbers(f, &s.Missed.Calls, &s.Missed.Hooks)
	f.Moment(&s.Missed.First)
	f.Moment(&s.Missed.Last)
	codec.List(f, &s.Missed.Why, func(why *string) { f.Text(why) })
	codec.List(f, &s.Shared, func(one *sharedLine) {
		codec.Texts(f, &one.Key, &one.Words)
	})
	codec.List(f, &s.Buffers, func(one *buffer) {
		f.Text(&one.Key)
		f.OID(&one.Seen)
		f.OID(&one.Held)
	})
}

// table lists the members of a map, sorted by key.
func table[K ~string, V any](f codec.Fields, m *map[K]V, value func(*V)) {
	keys := slices.Sorted(maps.Keys(*m))
	codec.List(f, &keys, func(k *K) {
		codec.Word(f, k)
		v := (*m)[*k]
		value(&v)
		if *m == nil {
			*m = map[K]V{}
		}
		(*m)[*k] = v
	})
}

func markFields(f codec.Fields, m *gitfacts.Mark) {
	f.OID(&m.Head)
	codec.Texts(f, &m.Branch, &m.Storage)
	f.Integer(&m.Log)
	codec.List(f, &m.Stashes, func(o *refs.OID) { f.OID(o) })
	f.Integer(&m.Orig)
	f.Text(&m.Replays)
	f.Integer(&m.Done)
	f.OID(&m.Autostash)
	f.OID(&m.Squash)
	f.Integer(&m.Message)
	f.Integer(&m.Index)
}

func (s *sessionState) fields(f codec.Fields) {
	codec.Texts(f, &s.Agent, &s.Session, &s.Model, &s.Stated)
	codec.Numbers(f, &s.Prompts, &s.Earlier)
	f.Text(&s.LastPrompt)
	codec.Number(f, &s.Steps)
	f.Moment(&s.Last)
	f.Flag(&s.Ended)
	f.Flag(&s.Befores)
	codec.List(f, &s.Subagents, func(id *string) { f.Text(id) })
	codec.Number(f, &s.Unnamed)
	processFields(f, &s.Host)
	codec.Number(f, &s.Heard)
	f.Flag(&s.Idle)
}

func (s *shift) fields(f codec.Fields) {
	codec.Texts(f, &s.From, &s.Path)
	f.OID(&s.Before)
	f.OID(&s.After)
	codec.Texts(f, &s.Gone, &s.Come)
}

func processFields(f codec.Fields, id *process.ID) {
	codec.Number(f, &id.PID)
	f.Integer(&id.Start)
	codec.Texts(f, &id.Space, &id.Boot, &id.Host)
}

func (w *Window) fields(f codec.Fields) {
	codec.Word(f, &w.Trace)
	codec.Texts(f, &w.Agent, &w.Session, &w.Subagent, &w.CallID, &w.Print, &w.Tool)
	codec.Word(f, &w.Class)
	f.Text(&w.Model)
	codec.Numbers(f, &w.Prompt, &w.Step)
	codec.List(f, &w.Paths, func(p *string) { f.Text(p) })
	codec.List(f, &w.Names, func(p *string) { f.Text(p) })
	codec.List(f, &w.Edits, func(d *declared) { d.fields(f) })
	f.Integer(&w.Opened)
	f.Integer(&w.Closed)
	f.Flag(&w.Background)
	codec.Texts(f, &w.TaskID, &w.Transcript)
	processFields(f, &w.Host)
	f.Flag(&w.Sure)
	f.Integer(&w.Since)
	f.Text(&w.Mark)
	codec.Number(f, &w.Opener)
	f.Integer(&w.Awake)
	f.Moment(&w.Begun)
	f.Moment(&w.Asked)
	codec.List(f, &w.Left, func(p *process.Process) {
		processFields(f, &p.ID)
		codec.Number(f, &p.Parent)
		f.Integer(&p.Wrote)
	})
	codec.List(f, &w.Printed, func(o *process.Output) {
		f.Text(&o.Name)
		f.Integer(&o.Size)
	})
	codec.List(f, &w.Limits, func(l *events.Limit) { codec.Word(f, l) })
	f.Flag(&w.Doubt)
	codec.Word(f, &w.Why)
	f.Integer(&w.Wrote)
	f.Flag(&w.Rejected)
	f.Flag(&w.Tail)
	codec.List(f, &w.Said, func(one *saying) {
		f.Text(&one.Path)
		f.OID(&one.After)
		f.Text(&one.Lines)
		f.Flag(&one.Whole)
	})
}

func (d *declared) fields(f codec.Fields) {
	codec.Texts(f, &d.Path, &d.Old, &d.New)
	codec.Optional(f, &d.Before, func(s *string) { f.Text(s) })
	codec.Optional(f, &d.After, func(s *string) { f.Text(s) })
	f.Flag(&d.Exact)
	codec.Optional(f, &d.Proposed, func(s *string) { f.Text(s) })
}

// boundaryFields lists the fields of a boundary that a note keeps. It leaves out the texts of edits: they are of
// use only with the snapshot of their moment.
func boundaryFields(f codec.Fields, b *events.Boundary) {
	codec.Word(f, &b.Kind)
	codec.Texts(f, &b.Agent, &b.Session, &b.Subagent, &b.SubagentType, &b.Model)
	f.Moment(&b.Time)
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
