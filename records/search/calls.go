package search

import (
	"context"
	"fmt"

	"github.com/git-trace/git-trace/events"
)

// Call identifies a tool call of a record.
type Call struct {
	Trace events.TraceID
	ID    string
}

// Calls lists the tool calls whose ids begin with a text, up to some dozens.
func (ix *Index) Calls(beginning string) ([]Call, error) {
	var out []Call
	err := ix.mended(context.Background(), func() error {
		out = nil
		for at, s := range ix.segments {
			if err := ix.callsIn(at, s, beginning, &out); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("find call: %w", err)
	}
	return out, nil
}

func (ix *Index) callsIn(at int, s *segment, beginning string, out *[]Call) error {
	entries, err := s.find(callMark + beginning)
	if err != nil || len(entries) == 0 {
		return err
	}
	table, err := s.documents()
	if err != nil {
		return err
	}
	for _, e := range entries {
		list, err := s.postings(e)
		if err != nil {
			return err
		}
		for _, p := range list {
			d := entry(table, p.document)
			if s.dead[d.conversation] {
				continue
			}
			of, err := ix.digestAt(place{at, d.conversation})
			if err != nil {
				return err
			}
			*out = append(*out, Call{of.Trace, e.text[len(callMark):]})
		}
	}
	return nil
}
