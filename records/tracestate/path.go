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
	text   string // messages, separated by commas
	bytes  int64  // the size of the whole chain
	user   bool
}

// `after` returns a chain with the messages of one side added.
func (n *node) after(texts []string, user bool) *node {
	out := &node{before: n, text: joined(texts), user: user}
	out.bytes = int64(len(out.text)) + 1
	if n != nil {
		out.bytes += n.bytes
	}
	return out
}

// chain lists the links up to another link (exclusive), oldest first.
func (n *node) chain(after *node) []*node {
	var out []*node
	for ; n != nil && n != after; n = n.before {
		out = append(out, n)
	}
	slices.Reverse(out)
	return out
}

// path is one path through a conversation: the main path, an undone branch, or a subagent.
type path struct {
	session   string // the start of the ids of its states
	head      *node
	said      said // messages since the last answer
	last      *state
	compacted bool
	branch    bool // the branch was undone
	subagent  bool
}

// paths finds the path of each step.
type paths struct {
	main     *path
	branches map[int]*branch // branches by step
	agents   map[int]*path   // paths by step of a subagent, or by -1-N for a call at step N
	forks    map[int]*path   // path after a step, by step at which a branch begins
}

type branch struct {
	from int
	path *path // nil until the branch has a step
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
			p.agents[step] = agent // for nested subagents, the inner one
		}
	}
	return p
}

// `of` returns the path of a step.
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

// agent returns the path of a subagent's step. If the metadata do not identify the subagent, its call's step identifies
// it.
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

// `left` stores the path after a step, if a branch begins there.
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

// subagent is an entry of the metadata about a subagent.
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

// subagents returns the subagents of a record, outer ones before inner ones.
func subagents(r *records.Record) []subagent {
	var out []subagent
	if json.Unmarshal(r.Metadata["subagents"], &out) != nil {
		return nil
	}
	slices.SortStableFunc(out, func(a, b subagent) int { return a.First - b.First })
	return out
}
