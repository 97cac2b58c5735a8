package events

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"

	"github.com/git-trace/git-trace/refs"
)

// Order is the direction in which a log is read.
type Order uint8

// The orders.
const (
	OldestFirst Order = iota
	NewestFirst
)

// Range names the log to read, and the direction. The zero value is this clone's log, oldest event first.
type Range struct {
	Ref   string // the log's ref; empty for this clone's
	Order Order
}

// Walk reads events from the stored log, one batch at a time. It decodes an event but does not check its chain; Verify
// does. The first error ends the walk. A missing ref counts as an empty log.
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
		if r.Order == NewestFirst {
			slices.Reverse(lines)
		}
		for _, line := range lines {
			e, err := DecodeLine(line)
			if err != nil {
				return fmt.Errorf("%s: %w", where, err)
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
			return j.batches(0, func(b *batch) error {
				if err := b.unsound(); err != nil {
					return err
				}
				return each(journalName, b.lines)
			})
		}
	}
	return l.walkRef(r, each)
}

// walkRef gives the lines of a ref's log.
func (l *Log) walkRef(r Range, each func(where string, lines [][]byte) error) error {
	tip, err := l.Tip(r.Ref)
	if err != nil || tip.IsZero() {
		return err
	}
	return l.sealedLines(tip, r.Order, func(f PublishedFile, lines [][]byte) error {
		return each(fmt.Sprintf("events from %d", f.First), lines)
	})
}
