package trails

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/git-trace/git-trace/events"
)

// pair gives a call an id of the timeline's own, if its agent gave it none. It gives the end of such a call the
// sub-agent of its beginning. The boundaries of a call are brought together by content and order (see openUnnamed).
func (s *step) pair(sess *sessionState, trace events.TraceID, b *events.Boundary) {
	if b.Tool == nil || b.Tool.CallID != "" || b.Tool.Fingerprint == "" {
		return
	}
	tool := *b.Tool // a boundary may concern several work trees, each of which counts for itself
	b.Tool = &tool
	if b.Kind != events.ToolBefore {
		if w := s.openUnnamed(trace, b); w != nil {
			tool.CallID, b.Subagent = w.CallID, w.Subagent
		}
	}
	if tool.CallID == "" {
		sess.Unnamed++
		tool.CallID = fmt.Sprintf("paired-%s-%d", tool.Fingerprint, sess.Unnamed)
	}
	s.env.ToolCall, s.env.Subagent = tool.CallID, b.Subagent
}

// openUnnamed returns the window that an after-boundary without an id ends: the oldest open one of its conversation
// that was opened by the same tool with the same input; where an agent names the sub-agent only at the beginning of a
// call, any sub-agent's; and where the agent changed the input meanwhile, the oldest of the same tool and the same
// declared paths. nil when there is none.
func (s *step) openUnnamed(trace events.TraceID, b *events.Boundary) *Window {
	var elsewhere, changed *Window
	paths := s.toolPaths(*b)
	for _, w := range s.state.openWindows() {
		if w.Trace != trace || w.Print == "" || w.Tool != b.Tool.Name {
			continue
		}
		own, same := w.Subagent == b.Subagent, w.Print == b.Tool.Fingerprint
		switch {
		case own && same:
			return w
		case same && b.Subagent == "" && elsewhere == nil:
			elsewhere = w
		case own && changed == nil && slices.Equal(w.Paths, paths):
			changed = w
		}
	}
	return cmp.Or(elsewhere, changed)
}
