package index

import (
	"bytes"
	"cmp"
	"encoding/binary"
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

// Candidate is an object whose id begins with the searched text: a conversation, a patch, a call, a commit or an event.
type Candidate struct {
	Kind CandidateKind `json:"kind"`
	ID   string        `json:"id"` // the whole id
	// Event is the first event in the log that names it.
	Event events.Event `json:"-"`
}

// mostCandidates limits the number of answers of one kind: a user who gets so many has to type more.
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
	for _, t := range ix.texts { // the first event that names it
		for _, search := range searches {
			if err := f.terms(t, search.term, search.kind, search.text); err != nil {
				return err
			}
		}
		if err := f.events(t, strings.TrimPrefix(prefix, "b3:")); err != nil {
			return err
		}
	}
	return nil
}

// termAt is an event that has a term.
type termAt struct {
	term string
	of   *source
	at   place
}

// `among` returns at most mostCandidates rows whose keys have a beginning, from the logs that are read. The function
// `next` returns the key at which to continue after a row.
func among(t *text, prefix []byte, next func(key []byte) []byte) (found []termAt, err error) {
	err = t.parts(func(seek seeker) error {
		for start, n := prefix, 0; n < mostCandidates; {
			key, at, err := seek(start)
			if err != nil || !bytes.HasPrefix(key, prefix) {
				return err
			}
			nul := len(key) - behindTerm - 1
			s := t.source(logOf(key))
			if s == nil { // this log is not read: skip its events
				start = binary.BigEndian.AppendUint32(bytes.Clone(key[:nul+1]), logOf(key)+1)
				continue
			}
			found = append(found, termAt{string(key[1:nul]), s, at})
			start = next(key)
			n++
		}
		return nil
	})
	return found, err
}

// terms goes through the terms of a kind that begin with a text, one event each.
func (f *finder) terms(t *text, k kind, what CandidateKind, text string) error {
	found, err := among(t, prefixOf(k, text), func(key []byte) []byte { // after all events of this term
		return append(bytes.Clone(key[:len(key)-behindTerm-1]), 1)
	})
	if err != nil {
		return err
	}
	for _, one := range found {
		e, err := one.of.event(one.at)
		if err != nil {
			return err
		}
		id := one.term
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
func (f *finder) events(t *text, digits string) error {
	found, err := among(t, prefixOf(byID, digits[:min(len(digits), idTerm)]), func(key []byte) []byte {
		return append(bytes.Clone(key), 0)
	})
	if err != nil {
		return err
	}
	for _, one := range found {
		e, err := one.of.event(one.at)
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
