package assemble

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/git-trace/git-trace/records"
)

// Take counts a line that is in the record.
func (c *Conversation) Take() {
	if it := c.lastItem(); it != nil {
		it.lines++
		return
	}
	c.state.Lines++
}

// Skip counts a line that is not in the record, by reason.
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

// Said adds a message of the user's side. It contains a prompt, results of calls that were already added, or both. A
// message with neither is skipped with the given reason.
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

// Asked adds a prompt that ends the previous turn, unless it was typed while the agent worked.
func (c *Conversation) Asked(p Prompt, working bool) error {
	if !working {
		if err := c.Settle(); err != nil {
			return err
		}
	}
	if err := c.Prompt(p); err != nil {
		return err
	}
	c.Change(func(h *Head) { h.Terminal = "" })
	c.Take()
	return nil
}

// Answered adds a piece of an answer and counts its line.
func (c *Conversation) Answered(a Answer) error {
	err := c.Answer(a)
	c.Take()
	return err
}

// Replied adds a whole answer and counts its line. It skips an answer without content.
func (c *Conversation) Replied(a Answer) error {
	if a.Text == "" && a.Thinking == "" && len(a.Calls) == 0 && a.Usage == nil {
		c.Skip("empty_answer")
		return nil
	}
	return c.Answered(a)
}

// Broke records that an answer was interrupted or failed.
func (c *Conversation) Broke(how records.TerminalState, value map[string]any) {
	list := "interruptions"
	if how == records.Failed {
		list = "api_errors"
	}
	c.Append(list, "after_step", value)
	c.Change(func(h *Head) { h.Terminal = how })
}

// SystemPrompt keeps a system prompt and returns its hash.
func (c *Conversation) SystemPrompt(text string) string {
	sum := sha256.Sum256([]byte(text))
	hash := hex.EncodeToString(sum[:8])
	c.Change(func(h *Head) { h.addPrompt(hash, text) })
	return hash
}

// lastItem returns the item that receives remarks; nil if no item waits.
func (c *Conversation) lastItem() *item {
	if len(c.queue) == 0 {
		if !c.held {
			return nil
		}
		c.push(&item{})
	}
	return c.queue[len(c.queue)-1]
}

// Drop counts other data that is not in the record, by reason.
func (c *Conversation) Drop(reason string) {
	c.remark(func(s *state) { s.Dropped[reason]++ })
}

// Append adds a value to a metadata list. If the parameter `after` is not "", the value gets a member with this name,
// which contains the number of the step before it. The value of a subagent also gets the subagent's id.
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

// maxSummary limits the text that is kept of a compaction, in bytes.
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

// Change changes the head of the conversation after all earlier steps were passed on.
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
