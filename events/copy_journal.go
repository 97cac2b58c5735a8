package events

import (
	"context"
	"os"
	"path/filepath"

	"github.com/git-trace/git-trace/internal/fault"
	"github.com/git-trace/git-trace/refs"
)

// This clone's log needs no copy: its file already has the form of a copy. A copy holds only events that were checked.
// So readers check the file once, and note in the cache how far they checked it.

// checkedPath returns the file in which readers note how far they have checked the log.
func (l *Log) checkedPath() string { return filepath.Join(l.cacheDir(), "checked") }

// checkedEnd returns the end of the checked part of this build of the file; without such a note, the end of an empty
// log.
func (l *Log) checkedEnd(j *journal) flatEnd {
	gen, end := readMark(l.checkedPath())
	if gen != j.gen || end.offset > j.end.offset || end.offset < j.head {
		return flatEnd{offset: j.head}
	}
	return end
}

// copyOwn opens the file of this clone's log as a copy. If the file is damaged, it returns the valid part with a note.
// Without a file it returns nil.
func (l *Log) copyOwn(ctx context.Context) (*Copy, error) {
	j, broken := l.openJournal(os.O_RDONLY)
	if j == nil {
		return nil, broken
	}
	c := &Copy{ref: refs.EventsRef, text: &Text{gen: j.gen, file: j.file, users: 1}}
	if broken != nil {
		j.end.offset = j.size
	}
	if j.gen == "" { // even its first line has changed
		j.head = 0
	}
	known := l.checkedEnd(j)
	end, err := j.check(ctx, known)
	if ctx.Err() != nil {
		c.Close()
		return nil, ctx.Err()
	}
	if c.end, c.text.stored = end, end.offset; end != known && j.gen != "" {
		_ = writeMark(l.checkedPath(), j.gen, end) // without it the file is checked again
	}
	if broken == nil {
		broken = err
	} else if !isBroken(err) {
		broken = brokenBy(end.seq+1, broken)
	}
	if broken != nil {
		c.Notes = append(c.Notes, broken.Error())
		var lines [][]byte
		j.end.offset = j.size
		_ = j.batches(end.offset, func(b *batch) error { // the readable part ends at an error
			lines = append(lines, b.lines...)
			return nil
		})
		c.text.tail, c.end = leftOver(lines, end)
	}
	return c, nil
}

// `check` checks the chain of the batches after an end, and returns the end of the last sound one. At the first unsound
// batch it stops with a brokenError.
func (j *journal) check(ctx context.Context, from flatEnd) (flatEnd, error) {
	err := fault.InOrder(j.groups(from.offset), checkBatches, func(group []checkedBatch) error {
		for i := range group {
			b := &group[i]
			if err := b.unsound(); err != nil {
				return err
			}
			end, err := follow(b.events, from)
			if err != nil {
				return err
			}
			if end.seq != b.end.seq || end.id != b.end.id {
				return &brokenError{seq: end.seq, why: "the end line of its batch names another event"}
			}
			from = b.end
		}
		return ctx.Err()
	})
	if err != nil && !isBroken(err) && ctx.Err() == nil {
		err = brokenBy(from.seq+1, err)
	}
	return from, err
}
