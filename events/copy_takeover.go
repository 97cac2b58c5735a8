package events

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/git-trace/git-trace/refs"
)

// A log of commits, or the seal that a mirror brought, becomes the own log's file with the first append.

// fillFrom writes all that the ref has to a new file, as it stands there, and sets the ref to its seal.
func (l *Log) fillFrom(ctx context.Context, j *journal, lock *refs.RefLock) error {
	current := lock.Current()
	end, err := l.endAt(current)
	if err != nil {
		return err
	}
	c, err := l.copyOfRef(ctx, refs.EventsRef)
	if err != nil {
		return err
	}
	defer c.Close()
	if c.Tip() != current || c.LastID() != end.Event {
		return fmt.Errorf("%w: it cannot be read to its end", ErrJournal)
	}
	if err := j.fill(c, l.repo.Format, l.repo.Fsync); err != nil {
		return err
	}
	if isSeal, err := l.isSeal(current); err != nil || isSeal {
		return err
	}
	base := sealBase{end: flatEnd{offset: j.head}}
	if len(c.Notes) > 0 {
		base.parents = []refs.OID{current}
	}
	return l.setSeal(ctx, j, base, lock)
}

// fill writes all that a copy holds to a new file, batch by batch as it stands there. If flush says so, it flushes the
// file.
func (j *journal) fill(c *Copy, format refs.ObjectFormat, flush bool) error {
	var text io.Reader = bytes.NewReader(c.inMemory())
	if c.file != nil {
		stored := io.NewSectionReader(c.file, 0, c.end.offset)
		head := int64(len(copyHeader(format, c.ref)) + writerDigits + 1)
		if _, err := stored.Seek(head, io.SeekStart); err != nil {
			return err
		}
		text = io.MultiReader(stored, text)
	}
	if _, err := j.file.Seek(j.head, io.SeekStart); err != nil {
		return err
	}
	if _, err := io.Copy(j.file, text); err != nil {
		return fmt.Errorf("write log: %w", err)
	}
	if flush {
		if err := j.file.Sync(); err != nil {
			return fmt.Errorf("write log: %w", err)
		}
	}
	full, err := readJournal(j.file, format)
	if err == nil && (full.end.seq != c.Last() || full.size != full.end.offset) {
		err = errors.New("it is not what was written")
	}
	if err != nil {
		return fmt.Errorf("write log: %w", err)
	}
	*j = *full
	return nil
}
