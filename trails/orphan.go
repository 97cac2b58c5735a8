package trails

import "github.com/git-trace/git-trace/events"

// doubtOrphans notes of the windows whose agent was killed that they may have ended, and returns them. What such a call had begun may
// go on without its agent, and a person may work where it was: neither is known. The windows are over with this step.
func (s *step) doubtOrphans() []*Window {
	var out []*Window
	for _, w := range s.state.openWindows() {
		if w.Process > 0 && !events.ProcessLives(w.Process) {
			w.Doubt = true
			out = append(out, w)
		}
	}
	return out
}

// endOrphans closes those of the windows that no boundary of their own conversation has closed.
func (s *step) endOrphans(orphans []*Window) error {
	for _, w := range orphans {
		if w.Closed != 0 || len(s.env.Method) == 0 {
			continue
		}
		data := s.windowData(w, "abandoned")
		data.Patches = s.counts[w.CallID]
		err := s.draft(events.WindowAbandoned, data, func(d *events.Draft) {
			d.Trace, d.Agent, d.Session, d.Subagent, d.ToolCall = w.Trace, w.Agent, w.Session, w.Subagent, w.CallID
			d.Limits = unionLimits(w.Limits, []events.Limit{events.LimitMissingAfter})
		})
		if err != nil {
			return err
		}
		w.Closed, w.Background, w.Edits = s.interval, false, nil
	}
	return nil
}
