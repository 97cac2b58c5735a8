package trails

import (
	"fmt"

	"github.com/git-trace/git-trace/events"
)

// pair gives a call to which its agent gave no id one of the timeline's own. The boundaries of a call are brought together by
// content and order: an after-boundary ends the oldest open window of its conversation that was opened by the same tool with
// the same input, and where the agent changed the input meanwhile, the oldest of the same tool.
func (s *step) pair(sess *sessionState, trace events.TraceID, b *events.Boundary) {
	if b.Tool == nil || b.Tool.CallID != "" || b.Tool.Fingerprint == "" {
		return
	}
	tool := *b.Tool // a boundary may concern several work trees, each of which counts for itself
	b.Tool = &tool
	if b.Kind != events.ToolBefore {
		tool.CallID = s.openUnnamed(trace, b)
	}
	if tool.CallID == "" {
		sess.Unnamed++
		tool.CallID = fmt.Sprintf("paired-%s-%d", tool.Fingerprint, sess.Unnamed)
	}
	s.env.ToolCall = tool.CallID
}

// openUnnamed is the id of the window that an after-boundary without an id ends, "" when there is none.
func (s *step) openUnnamed(trace events.TraceID, b *events.Boundary) string {
	sameTool := ""
	for _, w := range s.state.openWindows() {
		if w.Trace != trace || w.Print == "" || w.Subagent != b.Subagent || w.Tool != b.Tool.Name {
			continue
		}
		if w.Print == b.Tool.Fingerprint {
			return w.CallID
		}
		if sameTool == "" {
			sameTool = w.CallID
		}
	}
	return sameTool
}
