package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/git-trace/git-trace/cells"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/records/prices"
	"github.com/git-trace/git-trace/records/redact"
	"github.com/git-trace/git-trace/records/redact/configured"
	"github.com/git-trace/git-trace/records/search"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/view"
)

// conversations are the log, open, with the reader that unites it with the records.
type conversations struct {
	*view.Reader
	log     *index.Index
	prompts *view.Prompts
}

// recorded finds the repository, and opens its conversations. Close them.
func (a *app) recorded(ctx context.Context) (*refs.Repo, *conversations, error) {
	repo, err := a.repo()
	if err != nil {
		return nil, nil, err
	}
	known, err := a.openConversations(ctx, repo)
	return repo, known, err
}

func (a *app) openConversations(ctx context.Context, repo *refs.Repo) (*conversations, error) {
	log, err := a.openIndex(repo)
	if err != nil {
		return nil, err
	}
	out := &conversations{log: log, prompts: newPrompts(repo)}
	out.Reader = view.NewReader(repo, log, func() (view.Records, error) { return a.openRecords(ctx, repo) }, out.prompts).
		Within(ctx, a.progress("searching commits that no hook reported").at).
		Priced(sync.OnceValue(func() *prices.Table { return tableInUse(ctx, repo) }))
	return out, nil
}

// findAll finds conversations by their ids, in the log or among the records.
func (a *app) findAll(ctx context.Context, repo *refs.Repo, ids []string) ([]events.TraceID, error) {
	known, err := a.openConversations(ctx, repo)
	if err != nil {
		return nil, err
	}
	defer known.close()
	out := make([]events.TraceID, len(ids))
	for i, id := range ids {
		if out[i], err = known.find(id); err != nil {
			return nil, reportAmbiguous(a.std.err, err)
		}
	}
	return out, nil
}

// steps returns the function that finds a call's step in its record; each record is read once.
func (s *conversations) steps(ctx context.Context) func(events.TraceID, string) int {
	of := map[events.TraceID]map[string]int{}
	return func(trace events.TraceID, call string) int {
		if of[trace] == nil {
			of[trace] = map[string]int{}
			if r, err := s.Record(ctx, trace); err == nil && r.Record != nil { // what cannot be read is not known
				for i := range r.Steps {
					for k := range r.Steps[i].ToolCalls {
						of[trace][r.Steps[i].ToolCalls[k].ToolCallID] = i + 1
					}
				}
			}
		}
		return of[trace][call]
	}
}

func (s *conversations) close() {
	s.Close()
	s.prompts.Close()
	s.log.Close()
}

// newPrompts returns texts of prompts, redacted by the user's configuration.
func newPrompts(repo *refs.Repo) *view.Prompts {
	return view.NewPrompts(repo, func() (*redact.Redactor, error) {
		return configured.ToShow(context.Background(), repo)
	})
}

// openRecords opens the index of texts, and shows progress on a terminal if it must be made; nil if nothing is stored.
func (a *app) openRecords(ctx context.Context, repo *refs.Repo) (view.Records, error) {
	records := store.Open(repo)
	tips, err := records.Tips(ctx)
	if err != nil || len(tips) == 0 {
		_ = records.Close()
		return nil, err
	}
	shown := a.progress("reading records")
	ix, err := search.Open(ctx, repo, records, shown.at)
	shown.clear()
	if err != nil {
		_ = records.Close()
		return nil, fail(exitUnchecked, err, rebuildHint)
	}
	return &openedRecords{ix, records}, nil
}

const rebuildHint = "git trace rebuild makes the caches anew"

// openedRecords is the index of texts with its store. Its errors have hints.
type openedRecords struct {
	ix    *search.Index
	store *store.Store
}

func (r *openedRecords) Digests() ([]search.Digest, error) {
	list, err := r.ix.Digests()
	if err != nil {
		return nil, fail(exitUnchecked, err, rebuildHint)
	}
	return list, nil
}

func (r *openedRecords) IDs() ([]events.TraceID, error) {
	list, err := r.ix.IDs()
	if err != nil {
		return nil, fail(exitUnchecked, err, rebuildHint)
	}
	return list, nil
}

func (r *openedRecords) Some(ids []events.TraceID) ([]search.Digest, error) {
	list, err := r.ix.Some(ids)
	if err != nil {
		return nil, fail(exitUnchecked, err, rebuildHint)
	}
	return list, nil
}

func (r *openedRecords) Times() ([]search.Times, error) {
	list, err := r.ix.Times()
	if err != nil {
		return nil, fail(exitUnchecked, err, rebuildHint)
	}
	return list, nil
}

func (r *openedRecords) Search(ctx context.Context, q search.Query) (search.Found, error) {
	found, err := r.ix.Search(ctx, q)
	if err != nil {
		return found, fail(exitUnchecked, err, rebuildHint)
	}
	return found, nil
}

func (r *openedRecords) Calls(beginning string) ([]search.Call, error) {
	found, err := r.ix.Calls(beginning)
	if err != nil {
		return nil, fail(exitUnchecked, err, rebuildHint)
	}
	return found, nil
}

func (r *openedRecords) Close() {
	r.ix.Close()
	_ = r.store.Close()
}

// short abbreviates the ids of conversations to the fewest digits that tell all of them apart. So show takes every
// id that is shown.
func (s *conversations) short() (func(events.TraceID) string, error) {
	n, err := s.digits()
	return abbreviator(n), err
}

// digits returns the number of digits.
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

// lookUp lists the candidates for an id: as it is written, or else in lower case, as hexadecimal digits are. An id
// that is shorter than an abbreviation may be counts only in full.
func (s *conversations) lookUp(id string) ([]index.Candidate, error) {
	found, err := s.Find(id)
	if lower := strings.ToLower(id); err == nil && len(found) == 0 && lower != id {
		found, err = s.Find(lower)
	}
	if err != nil || len(id) >= fewestDigits {
		return found, err
	}
	return slices.DeleteFunc(found, func(c index.Candidate) bool { return !isInFull(c, id) }), nil
}

// isInFull reports whether an id is not an abbreviation of the candidate's.
func isInFull(c index.Candidate, id string) bool {
	return c.ID == id || c.Kind == index.FoundTrace && c.Event.Session == id
}

// find finds a conversation by its id or the agent's session id, in full or from the beginning.
func (s *conversations) find(id string) (events.TraceID, error) {
	id = strings.TrimSuffix(strings.TrimSpace(id), "…") // as an abbreviated id is shown
	found, err := s.lookUp(id)
	if err != nil {
		return "", err
	}
	traces := slices.DeleteFunc(found, func(c index.Candidate) bool { return c.Kind != index.FoundTrace })
	if len(traces) == 1 {
		return events.TraceID(traces[0].ID), nil
	}
	for _, c := range traces {
		if isInFull(c, id) {
			return events.TraceID(c.ID), nil
		}
	}
	if len(traces) == 0 {
		return "", fail(exitFinding, fmt.Errorf("no conversation has the id '%s'", id),
			s.meantID(id, "git trace log lists conversations"))
	}
	return "", ambiguousID(id, traces)
}

// meantID returns the hint with the conversation that an unknown id probably means; without one, or with several, it is
// the other.
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
