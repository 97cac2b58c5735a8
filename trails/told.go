package trails

import (
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/trails/snapshot"
)

// Agents write down how their calls ended. It is asked where a boundary does not come, or comes late.

// askTranscripts asks the agents' own records how the calls ended whose windows are open. Boundaries of their
// conversations ask by themselves (overdue); a person who refuses a call, or interrupts it, may commit before they say
// anything to the agent again. Returned are the calls that are over.
func (s *witness) askTranscripts() (over []*Window) {
	for _, w := range s.state.openWindows() {
		if w.Background || s.around(w) {
			continue
		}
		switch s.endTold(w).Outcome {
		case OutcomeRejected:
			w.Rejected = true
			over = append(over, w)
		case OutcomeRan:
			if s.bounds[w].ended.IsZero() {
				w.Doubt, w.Why = true, events.LimitMissingAfter
			} else {
				over = append(over, w)
			}
		case OutcomeUnknown:
		}
	}
	return over
}

// endTold asks the agent's own record once how a call ended. The call was under way until that moment, unless a
// process of it still lives.
func (s *witness) endTold(w *Window) End {
	if end, asked := s.ends[w]; asked {
		return end
	}
	end := s.settle.end(w)
	if s.ends == nil {
		s.ends = map[*Window]End{}
	}
	s.ends[w] = end
	b := s.bounds[w]
	if b != nil {
		b.hearEnd(w, end)
	}
	if b != nil && end.Outcome == OutcomeRan && end.At.After(w.Begun) && s.steady(w, s.time) && len(w.processes()) == 0 {
		b.ended = end.At.Add(-snapshot.Slack) // what was written right after may bear a time before
		if end.Finished {
			b.ended = end.At.Add(time.Millisecond) // what it wrote last, right before; agents cut off what is less than that
		}
	}
	return end
}

// hearFinish asks the agent's own record for the end of a command that is reported late: Codex reports a command
// that outlasts its call when the model asks for it again. A change in between belongs to nobody.
func (s *witness) hearFinish(w *Window) {
	if w.Class != events.ToolRuns || s.bounds == nil {
		return
	}
	b := s.bounds[w]
	if b == nil {
		b = &bound{}
		s.bounds[w] = b
	}
	if !s.endTold(w).Finished {
		b.ended = time.Time{}
	}
}

// toldEnd returns the end of a call by the agent's own record; zero if the record does not have it.
func (s *witness) toldEnd(w *Window) time.Time {
	if b := s.bounds[w]; b != nil && !w.Rejected && !w.Background {
		return b.ended.UTC()
	}
	return time.Time{}
}
