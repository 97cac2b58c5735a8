package assemble

import (
	"slices"

	"github.com/git-trace/git-trace/records"
)

// Result adds the result of a call.
func (c *Conversation) Result(at records.Locator, callID string, r Result) error {
	it := c.byCall[callID]
	if it == nil {
		return c.late(at, callID, r)
	}
	it.last = max(it.last, at.Offset)
	i := slices.IndexFunc(it.step.calls, func(one *call) bool { return one.ID == callID })
	if it.step.calls[i].result != nil {
		c.Drop("repeated_result")
		return nil
	}
	c.join(it, i, &r)
	return c.relieve()
}

// maxEarly limits the number of results that wait for their calls.
const maxEarly = 64

// late adds a result that comes after its step was passed on, or before its call. This happens because several writers
// write the lines.
func (c *Conversation) late(at records.Locator, callID string, r Result) error {
	step, waited := c.state.steps[callID]
	switch {
	case waited:
	case c.state.calls.has(hashID(callID)):
		c.Drop("repeated_result")
		return nil
	case callID == "" || len(c.early) >= maxEarly:
		c.Drop("result_without_call")
		return nil
	default:
		c.early[callID] = early{&r, at.Offset}
		return nil
	}
	observation := observe(callID, &r)
	c.remark(func(s *state) {
		delete(s.steps, callID)
		s.Dropped["no_result"]--
		s.LateResults++
		c.fail(c.sink.Late(step, observation))
		if r.Subagent != "" && c.options.Subagent != nil {
			c.fail(c.options.Subagent(c, step, &Call{ID: callID}, r.Subagent))
		}
	})
	return c.err
}

// `join` stores the result of a call.
func (c *Conversation) join(it *item, i int, r *Result) {
	it.step.calls[i].result = r
	it.step.open--
	it.step.time = later(it.step.time, r.Time)
	size := 0
	if r.Content != nil {
		size = len(*r.Content)
	}
	for _, edit := range r.Edits {
		size += len(edit.Text)
	}
	c.grow(it, size)
}
