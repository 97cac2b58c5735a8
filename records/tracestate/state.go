package tracestate

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/git-trace/git-trace/records"
)

// state is an answer of the model and the model's view before it.
type state struct {
	id        string
	step      *records.Step
	way       path   // the path as it was before the answer
	history   *node  // ends with a message of the user
	base      *state // the previous state on its path
	compacted bool
}

// maker makes the states of a record.
type maker struct {
	Options
	r         *records.Record
	told      Told
	stats     *Stats
	ways      *paths
	sources   map[int][]string
	stops     map[int]string
	summaries map[int]string // the text that the model got after a compaction, by the step before it
	ids       map[string]bool
	late      map[string]records.Observation // results that are not in the step of their call
	states    []*state
}

// states makes the states of a record.
func states(r *records.Record, o Options, told Told, stats *Stats) *maker {
	m := &maker{
		Options: o, r: r, told: told, stats: stats,
		ways: newPaths(r), sources: r.Sources(), stops: r.Stops(), summaries: summaries(r),
		ids:  map[string]bool{},
		late: late(r),
	}
	stats.add(r)
	for i := range r.Steps {
		m.step(&r.Steps[i])
	}
	return m
}

// step handles the next step.
func (m *maker) step(s *records.Step) {
	switch {
	case s.Role == records.RoleSystem:
		m.stats.skip("system")
		return
	case s.CallType != nil && *s.CallType == records.CallWarmup:
		m.stats.skip("warmup")
		return
	case isSubagent(s) && !m.Subagents:
		if s.Role == records.RoleAgent {
			m.stats.skip("subagent")
		}
		m.compact(m.ways.main, s.StepIndex) // a compaction can follow a subagent's step
		return
	}
	way := m.ways.of(s)
	if s.Role == records.RoleUser {
		m.prompt(way, s)
	} else {
		m.answer(way, s)
	}
	m.ways.left(s.StepIndex, way)
	m.compact(way, s.StepIndex)
}

func (m *maker) prompt(way *path, s *records.Step) {
	if text := content(s); text != "" {
		if len(way.said.texts) > 0 {
			m.stats.Joined++
		}
		way.said.texts = append(way.said.texts, text)
	}
}

func (m *maker) answer(way *path, s *records.Step) {
	if content(s) == "" && len(s.ToolCalls) == 0 {
		m.stats.skip("empty")
		return
	}
	if way.said.empty() {
		m.stats.NotRecorded++
		way.said.texts = []string{notRecorded}
	}
	way.head = way.head.after(m.Messages.user(&way.said), true)
	if reason := m.unfit(way, s); reason != "" {
		m.stats.skip(reason)
	} else {
		base, id := way.last, m.id(way, s)
		for _, part := range m.parts(way, s) {
			part.base = base
			if part.id = id + part.id; m.take(part) && part.history == way.head {
				way.last = part
			}
		}
	}
	way.head = way.head.after([]string{m.assistant(s)}, false)
	way.said = said{results: m.results(s)}
}

// parts returns the states of an answer: one or, with PerCall, one for each call. The history of a later call contains
// the answer with the earlier calls, and their results.
func (m *maker) parts(way *path, s *records.Step) []*state {
	if !m.PerCall || len(s.ToolCalls) < 2 {
		return []*state{{step: s, way: *way, history: way.head, compacted: way.compacted}}
	}
	var out []*state
	for i := range s.ToolCalls {
		history := way.head
		if i > 0 {
			before := *s
			before.ToolCalls = s.ToolCalls[:i]
			history = history.after([]string{m.assistant(&before)}, false).
				after(m.Messages.user(&said{results: m.results(&before)}), true)
		}
		one := *s
		one.ToolCalls = s.ToolCalls[i : i+1]
		out = append(out, &state{id: "#" + strconv.Itoa(i+1), step: &one, way: *way, history: history,
			compacted: way.compacted})
	}
	return out
}

// take keeps a state, if it is wanted.
func (m *maker) take(st *state) bool {
	switch {
	case m.Only != "" && kindOf(st.step) != m.Only:
		m.stats.skip("other_kind")
		return false
	case utf8.RuneCountInString(action(st.step)) < m.MinChars:
		m.stats.skip("too_short")
		return false
	}
	m.states = append(m.states, st)
	m.stats.take(st)
	return true
}

// assistant writes an answer, with the model's thinking if that is wanted.
func (m *maker) assistant(s *records.Step) string {
	thought := ""
	if m.Thinking && s.ReasoningContent != nil {
		thought = *s.ReasoningContent
	}
	return m.Messages.assistant(s, thought)
}

// `unfit` returns the reason why an answer does not become a state: it was not a decision, or is not completely known.
func (m *maker) unfit(way *path, s *records.Step) string {
	missing := 0
	for _, o := range m.results(s) {
		if o.Error != nil && *o.Error == records.ErrorNoResult {
			missing++
		}
	}
	switch {
	case way.branch && m.Active:
		return "abandoned"
	case m.stops[s.StepIndex] == "error":
		return "api_error"
	case missing > 0 && s.StepIndex == len(m.r.Steps):
		return "unfinished"
	case missing == 1 && len(s.ToolCalls) == 1:
		return "no_result"
	}
	return ""
}

// id returns the id of a state: from the first line of the answer with text or calls, otherwise from the number of the
// step.
func (m *maker) id(way *path, s *records.Step) string {
	name := "step_" + strconv.Itoa(s.StepIndex)
	if lines := m.sources[s.StepIndex]; len(lines) > 0 && !m.ids[way.session+":"+lines[0]] {
		name = lines[0]
	}
	id := way.session + ":" + name
	m.ids[id] = true
	return id
}

// `compact` starts a new history if there was a compaction after a step.
func (m *maker) compact(way *path, step int) {
	summary, found := m.summaries[step]
	if !found {
		return
	}
	way.head, way.last, way.compacted, way.said = nil, nil, true, said{texts: []string{summary}}
}

// results returns one result for each call of a step.
func (m *maker) results(s *records.Step) []records.Observation {
	known := map[string]records.Observation{}
	for i := range s.ToolCalls {
		if o, found := m.late[s.ToolCalls[i].ToolCallID]; found {
			known[o.SourceCallID] = o
		}
	}
	for _, o := range s.Observations {
		known[o.SourceCallID] = o
	}
	var out []records.Observation
	for i := range s.ToolCalls {
		o, found := known[s.ToolCalls[i].ToolCallID]
		if !found {
			o = records.Observation{SourceCallID: s.ToolCalls[i].ToolCallID, Error: new(records.ErrorNoResult)}
		}
		out = append(out, o)
	}
	return out
}

// late returns results that are not in the step of their call; other programs may write such records.
func late(r *records.Record) map[string]records.Observation {
	out := map[string]records.Observation{}
	for i := range r.Steps {
		s := &r.Steps[i]
		for _, o := range s.Observations {
			if !slices.ContainsFunc(s.ToolCalls, func(c records.ToolCall) bool { return c.ToolCallID == o.SourceCallID }) {
				out[o.SourceCallID] = o
			}
		}
	}
	return out
}

// summaries returns the texts that replaced the history at each compaction, by the step before it.
func summaries(r *records.Record) map[int]string {
	out := r.Summaries()
	for after, text := range out {
		if text == "" {
			out[after] = compacted
		}
	}
	return out
}

func joined(texts []string) string { return strings.Join(texts, ",") }
