package tracestate

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/git-trace/git-trace/records"
)

// node is a link of a history: messages of one side, and the previous link. Histories of the same conversation share
// links.
type node struct {
	before *node
	text   string // messages, with commas between
	bytes  int64  // of the whole chain
	user   bool
}

// after adds messages of one side to a chain.
func (n *node) after(texts []string, user bool) *node {
	out := &node{before: n, text: joined(texts), user: user}
	out.bytes = int64(len(out.text)) + 1
	if n != nil {
		out.bytes += n.bytes
	}
	return out
}

// chain lists the links after another link, oldest first.
func (n *node) chain(after *node) []*node {
	var out []*node
	for ; n != nil && n != after; n = n.before {
		out = append(out, n)
	}
	slices.Reverse(out)
	return out
}

// path is one way through a conversation: its main way, an undone branch, or a subagent.
type path struct {
	session   string // the id that ids of states begin with
	head      *node
	said      said // since the last answer
	last      *state
	compacted bool
	branch    bool // it was undone
	subagent  bool
}

// paths finds the way of each step.
type paths struct {
	main     *path
	branches map[int]*branch // by step
	agents   map[int]*path   // by step of a subagent
	forks    map[int]*path   // the way after each step at which a branch begins
}

type branch struct {
	from int
	path *path // nil until its first step
}

func newPaths(r *records.Record) *paths {
	p := &paths{main: &path{session: r.SessionID}, branches: map[int]*branch{}, agents: map[int]*path{},
		forks: map[int]*path{}}
	for _, one := range r.Branches() {
		b := &branch{from: one.From}
		p.forks[one.From] = nil
		for _, step := range one.Steps {
			p.branches[step] = b
		}
	}
	p.forks[0] = &path{session: r.SessionID}
	for _, a := range subagents(r) {
		agent := &path{session: r.SessionID + "/" + a.name(), subagent: true}
		for step := max(a.First, 1); step <= min(a.Last, len(r.Steps)); step++ {
			p.agents[step] = agent // of one within another the inner one
		}
	}
	return p
}

// of returns the way of a step.
func (p *paths) of(s *records.Step) *path {
	if isSubagent(s) {
		return p.agent(s)
	}
	b := p.branches[s.StepIndex]
	if b == nil {
		return p.main
	}
	if b.path == nil {
		way := path{session: p.main.session}
		if fork := p.forks[b.from]; fork != nil {
			way = *fork
		}
		way.branch = true
		b.path = &way
	}
	return b.path
}

// agent returns the path of a subagent's step. Without metadata that identify it, the step of its call decides.
func (p *paths) agent(s *records.Step) *path {
	way := p.agents[s.StepIndex]
	if way == nil {
		started := 0
		if s.ParentStep != nil {
			started = *s.ParentStep
		}
		if way = p.agents[-1-started]; way == nil {
			way = &path{session: p.main.session + "/of_step_" + strconv.Itoa(started), subagent: true}
			p.agents[-1-started] = way
		}
	}
	return way
}

// left keeps the way after a step, if a branch begins there.
func (p *paths) left(step int, way *path) {
	if _, forks := p.forks[step]; forks {
		kept := *way
		kept.said = said{slices.Clone(way.said.results), slices.Clone(way.said.texts)}
		p.forks[step] = &kept
	}
}

func isSubagent(s *records.Step) bool {
	return s.ParentStep != nil || s.CallType != nil && *s.CallType == records.CallSubagent
}

// subagent is an entry of the metadata.
type subagent struct {
	ID    string `json:"id"`
	First int    `json:"first_step"`
	Last  int    `json:"last_step"`
}

func (a *subagent) name() string {
	if a.ID != "" {
		return a.ID
	}
	return "step_" + strconv.Itoa(a.First)
}

// subagents returns the subagents of a record, outer ones first.
func subagents(r *records.Record) []subagent {
	var out []subagent
	if json.Unmarshal(r.Metadata["subagents"], &out) != nil {
		return nil
	}
	slices.SortStableFunc(out, func(a, b subagent) int { return a.First - b.First })
	return out
}
