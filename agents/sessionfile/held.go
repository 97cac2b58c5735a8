package sessionfile

import (
	"io"

	"github.com/git-trace/git-trace/agents/jsonlines"
)

// Held is a session file that is read whole before its objects are given: one that is unpacked, or put together from
// changes. The place of an object is its number, and it counts as a line. There is nothing to go on from, since such a
// file is written anew.
type Held struct {
	Objects [][]byte
	Counts  jsonlines.Faults
}

// Start is empty.
func (h *Held) Start() (string, error) { return "", nil }

// Size returns the number of objects.
func (h *Held) Size() int64 { return int64(len(h.Objects)) }

// Close has nothing to close.
func (h *Held) Close() error { return nil }

// From returns the objects, always all.
func (h *Held) From(int64, int64) Source { return &heldSource{held: h} }

type heldSource struct {
	held *Held
	at   int64
}

// Faults returns the counts, which are known before the reading.
func (s *heldSource) Faults() jsonlines.Faults { return s.held.Counts }

// End returns the number of objects that have been given.
func (s *heldSource) End() int64 { return s.at }

// Lines returns the same.
func (s *heldSource) Lines() int64 { return s.at }

// Next returns the next object; io.EOF after the last.
func (s *heldSource) Next() (jsonlines.Object, error) {
	if s.at == s.held.Size() {
		return jsonlines.Object{}, io.EOF
	}
	s.at++
	return jsonlines.Object{Raw: s.held.Objects[s.at-1], Offset: s.at - 1, Line: s.at}, nil
}
