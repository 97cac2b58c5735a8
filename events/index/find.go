package index

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/events"
)

// CandidateKind is a meaning of an abbreviated id.
type CandidateKind string

// The kinds of candidate.
const (
	FoundTrace    CandidateKind = "trace"
	FoundPatch    CandidateKind = "patch"
	FoundToolCall CandidateKind = "tool_call"
	FoundCommit   CandidateKind = "commit"
	FoundEvent    CandidateKind = "event"
)

// Candidate is something whose id begins with what was searched.
type Candidate struct {
	Kind CandidateKind `json:"kind"`
	ID   string        `json:"id"` // in full
	// Event is one that names it, the first one in the log.
	Event events.Event `json:"-"`
}

// mostCandidates of a kind are in an answer: whoever gets so many has to type more.
const mostCandidates = 100

// Find lists everything whose id begins with prefix, across all logs, sorted by kind and id: conversations, patches,
// tool calls, commits that are anchored or were rewritten, and events (with or without "b3:"). A conversation is found
// by its id, or by the agent's own session id in full or in part. An empty prefix finds nothing.
func (ix *Index) Find(prefix string) ([]Candidate, error) {
	if prefix == "" {
		return nil, nil
	}
	return mended(ix, func() ([]Candidate, error) {
		f := finder{seen: map[candidateName]bool{}}
		if err := f.search(ix, prefix); err != nil {
			return nil, err
		}
		slices.SortFunc(f.found, func(a, b Candidate) int {
			return cmp.Or(cmp.Compare(slices.Index(kindOrder, a.Kind), slices.Index(kindOrder, b.Kind)), cmp.Compare(a.ID, b.ID))
		})
		return firstOfEachKind(f.found), nil
	})
}

// firstOfEachKind keeps at most mostCandidates of a kind; the list is sorted.
func firstOfEachKind(list []Candidate) []Candidate {
	count := map[CandidateKind]int{}
	return slices.DeleteFunc(list, func(c Candidate) bool {
		count[c.Kind]++
		return count[c.Kind] > mostCandidates
	})
}

var kindOrder = []CandidateKind{FoundTrace, FoundPatch, FoundToolCall, FoundCommit, FoundEvent}

type finder struct {
	seen  map[candidateName]bool
	found []Candidate
}

type candidateName struct {
	kind CandidateKind
	id   string
}

func (f *finder) search(ix *Index, prefix string) error {
	searches := []struct {
		term kind
		kind CandidateKind
		text string
	}{
		{byTrace, FoundTrace, prefix}, {bySession, FoundTrace, prefix}, {byPatch, FoundPatch, prefix},
		{byTool, FoundToolCall, prefix}, {byCommit, FoundCommit, prefix},
	}
	may := make([]map[*source]bool, len(searches)) // the logs that may have something, by search
	for i, search := range searches {
		of, err := ix.holding(prefixOf(search.term, search.text))
		if err != nil {
			return err
		}
		may[i] = make(map[*source]bool, len(of))
		for k := range of {
			may[i][of[k].source] = true
		}
	}
	for _, s := range ix.sources { // log by log: the first event that names something is told
		for i, search := range searches {
			if !may[i][s] {
				continue
			}
			if err := f.terms(s, search.term, search.kind, search.text); err != nil {
				return err
			}
		}
		if err := f.events(s, strings.TrimPrefix(prefix, "b3:")); err != nil {
			return err
		}
	}
	return nil
}

// terms goes through the terms of a kind that begin with a text, one event each.
func (f *finder) terms(s *source, k kind, what CandidateKind, text string) error {
	prefix := prefixOf(k, text)
	var first []place
	var ids []string
	err := s.parts(func(seek seeker) error {
		for start, n := prefix, 0; n < mostCandidates; n++ {
			key, at, err := seek(start)
			if err != nil || !bytes.HasPrefix(key, prefix) {
				return err
			}
			nul := len(key) - 9 // where NUL and number begin
			ids, first = append(ids, string(key[1:nul])), append(first, at)
			start = append(bytes.Clone(key[:nul]), 1) // behind all events of this term
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i, id := range ids {
		e, err := s.event(first[i])
		if err != nil {
			return err
		}
		switch k {
		case bySession:
			id = string(e.Trace)
		case byTool:
			id = e.ToolCall // whole, should the term be cut
		}
		f.add(Candidate{Kind: what, ID: id, Event: e})
	}
	return nil
}

// events goes through the ids of events. The index holds only their beginning.
func (f *finder) events(s *source, digits string) error {
	var places []place
	prefix := prefixOf(byID, digits[:min(len(digits), idTerm)])
	err := s.parts(func(seek seeker) error {
		for start, n := prefix, 0; n < mostCandidates; n++ {
			key, at, err := seek(start)
			if err != nil || !bytes.HasPrefix(key, prefix) {
				return err
			}
			places = append(places, at)
			start = append(bytes.Clone(key), 0)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, at := range places {
		e, err := s.event(at)
		if err != nil {
			return err
		}
		if strings.HasPrefix(string(e.ID), "b3:"+digits) {
			f.add(Candidate{Kind: FoundEvent, ID: string(e.ID), Event: e})
		}
	}
	return nil
}

func (f *finder) add(c Candidate) {
	name := candidateName{c.Kind, c.ID}
	if !f.seen[name] {
		f.seen[name] = true
		f.found = append(f.found, c)
	}
}
