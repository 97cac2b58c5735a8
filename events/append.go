package events

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/git-trace/git-trace/refs"
)

// ErrSpooled reports that an append failed and the batch is in the spool; the next append writes it. Nothing is lost,
// but the events have no numbers yet. It wraps the cause.
var ErrSpooled = errors.New("events are spooled")

// defaultWait is the time that an append waits for its turn if the context has no deadline.
const defaultWait = 5 * time.Second

// Append writes drafts as one batch, at most one at a time in all processes, and returns the events. Batches in the
// spool go first. The very first append begins with log_started, which is then the first returned event. The last
// returned events always belong to the drafts, in order.
//
// It fails without an effect if a draft cannot be stored (see Draft.Fit), or if both the log and the spool cannot be
// written. Every other failure, the context's deadline included, spools the batch and returns ErrSpooled.
func (l *Log) Append(ctx context.Context, drafts []Draft) ([]Event, error) {
	if len(drafts) == 0 {
		return nil, nil
	}
	ready, err := prepare(drafts, time.Now())
	if err != nil {
		return nil, fmt.Errorf("append events: %w", err)
	}
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	events, err := l.appendInTurn(ctx, ready)
	if err == nil {
		return events, nil
	}
	if spoolErr := l.spool(ready); spoolErr != nil {
		return nil, fmt.Errorf("append events: %w; %w", err, spoolErr)
	}
	return nil, fmt.Errorf("%w: append events: %w", ErrSpooled, err)
}

// withDeadline returns the context, with the default deadline if it has none.
func withDeadline(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, defaultWait)
}

// Drain appends the batches in the spool, and returns their number.
func (l *Log) Drain(ctx context.Context) (int, error) {
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	var drained int
	err := l.inTurn(ctx, func() (err error) {
		drained, err = l.drain(ctx)
		return err
	})
	if err != nil {
		return drained, fmt.Errorf("drain spool: %w", err)
	}
	return drained, nil
}

// prepare brings drafts into their stored form, or names the draft that cannot be stored.
func prepare(drafts []Draft, now time.Time) ([]Draft, error) {
	ready := make([]Draft, len(drafts))
	size := 0
	for i, d := range drafts {
		if d.Time.IsZero() {
			d.Time = now
		}
		d, err := d.Fit()
		if err != nil {
			return nil, err
		}
		if d, err = d.normal(); err != nil {
			return nil, err
		}
		// A dry run with the longest place, so that nothing can fail once the lock is held.
		e, err := seal(d, place{seq: MaxInt, prev: longestID, writer: longestWriter})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.Type, err)
		}
		if size += len(e.raw) + 1; size > maxBatch-4096 {
			return nil, fmt.Errorf("batch of more than %d bytes: %w", maxBatch, ErrTooLong)
		}
		ready[i] = d
	}
	return ready, nil
}

const (
	longestID     ID = idPrefix + "0000000000000000000000000000000000000000000000000000000000000000"
	longestWriter    = "0000000000000000"
)

func (l *Log) appendInTurn(ctx context.Context, drafts []Draft) ([]Event, error) {
	var events []Event
	err := l.inTurn(ctx, func() error {
		if _, err := l.drain(ctx); err != nil {
			return fmt.Errorf("drain spool: %w", err)
		}
		var err error
		events, err = l.write(ctx, drafts)
		return err
	})
	return events, err
}

// inTurn runs the function `do` under the append lock, so appends do not race for the ref. The context must have a
// deadline.
func (l *Log) inTurn(ctx context.Context, do func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	deadline, _ := ctx.Deadline()
	lock, err := refs.Flock(filepath.Join(l.repo.TracesDir(), "append.lock"), time.Until(deadline))
	if err != nil {
		return err
	}
	defer lock.Unlock()
	return do()
}

// write appends one batch. Number and chain hash come from one reading of the file's end, under the append lock.
func (l *Log) write(ctx context.Context, drafts []Draft) ([]Event, error) {
	j, err := l.openToAppend(ctx)
	defer j.close()
	if err != nil {
		return nil, err
	}
	var end tip
	if j != nil {
		if l.readMemory().end.seq > j.end.seq { // somebody truncated the file
			if err := l.goOn(ctx, j); err != nil {
				return nil, err
			}
		}
		end = j.tip()
	}
	was := end
	if end.writer, err = l.settleWriter(end.writer); err != nil {
		return nil, err
	}
	if end.seq == 0 {
		opening, err := l.opening(drafts[0])
		if err != nil {
			return nil, err
		}
		drafts = append([]Draft{opening}, drafts...)
	}
	events, err := chain(drafts, end)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	if j != nil {
		err = j.append(events, l.repo.Fsync)
	} else {
		err = l.begin(ctx, events)
	}
	if err != nil {
		return nil, err
	}
	// From here on the batch is in the log, even if a later step fails.
	last := events[len(events)-1]
	l.rememberAppended(was, tip{seq: last.Seq, id: last.ID, writer: last.Writer})
	return events, nil
}

// openToAppend opens the file of the log, and makes it if the ref names a log; nil without a log.
func (l *Log) openToAppend(ctx context.Context) (*journal, error) {
	j, err := l.openJournal(os.O_RDWR)
	if j != nil || err != nil {
		return j, err
	}
	if err := l.takeOver(ctx); err != nil {
		return nil, err
	}
	return l.openJournal(os.O_RDWR)
}

// gcTries limits the number of tries to write an object that a gc deletes at once.
const gcTries = 20

// writeMain writes to the repository's own store. `git gc --prune=now` deletes temporary files while they are written,
// and empty directories; then it tries again.
func (l *Log) writeMain(typ refs.ObjectType, content []byte) (oid refs.OID, err error) {
	for range gcTries {
		oid, err = l.repo.WriteLoose(l.repo.MainObjects(), typ, content)
		if !errors.Is(err, fs.ErrNotExist) {
			return oid, err
		}
	}
	return oid, err
}

// lockRef waits for another process that has locked the ref (git packing refs) until shortly before the deadline of the
// context.
func (l *Log) lockRef(ctx context.Context) (*refs.RefLock, error) {
	for {
		lock, err := l.repo.LockRef(refs.EventsRef)
		if err == nil || !errors.Is(err, refs.ErrLocked) {
			return lock, err
		}
		if deadline, _ := ctx.Deadline(); ctx.Err() != nil || time.Until(deadline) < lockMargin {
			return nil, err
		}
	}
}

// lockMargin is the time that must remain for another try at the ref's lock: one try waits a tenth of a second.
const lockMargin = 200 * time.Millisecond

// opening returns the log_started event that comes before the first draft.
func (l *Log) opening(first Draft) (Draft, error) {
	head, _, _ := l.repo.Head() // zero where it cannot be read
	data, err := Encode(LogStartedData{Format: Version, Tool: l.Tool, ObjectFormat: l.repo.Format.String(), Head: head})
	if err != nil {
		return Draft{}, err
	}
	return Draft{Time: first.Time, Type: LogStarted, Method: first.Method, Data: data}, nil
}

// `chain` makes drafts the events that follow the end of a log.
func chain(drafts []Draft, end tip) ([]Event, error) {
	events := make([]Event, len(drafts))
	for i, d := range drafts {
		e, err := seal(d, place{seq: end.seq + 1, prev: end.id, writer: end.writer})
		if err != nil {
			return nil, err
		}
		events[i] = e
		end.seq, end.id = e.Seq, e.ID
	}
	return events, nil
}
