package events

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/git-trace/git-trace/refs"
)

// begin makes the file of this clone's log: from the log that the ref names, or else from a first batch. The caller
// holds the append lock, and the file does not exist.
func (l *Log) begin(ctx context.Context, first []Event) error {
	lock, err := l.lockRef(ctx)
	if err != nil {
		return err
	}
	defer lock.Abort()
	fresh := l.JournalPath() + ".new"
	header := journalHeader(l.repo.Format) + newGeneration() + "\n"
	if err := refs.WriteFileAtomic(fresh, []byte(header), 0o666); err != nil {
		return err
	}
	defer func() { _ = os.Remove(fresh) }() // it has its final name by then, or is not wanted
	f, err := os.OpenFile(fresh, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	j, err := readJournal(f, l.repo.Format)
	if err != nil {
		return err
	}
	if current := lock.Current(); !current.IsZero() {
		err = l.fillFrom(ctx, j, current)
	} else if err = j.append(first, l.repo.Fsync); err == nil && !l.gcRuns() {
		_, err = l.seal(ctx, j, lock)
	}
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return l.repo.Rename(fresh, l.JournalPath())
}

// takeOver makes the file of this clone's log from the log that the ref names, if the file does not exist. The caller
// holds the append lock.
func (l *Log) takeOver(ctx context.Context) error {
	if _, err := os.Stat(l.JournalPath()); err == nil {
		return nil
	}
	tip, err := l.Tip(refs.EventsRef)
	if err != nil || tip.IsZero() {
		return err
	}
	if err := l.begin(ctx, nil); err != nil {
		return fmt.Errorf("resume the log from %s: %w", refs.EventsRef, err)
	}
	return nil
}

// fillFrom writes all events of a seal to a new file, and notes that the seal belongs to it. It fails if the seal
// cannot be read to its end.
func (l *Log) fillFrom(ctx context.Context, j *journal, seal refs.OID) error {
	p, err := l.readSeal(seal)
	if err != nil {
		return err
	}
	var end flatEnd
	out := io.NewOffsetWriter(j.file, j.head)
	if end, err = l.copySound(ctx, FetchedLog{}, seal, end, out); err != nil {
		return err
	}
	if end.seq != p.Head.Events {
		return fmt.Errorf("%w: it cannot be read to its end", ErrJournal)
	}
	if l.repo.Fsync {
		if err := j.file.Sync(); err != nil {
			return fmt.Errorf("write log: %w", err)
		}
	}
	full, err := readJournal(j.file, l.repo.Format)
	if err == nil && (full.end.seq != end.seq || full.size != full.end.offset) {
		err = errors.New("it is not what was written")
	}
	if err != nil {
		return fmt.Errorf("write log: %w", err)
	}
	_ = l.rememberSeal(full.gen, full.end.in(seal))
	*j = *full
	return nil
}

// goOn appends the ref's events after the file's end to the file. The caller holds the append lock. If the ref has
// another log, or none, the file stays unchanged.
func (l *Log) goOn(ctx context.Context, j *journal) error {
	tip, err := l.Tip(refs.EventsRef)
	if err != nil || tip.IsZero() {
		return err
	}
	if p, err := l.readSeal(tip); err != nil || p.Head.Events <= j.end.seq {
		return nil //nolint:nilerr // the ref has another log
	}
	if err := j.file.Truncate(j.end.offset); err != nil {
		return fmt.Errorf("write log: %w", err)
	}
	_, err = l.copySound(ctx, FetchedLog{}, tip, j.end, io.NewOffsetWriter(j.file, j.end.offset))
	if err == nil && l.repo.Fsync {
		err = j.file.Sync()
	}
	if err != nil { // the next append removes the part that was written
		return j.file.Truncate(j.end.offset)
	}
	full, err := readJournal(j.file, l.repo.Format)
	*j = *full
	return err
}
