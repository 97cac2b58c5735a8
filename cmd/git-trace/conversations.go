package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/view"
)

// conversations reads the conversations of a repository, and adds the short ids that people type and see.
type conversations struct{ *view.Reader }

// recorded finds the repository, and opens its conversations. The caller closes them.
func (a *app) recorded(ctx context.Context) (*refs.Repo, *conversations, error) {
	return a.recordedIn(ctx, a.repo)
}

// recordedIn opens the repository that find returns, and its conversations, as recorded does.
func (a *app) recordedIn(ctx context.Context, find func() (*refs.Repo, error)) (*refs.Repo, *conversations, error) {
	repo, err := find()
	if err != nil {
		return nil, nil, err
	}
	known, err := a.openConversations(ctx, repo)
	return repo, known, err
}

func (a *app) openConversations(ctx context.Context, repo *refs.Repo) (*conversations, error) {
	reader, err := a.open(ctx, repo, view.Options{})
	return &conversations{reader}, err
}

// findAll finds conversations by their ids, in the log or among the records.
func (a *app) findAll(ctx context.Context, repo *refs.Repo, ids []string) ([]events.TraceID, error) {
	known, err := a.openConversations(ctx, repo)
	if err != nil {
		return nil, err
	}
	defer known.Close()
	out := make([]events.TraceID, len(ids))
	for i, id := range ids {
		if out[i], err = known.find(id); err != nil {
			return nil, reportAmbiguous(a.std.err, err)
		}
	}
	return out, nil
}

// short returns a function that abbreviates ids of conversations to the fewest digits that distinguish all of them.
// show accepts every id abbreviated so.
func (s *conversations) short() (func(events.TraceID) string, error) {
	n, err := s.digits()
	return abbreviator(n), err
}

func (s *conversations) digits() (int, error) {
	ids, err := s.IDs()
	return digitsOf(ids), err
}

func digitsOf(traces []events.TraceID) int {
	ids := make([]string, len(traces))
	for i, id := range traces {
		ids[i] = string(id)
	}
	return cells.UniqueLength(ids, fewestDigits)
}

func abbreviator(digits int) func(events.TraceID) string {
	return func(id events.TraceID) string { return string(id)[:min(digits, len(id))] }
}

// lookUp lists the candidates for an id. It tries the exact text, then lower case, as for hexadecimal digits. An id
// shorter than an abbreviation must be complete.
func (s *conversations) lookUp(id string) ([]view.Candidate, error) {
	found, err := s.Find(id)
	if lower := strings.ToLower(id); err == nil && len(found) == 0 && lower != id {
		found, err = s.Find(lower)
	}
	if err != nil || len(id) >= fewestDigits {
		return found, err
	}
	return slices.DeleteFunc(found, func(c view.Candidate) bool { return !isInFull(c, id) }), nil
}

// isInFull reports whether id is complete, and not an abbreviation.
func isInFull(c view.Candidate, id string) bool {
	return c.ID == id || c.Kind == view.FoundTrace && c.Event.Session == id
}

// find finds a conversation by its id or the agent's session id. A prefix suffices.
func (s *conversations) find(id string) (events.TraceID, error) {
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
			s.meantID(id, "git trace log lists conversations"))
	}
	return "", ambiguousID(id, traces)
}

// meantID returns a hint with the conversation that an unknown id probably means. If none or several are likely, it
// returns the other hint.
func (s *conversations) meantID(id, otherwise string) string {
	ids, err := s.IDs()
	if err != nil {
		return otherwise
	}
	near := slices.DeleteFunc(slices.Clone(ids), func(t events.TraceID) bool { return !nearID(id, string(t)) })
	if len(near) != 1 {
		return otherwise
	}
	return "did you mean " + abbreviator(digitsOf(ids))(near[0]) + "?"
}
