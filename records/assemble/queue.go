package assemble

import (
	"encoding/json"

	"github.com/git-trace/git-trace/records"
)

// The limits of the waiting steps: beyond the soft limits complete steps are passed on, beyond the hard limits all
// steps.
const (
	softBytes = 8 << 20
	softItems = 512
	hardBytes = 24 << 20
	hardItems = 4096
)

// item is a waiting step, with the remarks of later lines about the conversation.
type item struct {
	at    records.Locator
	mark  mark
	needs int64 // the offset of the first line that concerned it
	last  int64 // the offset of the last such line
	bytes int

	node    int32    // node of the step in the tree
	step    *pending // nil for an item that has only remarks
	kept    bool     // the entry is a place for a prompt that may come
	gone    bool     // the step was passed on
	lines   int      // the number of lines from this item up to the next one
	skipped map[string]int
	remarks []func(s *state)
}

// applyRemarks applies the item's remarks and adds its counts of lines.
func (it *item) applyRemarks(s *state) {
	s.Lines += it.lines
	for reason, n := range it.skipped {
		s.skip(reason, n)
	}
	for _, remark := range it.remarks {
		remark(s)
	}
}

// `mark` holds the state that a reader needs to continue at the line of an item.
type mark struct {
	seen      int // the number of ids that had been seen
	registers json.RawMessage
	tree      treeMark
}

// pending is a step that may still change.
type pending struct {
	records.Step
	key        string
	time       string // the time of the last piece
	usage      *Usage
	provider   string
	providerID string
	calls      []*call
	open       int // the number of calls without a result
	source     string
	stop       string          // the reason why the answer ended
	sources    []string        // ids of its lines
	sides      []*Conversation // conversations of subagents in the same file
}

// call is a tool call of a pending step.
type call struct {
	Call
	time   string
	result *Result
}

func (c *Conversation) push(it *item) {
	it.mark = mark{seen: c.before, registers: c.registers, tree: c.state.tree.mark()}
	it.needs, it.last = it.at.Offset, it.at.Offset
	c.queue = append(c.queue, it)
	c.grow(it, 64)
}

func (c *Conversation) grow(it *item, n int) {
	it.bytes += n
	c.waiting += n
}

// drop removes the first item from the queue.
func (c *Conversation) drop() {
	it := c.queue[0]
	c.queue[0] = nil
	c.queue = c.queue[1:]
	c.waiting -= it.bytes
	c.leftAt = max(c.leftAt, it.last)
	it.gone = true
}

// relieve passes steps on while the queue is over its limits.
func (c *Conversation) relieve() error {
	if c.held {
		return nil
	}
	for len(c.queue) > 0 {
		soft := c.waiting > softBytes || len(c.queue) > softItems
		hard := c.waiting > hardBytes || len(c.queue) > hardItems
		first := c.queue[0]
		// The last item may still receive pieces.
		ready := len(c.queue) > 1 && !first.kept && (first.step == nil || first.step.open == 0)
		if !soft || !ready && !hard {
			return nil
		}
		if err := c.leave(); err != nil {
			return err
		}
	}
	return nil
}
