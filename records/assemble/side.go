package assemble

import (
	"slices"
)

// Child starts the conversation of a subagent that has its own session file; its steps are passed on at once.
func (c *Conversation) Child(step int, id, role string) *Conversation {
	return &Conversation{
		shared: c.shared, parent: c, step: step, id: id, role: role, leftAt: -1,
		byKey: map[string]*item{}, byCall: map[string]*item{}, early: map[string]early{},
	}
}

// Waiting returns a call without a result whose step was not passed on; otherwise nil.
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

// Pending lists the calls of the given tools that have no result yet, the latest first.
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

// Side starts the conversation of a subagent in its parent's file. Its steps follow the step with the given call; ""
// means that the call is unknown. Steps that come later are passed on with the parent's next turn.
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

// Close ends the conversation of a subagent in the same file.
func (c *Conversation) Close() error {
	c.closed = true
	if c.held {
		return nil
	}
	return c.Settle()
}

// release passes on the steps of a held conversation, and stops holding it.
func (c *Conversation) release(step int) error {
	if !c.held {
		return nil
	}
	c.held, c.step = false, step
	return c.Settle()
}

// settleSides passes on the new steps of released subagents, and drops finished subagents, which have no lines after
// this point.
func (c *Conversation) settleSides() error {
	for _, side := range c.sides {
		if err := side.Settle(); err != nil {
			return err
		}
	}
	c.sides = slices.DeleteFunc(c.sides, func(side *Conversation) bool { return side.closed && !side.held })
	return nil
}

// goingOn reports whether a released subagent may have further lines. Then reading cannot continue here, because it
// would not know to whom later lines belong. A held subagent does not matter: it is read again with the step of its
// call.
func (c *Conversation) goingOn() bool {
	return slices.ContainsFunc(c.sides, func(side *Conversation) bool { return !side.held })
}

// Waits reports whether the answer with this key can still receive pieces.
func (c *Conversation) Waits(key string) bool { return c.byKey[key] != nil }

// Called reports whether a call has been added.
func (c *Conversation) Called(callID string) bool {
	return c.byCall[callID] != nil || c.state.calls.has(hashID(callID))
}

// Began reports whether the line with this id has been started; it does not start it.
func (c *Conversation) Began(id string) bool { return c.state.seen.has(hashID(id)) }

// Expects reports whether the step of a call was passed on without the call's result, which may still come.
func (c *Conversation) Expects(callID string) bool {
	_, waits := c.state.steps[callID]
	return waits
}
