package assemble

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/git-trace/git-trace/records"
)

// ErrCursor reports a cursor from which this version cannot continue.
var ErrCursor = errors.New("not a cursor")

// cursorVersion is raised by each change of a cursor's content or of code that depends on it.
const cursorVersion = 2

// Cursor is the place at which reading continues after the session file has grown.
type Cursor struct {
	Version   int             `json:"version"`
	Offset    int64           `json:"offset"` // the offset of the line at which to continue
	Line      int64           `json:"line"`   // the number of lines before it
	Steps     int             `json:"steps"`  // the number of complete steps; later steps are passed again
	Registers json.RawMessage `json:"registers,omitempty"`
	Seen      string          `json:"seen,omitempty"`
	Keys      string          `json:"keys,omitempty"`
	Calls     string          `json:"calls,omitempty"`
	Tree      packedTree      `json:"tree,omitzero"`
	State     json.RawMessage `json:"state"`
}

// Cursor returns the place at which reading can continue: the line of the first step that was not passed on, or the
// next line. It is nil if later lines cannot be understood without earlier ones.
func (c *Conversation) Cursor(nextOffset, lines int64) (*Cursor, error) {
	if c.goingOn() || len(c.early) > 0 {
		return nil, nil
	}
	cursor := &Cursor{Version: cursorVersion, Offset: nextOffset, Line: lines, Steps: c.state.Next, Registers: c.registers}
	seen := c.state.seen.len()
	tree := c.state.tree.mark()
	if len(c.queue) > 0 {
		first := c.queue[0]
		if c.leftAt >= first.at.Offset || slices.ContainsFunc(c.queue,
			func(it *item) bool { return it.needs < first.at.Offset }) {
			return nil, nil
		}
		cursor.Offset, cursor.Line = first.at.Offset, first.at.Line-1
		cursor.Registers, seen, tree = first.mark.registers, first.mark.seen, first.mark.tree
	}
	c.state.Waiting = c.state.steps
	state, err := json.Marshal(c.state)
	if err != nil {
		return nil, fmt.Errorf("keep the state of a conversation: %w", err)
	}
	cursor.State = state
	cursor.Seen, cursor.Tree = c.state.seen.pack(seen), c.state.tree.pack(tree, seen)
	cursor.Keys, cursor.Calls = c.state.keys.pack(c.state.keys.len()), c.state.calls.pack(c.state.calls.len())
	return cursor, nil
}

// Resume returns a conversation that continues at the cursor. The parser reads on from Cursor.Offset, with
// Cursor.Registers as its state.
func Resume(sink records.Sink, options Options, cursor *Cursor) (*Conversation, error) {
	if cursor.Version != cursorVersion {
		return nil, fmt.Errorf("continue a conversation: %w: version %d", ErrCursor, cursor.Version)
	}
	c := New(sink, options)
	s := newState()
	if err := json.Unmarshal(cursor.State, s); err != nil {
		return nil, fmt.Errorf("continue a conversation: %w", err)
	}
	var whole [4]bool
	s.seen, whole[0] = unpack(cursor.Seen)
	s.keys, whole[1] = unpack(cursor.Keys)
	s.calls, whole[2] = unpack(cursor.Calls)
	s.tree, whole[3] = cursor.Tree.unpack(s.seen.len())
	if whole != [4]bool{true, true, true, true} || s.Next != cursor.Steps || s.Next < 0 || cursor.Offset < 0 {
		return nil, fmt.Errorf("continue a conversation: %w", ErrCursor)
	}
	if s.Waiting != nil {
		s.steps = s.Waiting
	}
	if s.Dropped == nil || s.Skipped == nil {
		return nil, fmt.Errorf("continue a conversation: %w", ErrCursor)
	}
	if s.Lists == nil {
		s.Lists = map[string][]json.RawMessage{}
	}
	if s.Models == nil {
		s.Models = map[string]*modelUse{}
	}
	c.state, c.registers = s, cursor.Registers
	return c, nil
}
