package assemble

import (
	"slices"
)

// Child begins the conversation of a subagent with its own session file; its steps are passed on at once.
func (c *Conversation) Child(step int, id, role string) *Conversation {
	return &Conversation{
		shared: c.shared, parent: c, step: step, id: id, role: role, leftAt: -1,
		byKey: map[string]*item{}, byCall: map[string]*item{}, early: map[string]early{},
	}
}

// Waiting returns a call without a result whose step has not left; otherwise nil.
func (c *Conversation) Waiting(callID string) *Call {
	it := c.byCall[callID]
	if it == nil {
		return nil
	}
	for _, one := range it.step.calls {
		if one.ID == callID && one.result == nil {
			return &one.Call
		}
	}
	return nil
}

// Pending lists the calls of some tools that have no result yet, the latest first.
func (c *Conversation) Pending(tools ...string) []*Call {
	var calls []*Call
	for _, it := range slices.Backward(c.queue) {
		if it.step == nil {
			continue
		}
		for _, one := range slices.Backward(it.step.calls) {
			if one.result == nil && slices.Contains(tools, one.Name) {
				calls = append(calls, &one.Call)
			}
		}
	}
	return calls
}

// Side begins the conversation of a subagent in its parent's file. Its steps follow the step with the call; "" is an
// unknown call. Later steps come with the parent's next turn.
func (c *Conversation) Side(callID, id, role string) *Conversation {
	side := c.Child(0, id, role)
	side.held = true
	c.sides = append(c.sides, side)
	if it := c.byCall[callID]; it != nil {
		it.step.sides = append(it.step.sides, side)
		return side
	}
	side.step = c.state.steps[callID]
	c.remark(func(*state) { c.fail(side.release(side.step)) })
	return side
}

// Close ends a subagent's conversation in the same file.
func (c *Conversation) Close() error {
	c.closed = true
	if c.held {
		return nil
	}
	return c.Settle()
}

// release passes a held conversation on, and stops holding it.
func (c *Conversation) release(step int) error {
	if !c.held {
		return nil
	}
	c.held, c.step = false, step
	return c.Settle()
}

// settleSides hands on the news of released subagents, and drops finished ones: all their lines come before the
// lines that wait from here on.
func (c *Conversation) settleSides() error {
	for _, side := range c.sides {
		if err := side.Settle(); err != nil {
			return err
		}
	}
	c.sides = slices.DeleteFunc(c.sides, func(side *Conversation) bool { return side.closed && !side.held })
	return nil
}

// goingOn reports whether a subagent was released since the last turn ended: a reading that continues here would not
// know whose its lines are. A held one is read again with the step that has its call.
func (c *Conversation) goingOn() bool {
	return slices.ContainsFunc(c.sides, func(side *Conversation) bool { return !side.held })
}

// Waits reports whether the answer of a key can still take pieces.
func (c *Conversation) Waits(key string) bool { return c.byKey[key] != nil }

// Called reports whether a call has been taken.
func (c *Conversation) Called(callID string) bool {
	return c.byCall[callID] != nil || c.state.calls.has(hashID(callID))
}

// Began reports whether a line with an id has begun, without beginning it.
func (c *Conversation) Began(id string) bool { return c.state.seen.has(hashID(id)) }

// Expects reports whether a call has left without its result, which may still come.
func (c *Conversation) Expects(callID string) bool {
	_, waits := c.state.steps[callID]
	return waits
}
