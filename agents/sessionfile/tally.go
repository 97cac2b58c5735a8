package sessionfile

import (
	"context"
	"errors"
	"io"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/jsonlines"
	"github.com/git-trace/git-trace/records"
)

// Tally counts the objects that a reading reads and loses.
type Tally struct {
	lines  int              // the objects that were read this time
	lostAt capability.Place // the place of the first lost object
	Lost   jsonlines.Faults // losses in the session's main file
	Below  jsonlines.Faults // losses in subagents' files
}

// Read passes every object of a file to the function `each`.
func (t *Tally) Read(ctx context.Context, in Source, main bool, each func(object jsonlines.Object) error) error {
	before := t.Lost
	for n := 0; ; n++ {
		if n%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		from, had := capability.Place{Line: in.Lines() + 1, Offset: in.End()}, in.Faults().Lost()
		object, err := in.Next()
		if main {
			if t.lostAt == (capability.Place{}) && in.Faults().Lost() > had {
				t.lostAt = from
			}
			t.Lost = before
			t.Lost.Add(in.Faults())
		}
		if errors.Is(err, io.EOF) {
			if !main {
				t.Below.Add(in.Faults())
			}
			return nil
		}
		if err != nil {
			return err
		}
		t.lines++
		if err := each(object); err != nil {
			return err
		}
	}
}

// Tell sets the counts and the record of a finished reading.
func (t *Tally) Tell(parsed *capability.Parsed, head *records.Record) {
	lost := t.Lost
	lost.Add(t.Below)
	if lost != (jsonlines.Faults{}) {
		head.SetMeta("unreadable", lost)
	}
	parsed.Head, parsed.Lines, parsed.Lost, parsed.LostAt = head, t.lines, lost.Lost(), t.lostAt
}
