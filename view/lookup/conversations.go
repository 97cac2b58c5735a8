package lookup

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/view"
)

// Conversations reads the conversations of a repository, and adds the short ids that people type and see.
type Conversations struct{ *view.Reader }

// Short returns a function that abbreviates ids of conversations to the fewest digits that distinguish all of them. git
// trace show accepts these abbreviations.
func (s *Conversations) Short() (func(events.TraceID) string, error) {
	n, err := s.Digits()
	return Abbreviator(n), err
}

func (s *Conversations) Digits() (int, error) {
	ids, err := s.IDs()
	return DigitsOf(ids), err
}

func DigitsOf(traces []events.TraceID) int {
	ids := make([]string, len(traces))
	for i, id := range traces {
		ids[i] = string(id)
	}
	return cells.UniqueLength(ids, FewestDigits)
}

func Abbreviator(digits int) func(events.TraceID) string {
	return func(id events.TraceID) string { return string(id)[:min(digits, len(id))] }
}

// lookUp lists the candidates for an id. It tries the exact text, then lower case, as for hexadecimal digits. An id
// with fewer than FewestDigits characters must be complete.
func (s *Conversations) lookUp(id string) ([]view.Candidate, error) {
	found, err := s.Find(id)
	if lower := strings.ToLower(id); err == nil && len(found) == 0 && lower != id {
		found, err = s.Find(lower)
	}
	if err != nil || len(id) >= FewestDigits {
		return found, err
	}
	return slices.DeleteFunc(found, func(c view.Candidate) bool { return !isInFull(c, id) }), nil
}

// isInFull reports whether `id` is complete, and not an abbreviation.
func isInFull(c view.Candidate, id string) bool {
	return c.ID == id || c.Kind == view.FoundTrace && c.Event.Session == id
}

// FindTrace finds a conversation by its id or the agent's session id. A prefix suffices.
func (s *Conversations) FindTrace(id string) (events.TraceID, error) {
	id = strings.TrimSuffix(strings.TrimSpace(id), "…") // the sign after an abbreviated id
	found, err := s.lookUp(id)
	if err != nil {
		return "", err
	}
	traces := slices.DeleteFunc(found, func(c view.Candidate) bool { return c.Kind != view.FoundTrace })
	if len(traces) == 1 {
		return events.TraceID(traces[0].ID), nil
	}
	for _, c := range traces {
		if isInFull(c, id) {
			return events.TraceID(c.ID), nil
		}
	}
	if len(traces) == 0 {
		return "", exit.Fail(exit.Finding, fmt.Errorf("no conversation has the id '%s'", id),
			s.MeantID(id, "git trace log lists conversations"))
	}
	return "", ambiguousID(id, traces)
}

// MeantID returns a hint with the conversation that an unknown id probably means. If none or several are likely, it
// returns the other hint.
func (s *Conversations) MeantID(id, otherwise string) string {
	ids, err := s.IDs()
	if err != nil {
		return otherwise
	}
	near := slices.DeleteFunc(slices.Clone(ids), func(t events.TraceID) bool { return !nearID(id, string(t)) })
	if len(near) != 1 {
		return otherwise
	}
	return "did you mean " + Abbreviator(DigitsOf(ids))(near[0]) + "?"
}
