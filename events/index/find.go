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
	digits := strings.TrimPrefix(prefix, "b3:")
	searches := []struct {
		term kind
		kind CandidateKind
		text string
	}{
		{byTrace, FoundTrace, prefix}, {bySession, FoundTrace, prefix}, {byPatch, FoundPatch, prefix},
		{byTool, FoundToolCall, prefix}, {byCommit, FoundCommit, prefix},
		{byID, FoundEvent, digits[:min(len(digits), idTerm)]},
	}
	for _, t := range ix.texts { // the first event that names it
		for _, search := range searches {
			err := firstOfTerms(t, prefixOf(search.term, search.text), func(term string, e *events.Event) {
				switch search.term {
				case bySession:
					term = string(e.Trace)
				case byTool:
					term = e.ToolCall // whole, should the term be cut
				case byID: // the index holds only its beginning
					if term = string(e.ID); !strings.HasPrefix(term, "b3:"+digits) {
						return
					}
				}
				f.add(Candidate{Kind: search.kind, ID: term, Event: *e})
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// firstOfTerms yields the first event of each term whose key has a prefix, from the logs that are read, at most
// mostCandidates stored and mostCandidates other ones.
func firstOfTerms(t *text, prefix []byte, yield func(term string, e *events.Event)) error {
	return t.halves(func(rows rowCursor) (err error) {
		n, last := 0, []byte(nil)
		under(rows, prefix, func(r row) bool {
			term, s := r.key[1:len(r.key)-behindTerm-1], t.source(logOf(r.key))
			if s == nil || bytes.Equal(term, last) {
				return true
			}
			var e events.Event
			_, damage := r.expand(func(_ []byte, at place) bool {
				if e, err = s.event(at); err == nil {
					yield(string(term), &e)
				}
				return false
			})
			err = cmp.Or(err, damage)
			n, last = n+1, term
			return err == nil && n < mostCandidates
		})
		return err
	})
}

func (f *finder) add(c Candidate) {
	name := candidateName{c.Kind, c.ID}
	if !f.seen[name] {
		f.seen[name] = true
		f.found = append(f.found, c)
	}
}
