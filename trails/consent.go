package trails

import (
	"slices"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/trails/process"
)

// An agent may ask a person for their consent after it has announced a call. Until they give it the call writes
// nothing, and what changes is a person's. Some agents report at the end how long the call ran (heardDuration). For
// others the processes show it while the call is open: then its shell exists. After the end nothing shows it: changes
// that it may have written are the call's, with a doubt.

// consent is the state of the person's consent to an open call.
type consent int

const (
	consentGiven   consent = iota // or never asked for
	consentAwaited                // it is a shell, and no shell of it lives
	consentUnknown
)

// takeConsent takes a boundary at which an agent asks for consent. At that time the call has not done anything.
func (s *step) takeConsent(trace events.TraceID, b events.Boundary) error {
	s.env.Limits = nil
	for _, w := range s.asked(trace, b) {
		s.bounds[w].consent = consentAwaited
	}
	if s.queue.ahead == nil {
		return nil
	}
	_, err := s.look(nil)
	return err
}

// asked returns the calls that a dialog is about, which it notes. An agent that does not say which one it is means any
// of the conversation's.
func (s *workTree) asked(trace events.TraceID, b events.Boundary) []*Window {
	var out []*Window
	for _, w := range s.state.openWindows() {
		switch {
		case w.Trace != trace || w.Background || len(w.Left) > 0:
		case b.Tool != nil && b.Tool.CallID != "" && b.Tool.CallID != w.CallID:
		case b.Tool != nil && b.Tool.CallID == "" && (b.Tool.Name != w.Tool || b.Subagent != w.Subagent):
		default:
			w.Asked = b.Time
			out = append(out, w)
		}
	}
	return out
}

// consentTo reports whether a call was consented to. State is the state of its agent.
func (s *witness) consentTo(w *Window, state process.State) consent {
	switch {
	case w.Asked.IsZero() || w.Class == events.ToolEdits || w.Session != s.caller && s.around(w):
		return consentGiven
	case w.Class != events.ToolRuns || state != process.Alive:
		return consentUnknown
	}
	found, known := w.seenBy(s.caller != "").Left()
	switch {
	case len(found) > 0:
		return consentGiven
	case known:
		return consentAwaited
	}
	return consentUnknown
}

// endsHere reports whether a window ends at this boundary.
func (s *witness) endsHere(w *Window) bool {
	return slices.ContainsFunc(s.closing, func(end ending) bool { return end.window == w })
}

// declaredAlone returns a decision about the path of an edit call for which a dialog was open: what it declared is its
// own. The rest may be the person's, who had the time for it, or of a program that follows the edit.
func declaredAlone(w *Window, path string) decision {
	texts := declaredLines(w, path)
	own, unknown := byWindow(w, path), actor{kind: events.OwnerUnknown, limits: []events.Limit{events.LimitConsentUnknown}}
	return func(line []byte) *actor {
		if texts[string(linediff.StripSpace(line))] {
			return &own
		}
		return &unknown
	}
}

// hearEnd reads the end of a call with a dialog from the agent's own record. A call that has ended may have had
// consent, even if it has no process now: for example, a person allowed a command and interrupted it.
func (b *bound) hearEnd(w *Window, end End) {
	b.unbegun = end.Unbegun && !w.Asked.IsZero()
	if b.consent == consentAwaited && end.Outcome == OutcomeRan {
		b.consent = consentUnknown
	}
}
