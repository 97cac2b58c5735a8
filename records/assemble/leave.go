package assemble

import (
	"cmp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/git-trace/git-trace/records"
)

// leave passes on the first item of the queue.
func (c *Conversation) leave() error {
	it := c.queue[0]
	c.drop()
	if it.step != nil {
		c.handOn(it)
	}
	it.applyRemarks(c.state)
	return c.err
}

// handOn passes a step to the sink, and then the steps of the subagents that it started.
func (c *Conversation) handOn(it *item) {
	step := it.step
	if step.key != "" {
		delete(c.byKey, step.key)
		c.state.keys.add(hashID(step.key))
	}
	for _, one := range step.calls {
		delete(c.byCall, one.ID)
		c.state.calls.add(hashID(one.ID))
	}
	c.complete(step)
	c.count(step)
	c.trace(it)
	index := step.StepIndex
	if place, ok := c.sink.(records.Locating); ok {
		place.Locate(index, it.at)
	}
	if err := c.sink.Step(&step.Step); err != nil {
		c.fail(err)
		return
	}
	for _, side := range step.sides {
		c.fail(side.release(index))
	}
	if c.options.Subagent != nil {
		for _, one := range step.calls {
			c.fail(c.options.Subagent(c, index, &one.Call, one.subagent()))
		}
	}
}

// trace records the source lines of a step and the reason of its end.
func (c *Conversation) trace(it *item) {
	s, step := c.state, it.step
	if n := s.tree.node(it.node); n != nil {
		n.step = int32(step.StepIndex)
	}
	if len(step.sources) == 0 {
		step.sources = appendID(nil, it.at.ID)
	}
	switch {
	case len(step.sources) == 0:
	case len(s.Sources) < maxSources:
		s.Sources = append(s.Sources, records.Source{Step: step.StepIndex, IDs: step.sources})
	default:
		s.Dropped["metadata_limit"]++
	}
	if step.stop == "" {
		return
	}
	s.Stops++
	if reason := stopOf(step.stop, len(step.calls)); reason != records.UsualStop(len(step.calls)) {
		s.appendTo("stop_reasons", records.Stop{Step: step.StepIndex, Reason: reason})
	}
}

// subagent returns the id of the subagent that the call started; "" if there is none or the result has no id.
func (c *call) subagent() string {
	if c.result == nil {
		return ""
	}
	return c.result.Subagent
}

// complete sets the step's number, its parent step and the observations of its calls.
func (c *Conversation) complete(p *pending) {
	s := c.state
	s.Next++
	p.StepIndex = s.Next
	if c.parent == nil {
		p.CallType = cmp.Or(p.CallType, new(records.CallMain))
		if p.Role == records.RoleAgent {
			p.AgentRole = new("main")
		}
	} else {
		p.CallType = cmp.Or(p.CallType, new(records.CallSubagent))
		if p.Role == records.RoleAgent {
			p.AgentRole = records.Text(cmp.Or(c.role, "subagent"))
		}
		if c.step > 0 {
			p.ParentStep = new(c.step)
		}
		c.subagentStep()
	}
	if p.usage != nil {
		p.TokenUsage = p.usage.TokenUsage
	}
	for _, one := range p.calls {
		p.ToolCalls = append(p.ToolCalls, records.ToolCall{
			ToolCallID: one.ID, ToolName: one.Name, Input: one.Input, DurationMS: one.duration(),
		})
		if one.result == nil {
			s.Dropped["no_result"]++
			if len(s.steps) < maxOpenCalls {
				s.steps[one.ID] = p.StepIndex
			}
			p.Observations = append(p.Observations, records.Observation{SourceCallID: one.ID, Error: new(records.ErrorNoResult)})
			continue
		}
		p.Observations = append(p.Observations, observe(one.ID, one.result))
		if id := one.result.Subagent; id != "" && p.SubagentTrajectoryRef == nil {
			p.SubagentTrajectoryRef = &id
		}
	}
}

// subagentStep counts one more step of the subagent.
func (c *Conversation) subagentStep() {
	s := c.state
	switch {
	case c.listed > 0:
		s.Subagents[c.listed-1].Last = s.Next
	case len(s.Subagents) < maxList:
		s.Subagents = append(s.Subagents, subagent{ID: c.id, Role: c.role, Step: c.step, First: s.Next, Last: s.Next})
		c.listed = len(s.Subagents)
	}
}

// duration returns the duration of the call: from its result, otherwise the time between its line and the line of its
// result.
func (c *call) duration() *int64 {
	if c.result == nil {
		return nil
	}
	if c.result.DurationMS != nil {
		return c.result.DurationMS
	}
	from, err := time.Parse(time.RFC3339Nano, c.time)
	if err != nil {
		return nil
	}
	to, err := time.Parse(time.RFC3339Nano, c.result.Time)
	if err != nil || to.Before(from) {
		return nil
	}
	return new(to.Sub(from).Milliseconds())
}

func observe(id string, r *Result) records.Observation {
	o := records.Observation{SourceCallID: id, Content: r.Content, Error: records.Text(r.Error)}
	if r.Content != nil {
		o.OutputSummary = new(Summary(*r.Content))
	}
	return o
}

// summaryRunes is the greatest length of a summary, in characters.
const summaryRunes = 200

// Summary returns up to 200 characters from the start of a text, without surrounding white space.
func Summary(content string) string {
	if len(content) > 8*summaryRunes {
		content = strings.ToValidUTF8(content[:8*summaryRunes], "")
	}
	content = strings.TrimSpace(content)
	if utf8.RuneCountInString(content) <= summaryRunes {
		return content
	}
	end := 0
	for range summaryRunes - 1 {
		_, size := utf8.DecodeRuneInString(content[end:])
		end += size
	}
	return content[:end] + "…"
}

// stops maps the words of agents and providers for the end of an answer to the words of records.
var stops = map[string]string{
	"stop": "", "completed": "", "end_turn": "", "tool-calls": "", "tool_calls": "", "tooluse": "", "tool_use": "",
	"function_call": "",
	"length":        "max_tokens", "max_tokens": "max_tokens", "max_output_tokens": "max_tokens",
	"content-filter": "refusal", "content_filter": "refusal", "safety": "refusal", "refusal": "refusal",
	"aborted": "interrupted", "cancelled": "interrupted", "unknown": "", "other": "",
}

// maxReason limits the length of the reason why an answer ended.
const maxReason = 60

// stopOf returns the reason why an answer ended, in the words of records. For a normal end, it is UsualStop. An unknown
// word is returned unchanged if it is short and printable; otherwise UsualStop is returned.
func stopOf(said string, calls int) string {
	said = strings.TrimSpace(said)
	word, known := stops[strings.ToLower(said)]
	switch {
	case known && word != "":
		return word
	case known, len(said) > maxReason, strings.ContainsFunc(said, func(r rune) bool { return r <= ' ' || r > '~' }):
		return records.UsualStop(calls)
	}
	return said
}
