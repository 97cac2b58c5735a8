package atif

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/rawjson"
)

// ownExtra is the member of a document's extra for data that the format has no member for.
const ownExtra = "git_trace"

// ErrNoSteps reports a conversation without steps: a trajectory must have at least one.
var ErrNoSteps = errors.New("a trajectory needs a step, and nothing was said")

// Write writes a conversation as one document and a line feed.
func Write(w io.Writer, r *records.Record) error {
	if len(r.Steps) == 0 {
		return ErrNoSteps
	}
	var k kept
	if raw := r.Metadata[Name]; len(raw) > 0 && json.Unmarshal(raw, &k) != nil {
		k = kept{}
	}
	out := bufio.NewWriterSize(w, 64<<10)
	writeAs(out, k.Differs, document(r, k.Copied))
	_ = out.WriteByte('\n') // an error is kept and returned by Flush
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write trajectory: %w", err)
	}
	return nil
}

func array(list [][]byte) []byte {
	out := []byte{'['}
	for i, one := range list {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, one...)
	}
	return append(out, ']')
}

// `made` is a document made from a record. Its steps are made one by one when they are needed.
type made struct {
	members []rawjson.Part // the member steps has no value
	steps   int
	step    func(place int) []byte
}

func renumbered(step []byte, place int) []byte {
	number := strconv.AppendInt(nil, int64(place+1), 10)
	return (&rawjson.Difference{Set: map[string]json.RawMessage{"step_id": number}}).Apply(step)
}

// writer writes the steps of a record: the main conversation, and each subagent as a separate trajectory.
type writer struct {
	r      *records.Record
	groups map[int][]*group // subagents by the step that started them; 0 if unknown
	all    []*group
}

// group has the steps of one subagent.
type group struct {
	id, role string
	parent   int
	steps    []*records.Step
}

// document returns the trajectory of a record. Steps that were copied from another trajectory are put in their places.
// If a system prompt has no step, it comes before the trajectory's own steps.
func document(r *records.Record, copied map[string]json.RawMessage) *made {
	w := &writer{r: r, groups: map[int][]*group{}}
	main := w.sort()
	m := &made{}
	prompt, prompted := w.onlyPrompt(main)
	own := len(main)
	if prompted {
		own++
	}
	places := placesOf(own, copied)
	m.steps = len(places)
	m.step = func(place int) []byte {
		i := places[place]
		switch {
		case i < 0:
			return renumbered(copied[strconv.Itoa(place)], place)
		case prompted && i == 0:
			var s rawjson.Members
			return s.Number("step_id", int64(place+1)).Text("source", "system").Text("message", prompt).End()
		case prompted:
			i--
		}
		return w.step(place+1, main[i])
	}
	text := func(name, value string) {
		m.members = append(m.members, rawjson.Part{Name: name, Value: rawjson.AppendString(nil, value)})
	}
	raw := func(name string, value []byte) { m.members = append(m.members, rawjson.Part{Name: name, Value: value}) }
	text("schema_version", Version)
	text("session_id", r.SessionID)
	raw("agent", w.agent(r.Agent.Name, true))
	raw("steps", nil)
	raw("final_metrics", w.final(own))
	if subs := w.subs(append(idsOf(main), 0)); len(subs) > 0 {
		raw("subagent_trajectories", array(subs))
	}
	raw("extra", w.extra(main))
	return m
}

// placesOf returns, for each place, the index of the trajectory's own step, or -1 for a copied step.
func placesOf(own int, copied map[string]json.RawMessage) (places []int) {
	for next := 0; next < own || copied[strconv.Itoa(len(places))] != nil; {
		if copied[strconv.Itoa(len(places))] != nil {
			places = append(places, -1)
			continue
		}
		places = append(places, next)
		next++
	}
	return places
}

func idsOf(steps []*records.Step) []int {
	ids := make([]int, len(steps))
	for i, s := range steps {
		ids[i] = s.StepIndex
	}
	return ids
}

// sort separates the steps of the conversation from the steps of its subagents.
func (w *writer) sort() (main []*records.Step) {
	var told []struct {
		ID    string `json:"id"`
		Step  int    `json:"step"`
		First int    `json:"first_step"`
		Last  int    `json:"last_step"`
	}
	_ = json.Unmarshal(w.r.Metadata["subagents"], &told) // a list in another form is ignored
	byKey := map[string]*group{}
	for i := range w.r.Steps {
		s := &w.r.Steps[i]
		if s.CallType == nil || *s.CallType != records.CallSubagent {
			main = append(main, s)
			continue
		}
		parent, key, id := 0, "", ""
		if s.ParentStep != nil {
			parent = *s.ParentStep
		}
		best := len(w.r.Steps) + 1
		for n, one := range told {
			if one.Step == parent && one.First <= s.StepIndex && s.StepIndex <= one.Last && one.Last-one.First < best {
				best, key, id = one.Last-one.First, strconv.Itoa(n), one.ID
			}
		}
		key = strconv.Itoa(parent) + "/" + key
		g := byKey[key]
		if g == nil {
			g = &group{id: cmp.Or(id, "subagent-"+strconv.Itoa(len(w.all)+1)), parent: parent}
			byKey[key] = g
			w.all = append(w.all, g)
			w.groups[parent] = append(w.groups[parent], g)
		}
		if g.role == "" && s.AgentRole != nil {
			g.role = *s.AgentRole
		}
		g.steps = append(g.steps, s)
	}
	if len(main) == 0 {
		return w.alone()
	}
	return main
}

// `alone` returns the steps of the first subagent if the main conversation has none, as in a subagent's session file: a
// trajectory must have at least one step.
func (w *writer) alone() []*records.Step {
	first := w.all[0]
	w.all = w.all[1:]
	w.groups[first.parent] = w.groups[first.parent][1:]
	return first.steps
}

func (w *writer) trajectoryID(g *group) string { return w.r.TraceID + "/" + g.id }

// subs returns the trajectories of the subagents that the given steps started.
func (w *writer) subs(parents []int) [][]byte {
	var out [][]byte
	for _, g := range w.all {
		if !slices.Contains(parents, g.parent) {
			continue
		}
		var o rawjson.Members
		o.Text("schema_version", Version)
		o.Text("session_id", w.r.SessionID)
		o.Text("trajectory_id", w.trajectoryID(g))
		o.Raw("agent", w.agent(cmp.Or(g.role, "subagent"), false))
		o.Raw("steps", array(w.steps(g.steps)))
		if nested := w.subs(idsOf(g.steps)); len(nested) > 0 {
			o.Raw("subagent_trajectories", array(nested))
		}
		out = append(out, o.End())
	}
	return out
}

func (w *writer) agent(name string, main bool) []byte {
	var o rawjson.Members
	o.Text("name", name)
	o.Text("version", cmp.Or(records.Value(w.r.Agent.Version), "unknown"))
	if model := records.Value(w.r.Agent.Model); model != "" && main {
		o.Text("model_name", model)
	}
	if main && len(w.r.ToolDefinitions) > 0 {
		list := make([][]byte, len(w.r.ToolDefinitions))
		for i := range list {
			list[i] = w.r.ToolDefinitions[i]
		}
		o.Raw("tool_definitions", array(list))
	}
	return o.End()
}

// onlyPrompt returns the system prompt of a record that has exactly one, and no step for it.
func (w *writer) onlyPrompt(main []*records.Step) (string, bool) {
	if len(w.r.SystemPrompts) != 1 || slices.ContainsFunc(main, isSystem) {
		return "", false
	}
	for _, prompt := range w.r.SystemPrompts {
		return prompt, true
	}
	return "", false
}

func isSystem(s *records.Step) bool { return s.Role == records.RoleSystem }

func (w *writer) steps(list []*records.Step) [][]byte {
	out := make([][]byte, len(list))
	for i, s := range list {
		out[i] = w.step(i+1, s)
	}
	return out
}

// `stamp` reports whether a time has the format's form: ISO 8601, with or without a zone.
func stamp(s string) bool {
	_, zoned := time.Parse(time.RFC3339Nano, s)
	_, plain := time.Parse("2006-01-02T15:04:05", s)
	return zoned == nil || plain == nil
}

func (w *writer) step(id int, s *records.Step) []byte {
	var o rawjson.Members
	o.Number("step_id", int64(id))
	if at := records.Value(s.Timestamp); stamp(at) {
		o.Text("timestamp", at)
	}
	o.Text("source", string(s.Role))
	if s.Role == records.RoleAgent {
		if model := records.Value(s.Model); model != "" {
			o.Text("model_name", model)
		}
	}
	o.Text("message", records.Value(s.Content))
	if s.Role != records.RoleAgent {
		return o.End()
	}
	if s.ReasoningContent != nil {
		o.Text("reasoning_content", *s.ReasoningContent)
	}
	if len(s.ToolCalls) > 0 {
		o.Raw("tool_calls", calls(s))
	}
	if results := w.results(s); len(results) > 0 {
		var observation rawjson.Members
		o.Raw("observation", observation.Raw("results", array(results)).End())
	}
	if u := s.TokenUsage; u.InputTokens+u.OutputTokens+u.CacheReadTokens+u.CacheWriteTokens > 0 {
		o.Raw("metrics", usage("", u.InputTokens, u.OutputTokens, u.CacheReadTokens, u.CacheWriteTokens).End())
	}
	return o.End()
}

// usage writes token counts: the tokens of the prompt include cache reads and writes.
func usage(prefix string, input, output, read, written int64) *rawjson.Members {
	o := &rawjson.Members{}
	o.Number(prefix+"prompt_tokens", input+read+written)
	o.Number(prefix+"completion_tokens", output)
	o.Number(prefix+"cached_tokens", read)
	if written > 0 {
		var extra rawjson.Members
		o.Raw("extra", extra.Number(prefix+"cache_creation_input_tokens", written).End())
	}
	return o
}

func calls(s *records.Step) []byte {
	list := make([][]byte, len(s.ToolCalls))
	for i := range s.ToolCalls {
		c := &s.ToolCalls[i]
		var o rawjson.Members
		o.Text("tool_call_id", c.ToolCallID).Text("function_name", c.ToolName)
		if len(c.Input) == 0 {
			o.Raw("arguments", []byte("{}"))
		} else {
			o.Raw("arguments", c.Input)
		}
		if c.DurationMS != nil {
			var extra rawjson.Members
			o.Raw("extra", extra.Number("duration_ms", *c.DurationMS).End())
		}
		list[i] = o.End()
	}
	return array(list)
}

// results returns the results of the calls of a step. The result of the step's only call refers to the subagent; if
// there are several results, a separate entry without a call refers to it.
func (w *writer) results(s *records.Step) [][]byte {
	var refs [][]byte
	for _, g := range w.groups[s.StepIndex] {
		var ref rawjson.Members
		refs = append(refs, ref.Text("trajectory_id", w.trajectoryID(g)).End())
	}
	var out [][]byte
	for i := range s.Observations {
		result := &s.Observations[i]
		var o rawjson.Members
		if s.ToolCall(result.SourceCallID) != nil {
			o.Text("source_call_id", result.SourceCallID)
		}
		o.Text("content", records.Value(result.Content))
		if len(refs) > 0 && len(s.Observations) == 1 {
			o.Raw("subagent_trajectory_ref", array(refs))
			refs = nil
		}
		if result.Error != nil {
			var extra rawjson.Members
			o.Raw("extra", extra.Text("error", *result.Error).End())
		}
		out = append(out, o.End())
	}
	if len(refs) > 0 {
		var o rawjson.Members
		out = append(out, o.Raw("subagent_trajectory_ref", array(refs)).End())
	}
	return out
}

func (w *writer) final(steps int) []byte {
	m := &w.r.Metrics
	o := usage("total_", m.TotalInputTokens, m.TotalOutputTokens, m.TotalCacheReadTokens, m.TotalCacheCreationTokens)
	if usd, _, _ := w.r.Cost(); usd != nil {
		o.Raw("total_cost_usd", rawjson.AppendFloat(nil, *usd))
	}
	return o.Number("total_steps", int64(steps)).End()
}

// extra returns the data that the format has no member for.
func (w *writer) extra(main []*records.Step) []byte {
	var own rawjson.Members
	own.Text("trace_id", w.r.TraceID)
	if w.r.ExecutionContext != nil {
		own.Text("execution_context", string(*w.r.ExecutionContext))
	}
	add := func(name string, value any) {
		if raw, err := json.Marshal(value); err == nil {
			own.Raw(name, raw)
		}
	}
	add("outcome", w.r.Outcome)
	if len(w.r.GitLinks) > 0 {
		add("git_links", w.r.GitLinks)
	}
	if w.r.Attribution != nil {
		add("attribution", w.r.Attribution)
	}
	var o rawjson.Members
	o.Raw(ownExtra, own.End())
	if _, one := w.onlyPrompt(main); !one && len(w.r.SystemPrompts) > 0 && !slices.ContainsFunc(main, isSystem) {
		var prompts rawjson.Members
		for _, hash := range slices.Sorted(maps.Keys(w.r.SystemPrompts)) {
			prompts.Text(hash, w.r.SystemPrompts[hash])
		}
		o.Raw("system_prompts", prompts.End())
	}
	return o.End()
}
