package trails

import (
	"maps"
	"slices"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/gitfacts"
	"github.com/git-trace/git-trace/trails/process"
)

// fields lists what is kept of a state, in the order of the file.
func (s *state) fields(f fields) {
	f.integer(&s.Interval)
	f.integer(&s.LastFull)
	f.oid(&s.Tree)
	markFields(f, &s.Git)
	f.integer(&s.RestoredAt)
	f.oid(&s.Squash)
	list(f, &s.Marks, func(m *lookMark) {
		f.integer(&m.At)
		markFields(f, &m.Git)
	})
	list(f, &s.Windows, func(w **Window) {
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
	table(f, &s.Scoped, func(n *int64) { f.integer(n) })
	list(f, &s.Anchored, func(o *refs.OID) { f.oid(o) })
	table(f, &s.Expected, func(o *refs.OID) { f.oid(o) })
	f.integer(&s.Lost)
}

// table is for the members of a map, sorted by key.
func table[K ~string, V any](f fields, m *map[K]V, value func(*V)) {
	keys := slices.Sorted(maps.Keys(*m))
	list(f, &keys, func(k *K) {
		word(f, k)
		v := (*m)[*k]
		value(&v)
		if *m == nil {
			*m = map[K]V{}
		}
		(*m)[*k] = v
	})
}

func markFields(f fields, m *gitfacts.Mark) {
	f.oid(&m.Head)
	f.text(&m.Branch)
	f.text(&m.Storage)
	f.integer(&m.Log)
	list(f, &m.Stashes, func(o *refs.OID) { f.oid(o) })
	f.integer(&m.Orig)
	f.text(&m.Replays)
	f.integer(&m.Done)
	f.oid(&m.Autostash)
	f.oid(&m.Squash)
	f.integer(&m.Message)
	f.integer(&m.Index)
}

func (s *sessionState) fields(f fields) {
	f.text(&s.Agent)
	f.text(&s.Session)
	f.text(&s.Model)
	f.text(&s.Stated)
	number(f, &s.Prompts)
	f.text(&s.LastPrompt)
	number(f, &s.Steps)
	f.moment(&s.Last)
	f.flag(&s.Ended)
	f.flag(&s.Befores)
	list(f, &s.Subagents, func(id *string) { f.text(id) })
	number(f, &s.Unnamed)
	processFields(f, &s.Host)
	number(f, &s.Heard)
	f.flag(&s.Idle)
}

func processFields(f fields, id *process.ID) {
	number(f, &id.PID)
	f.integer(&id.Start)
	f.text(&id.Space)
	f.text(&id.Boot)
	f.text(&id.Host)
}

func (w *Window) fields(f fields) {
	word(f, &w.Trace)
	f.text(&w.Agent)
	f.text(&w.Session)
	f.text(&w.Subagent)
	f.text(&w.CallID)
	f.text(&w.Print)
	f.text(&w.Tool)
	word(f, &w.Class)
	f.text(&w.Model)
	number(f, &w.Prompt)
	number(f, &w.Step)
	list(f, &w.Paths, func(p *string) { f.text(p) })
	list(f, &w.Names, func(p *string) { f.text(p) })
	list(f, &w.Edits, func(d *declared) { d.fields(f) })
	f.integer(&w.Opened)
	f.integer(&w.Closed)
	f.flag(&w.Background)
	f.text(&w.TaskID)
	f.text(&w.Transcript)
	processFields(f, &w.Host)
	f.flag(&w.Sure)
	f.integer(&w.Since)
	f.text(&w.Mark)
	number(f, &w.Opener)
	f.integer(&w.Awake)
	f.moment(&w.Begun)
	f.moment(&w.Asked)
	list(f, &w.Left, func(p *process.Process) {
		processFields(f, &p.ID)
		number(f, &p.Parent)
		f.integer(&p.Wrote)
	})
	list(f, &w.Printed, func(o *process.Output) {
		f.text(&o.Name)
		f.integer(&o.Size)
	})
	list(f, &w.Limits, func(l *events.Limit) { word(f, l) })
	f.flag(&w.Doubt)
	word(f, &w.Why)
	f.integer(&w.Wrote)
	f.flag(&w.Rejected)
	f.flag(&w.Tail)
	list(f, &w.Said, func(one *saying) {
		f.text(&one.Path)
		f.oid(&one.After)
		f.text(&one.Lines)
		f.flag(&one.Whole)
	})
}

func (d *declared) fields(f fields) {
	f.text(&d.Path)
	f.text(&d.Old)
	f.text(&d.New)
	optional(f, &d.Before, func(s *string) { f.text(s) })
	optional(f, &d.After, func(s *string) { f.text(s) })
	f.flag(&d.Exact)
}

// boundaryFields lists what a note keeps of a boundary. The texts of edits are of use only together with the snapshot
// of their moment.
func boundaryFields(f fields, b *events.Boundary) {
	word(f, &b.Kind)
	f.text(&b.Agent)
	f.text(&b.Session)
	f.text(&b.Subagent)
	f.text(&b.SubagentType)
	f.text(&b.Model)
	f.moment(&b.Time)
	f.text(&b.Cwd)
	f.text(&b.Transcript)
	number(f, &b.Process)
	number(f, &b.Parent)
	f.integer(&b.Moment)
	f.text(&b.Mark)
	f.text(&b.Source)
	optional(f, &b.Prompt, func(p *events.Prompt) {
		f.text(&p.ID)
		f.text(&p.Text)
	})
	optional(f, &b.Tool, func(t *events.ToolUse) {
		f.text(&t.CallID)
		f.text(&t.Fingerprint)
		f.text(&t.Name)
		word(f, &t.Class)
		list(f, &t.Paths, func(p *string) { f.text(p) })
		list(f, &t.Hints, func(p *string) { f.text(p) })
		f.flag(&t.Background)
		f.text(&t.TaskID)
		f.integer(&t.Lasted)
		f.flag(&t.Rejected)
	})
	list(f, &b.Running, func(id *string) { f.text(id) })
	list(f, &b.Limits, func(l *events.Limit) { word(f, l) })
}
