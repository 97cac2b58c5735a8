package assemble

import "strings"

// Take counts a line that is in the record.
func (c *Conversation) Take() {
	if it := c.lastItem(); it != nil {
		it.lines++
		return
	}
	c.state.Lines++
}

// Skip counts a line that is not in the record, with its reason.
func (c *Conversation) Skip(reason string) {
	it := c.lastItem()
	if it == nil {
		c.state.skip(reason, 1)
		return
	}
	if it.skipped == nil {
		it.skipped = map[string]int{}
	}
	if len(it.skipped) >= maxReasons && it.skipped[reason] == 0 {
		reason = "other"
	}
	it.skipped[reason]++
}

// Said takes a message of the user's side, with a prompt, results of calls that were taken already, or both. A message
// without both is skipped for a reason.
func (c *Conversation) Said(p Prompt, returned bool, reason string) error {
	switch {
	case p.Text == "" && returned:
		c.Take()
		return nil
	case p.Text == "":
		c.Skip(reason)
		return nil
	}
	if !returned {
		if err := c.Settle(); err != nil {
			return err
		}
	}
	if err := c.Prompt(p); err != nil {
		return err
	}
	c.Take()
	return nil
}

// lastItem returns the item that takes remarks, nil when nothing waits.
func (c *Conversation) lastItem() *item {
	if len(c.queue) == 0 {
		if !c.held {
			return nil
		}
		c.push(&item{})
	}
	return c.queue[len(c.queue)-1]
}

// Drop counts something else that is not in the record, with its reason.
func (c *Conversation) Drop(reason string) {
	c.remark(func(s *state) { s.Dropped[reason]++ })
}

// Append adds a value to a list of the metadata. If after is not "", the value becomes an object with a member of
// this name that holds the number of the step before it. A value of a subagent has its id.
func (c *Conversation) Append(list, after string, value map[string]any) {
	if c.parent != nil {
		value["subagent"] = c.id
	}
	c.remark(func(s *state) {
		if after != "" {
			value[after] = s.Next
		}
		s.appendTo(list, value)
	})
}

// maxSummary is the length of the text for the model after a compaction that is kept.
const maxSummary = 64 << 10

// Summarised keeps the summary that replaced the earlier conversation for the model.
func (c *Conversation) Summarised(said, time string) {
	if said = strings.TrimSpace(said); said == "" {
		return
	}
	if len(said) > maxSummary {
		said = strings.ToValidUTF8(said[:maxSummary], "") + "…"
	}
	c.Append("summaries", "after_step", map[string]any{"text": said, "timestamp": time})
}

// Change changes the head of the conversation, when everything before it has been handed on.
func (c *Conversation) Change(change func(h *Head)) {
	c.remark(func(s *state) { change(&s.Head) })
}

func (c *Conversation) remark(apply func(s *state)) {
	it := c.lastItem()
	if it == nil {
		apply(c.state)
		return
	}
	it.remarks = append(it.remarks, apply)
	c.grow(it, 64)
}
