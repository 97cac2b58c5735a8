package sessionfile

import (
	"io"

	"github.com/git-trace/git-trace/agents/jsonlines"
)

// Counted is a session file with numbered objects, like a database. The number of an object is its offset, and each
// object counts as a line. Such a file is rewritten and does not grow.
type Counted struct {
	Objects [][]byte // objects of a file that is read as a whole before they are returned; otherwise nil
	Count   int64
	// Object returns one of Count objects; for an unreadable object, it counts a fault and returns nil.
	Object func(at int64, faults *jsonlines.Faults) ([]byte, error)
	Faults jsonlines.Faults // faults that are known before the objects are read
	Opened io.Closer        // nil if nothing must be closed
}

// Start returns "".
func (c *Counted) Start() (string, error) { return "", nil }

func (c *Counted) Size() int64 { return c.Count + int64(len(c.Objects)) }

func (c *Counted) Close() error {
	if c.Opened == nil {
		return nil
	}
	return c.Opened.Close()
}

// `From` returns a source of all objects.
func (c *Counted) From(int64, int64) Source { return c.After(0) }

// `After` returns a source of the objects from a number on.
func (c *Counted) After(at int64) Source { return &counted{c, at, c.Faults} }

type counted struct {
	of     *Counted
	at     int64
	faults jsonlines.Faults
}

func (s *counted) Faults() jsonlines.Faults { return s.faults }
func (s *counted) End() int64               { return s.at }
func (s *counted) Lines() int64             { return s.at }

// Next returns the next object; io.EOF after the last.
func (s *counted) Next() (jsonlines.Object, error) {
	for s.at < s.of.Size() {
		at := s.at
		s.at++
		if s.of.Object == nil {
			return jsonlines.Object{Raw: s.of.Objects[at], Offset: at, Line: at + 1}, nil
		}
		raw, err := s.of.Object(at, &s.faults)
		if err != nil {
			return jsonlines.Object{}, err
		}
		if raw != nil {
			return jsonlines.Object{Raw: raw, Offset: at, Line: at + 1}, nil
		}
	}
	return jsonlines.Object{}, io.EOF
}
