package events

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"

	"github.com/git-trace/git-trace/refs"
)

// Order is the direction in which a log is read.
type Order uint8

// The orders.
const (
	OldestFirst Order = iota
	NewestFirst
)

// Range says which log to read, and from which end. The zero value is the own log, oldest event first.
type Range struct {
	Ref   string // whose log; empty for the own one
	Order Order
}

// Walk reads events from where they are stored, one batch at a time. An event is decoded but its chain is not checked:
// that is Verify's. The first error ends the walk. A ref that does not exist is an empty log.
func (l *Log) Walk(ctx context.Context, r Range) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		err := l.walk(ctx, r, func(e Event) bool { return yield(e, nil) })
		if err != nil && !errors.Is(err, errStopped) {
			yield(Event{}, fmt.Errorf("walk log: %w", err))
		}
	}
}

func (l *Log) walk(ctx context.Context, r Range, yield func(Event) bool) error {
	each := func(where string, lines [][]byte) error {
		events, err := batch{lines: lines}.decode()
		if err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
		for i := range events {
			e := events[i]
			if r.Order == NewestFirst {
				e = events[len(events)-1-i]
			}
			if !yield(e) {
				return errStopped
			}
		}
		return ctx.Err()
	}
	if r.Ref == "" || r.Ref == refs.EventsRef {
		r.Ref = refs.EventsRef
		j, err := l.openJournal(os.O_RDONLY)
		defer j.close()
		switch {
		case err != nil:
			return err
		case j != nil && r.Order == NewestFirst:
			return j.newestFirst(func(lines [][]byte) error { return each(journalName, lines) })
		case j != nil:
			return j.oldestFirst(flatEnd{}, func(lines [][]byte, _ flatEnd) error { return each(journalName, lines) })
		}
	}
	return l.walkRef(ctx, r, each)
}

// walkRef gives the lines of what a ref names.
func (l *Log) walkRef(ctx context.Context, r Range, each func(where string, lines [][]byte) error) error {
	tip, err := l.Tip(r.Ref)
	if err != nil || tip.IsZero() {
		return err
	}
	if isSeal, err := l.isSeal(tip); err == nil && isSeal {
		return l.sealedLines(tip, r.Order, func(f PublishedFile, lines [][]byte) error {
			return each(fmt.Sprintf("events from %d", f.First), lines)
		})
	}
	batches := func(c rawCommit) error {
		where := fmt.Sprintf("commit %s", c.oid)
		b, err := parseBatch(c.raw)
		if err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
		return each(where, b.lines)
	}
	if r.Order == NewestFirst {
		return l.newestFirst(ctx, tip, refs.OID{}, batches)
	}
	return l.oldestFirst(ctx, tip, refs.OID{}, batches)
}
