package events

import (
	"context"
	"errors"
	"fmt"
	"iter"

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

// Walk reads events straight from the objects, one batch at a time. An event is decoded but its chain is not checked:
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
	if r.Ref == "" {
		r.Ref = refs.EventsRef
	}
	tip, err := l.Tip(r.Ref)
	if err != nil || tip.IsZero() {
		return err
	}
	each := func(c rawCommit) error {
		b, err := parseBatch(c.raw)
		if err != nil {
			return fmt.Errorf("commit %s: %w", c.oid, err)
		}
		events, err := b.decode()
		if err != nil {
			return fmt.Errorf("commit %s: %w", c.oid, err)
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
	if r.Order == NewestFirst {
		return l.newestFirst(ctx, tip, refs.OID{}, each)
	}
	return l.oldestFirst(ctx, tip, refs.OID{}, each)
}
