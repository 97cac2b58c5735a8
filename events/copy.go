package events

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"time"

	"github.com/git-trace/git-trace/refs"
)

// Copy is a log for reading from its first event on: a whole Text, or parts of a Text with many logs. Each batch was
// checked when it was copied; the objects are not read again. Close it.
type Copy struct {
	// Notes say why the copy does not have the whole log.
	Notes []string

	ref    string
	number uint32  // number of the log in the text
	end    flatEnd // end of the log; its offset is not valid
	text   *Text
	spans  []textSpan // parts of the log, if the text has parts
}

// textSpan is a part of a text, by its offsets.
type textSpan struct{ from, to int64 }

// lockPatience is the time that a reader waits for another process that copies logs.
const lockPatience = 100 * time.Millisecond

// The directories of copied logs: the fetched ones, and this clone's log if it has no file.
const (
	fetchedDir = "fetched"
	ownDir     = "own"
)

// Copy opens the present log on a ref (refs.EventsRef for this clone's). A missing log gives an empty copy. If this
// clone's log is damaged, it returns the readable part and a note. A damaged fetched log is an error, because no part
// of it counts.
func (l *Log) Copy(ctx context.Context, ref string) (*Copy, error) {
	c, err := l.openCopy(ctx, ref)
	if err != nil {
		return nil, fmt.Errorf("copy log %s: %w", ref, err)
	}
	return c, nil
}

func (l *Log) openCopy(ctx context.Context, ref string) (*Copy, error) {
	if ref == refs.EventsRef {
		if c, err := l.copyOwn(ctx); c != nil || err != nil {
			return c, err
		}
	}
	return l.copyOfRef(ctx, ref)
}

// copyOfRef opens the log of a ref.
func (l *Log) copyOfRef(ctx context.Context, ref string) (*Copy, error) {
	tip, err := l.Tip(ref)
	if err != nil {
		return nil, err
	}
	if tip.IsZero() {
		return &Copy{ref: ref, text: &Text{users: 1}}, nil
	}
	f, _ := parseFetched(ref)
	f.Ref, f.Tip, f.Aside = ref, tip, IsAside(ref)
	dir := fetchedDir
	if ref == refs.EventsRef {
		dir = ownDir
	}
	of, err := l.takeIn(ctx, dir, []FetchedLog{f})
	switch {
	case err != nil:
		return nil, err
	case of[0].Err != nil && dir == ownDir:
		return l.copyRest(tip, of[0].Err), nil
	}
	return of[0].Copy, of[0].Err
}

// copyRest returns the valid events of this clone's damaged log on a ref, in memory.
func (l *Log) copyRest(tip refs.OID, why error) *Copy {
	var lines [][]byte
	p, _ := l.readSeal(tip) // without it none of its events is sound
	for _, f := range p.Files {
		if text, err := l.sealedFile(f); err == nil {
			lines = append(lines, bytes.Split(text, newline)...)
		}
	}
	text, end := leftOver(lines, flatEnd{})
	end.commit = tip
	return &Copy{Notes: []string{why.Error()}, ref: refs.EventsRef, end: end, text: &Text{tail: text, users: 1}}
}

// ForgetCopies deletes the cache of all logs. Running readers keep their open files.
func (l *Log) ForgetCopies() error { return l.forget(ownDir, fetchedDir, "checked") }

// ForgetFetched deletes the copies of fetched logs.
func (l *Log) ForgetFetched() error { return l.forget(fetchedDir) }

func (l *Log) forget(names ...string) error {
	for _, name := range names {
		if err := os.RemoveAll(filepath.Join(l.cacheDir(), name)); err != nil {
			return fmt.Errorf("forget copies: %w", err)
		}
	}
	return nil
}

// Close releases the text.
func (c *Copy) Close() {
	c.text.release()
	c.text = nil
}

// Digest reports whether the log is a digest: a published part of the events.
func (c *Copy) Digest() bool {
	f, _ := parseFetched(c.ref)
	return f.Digest
}

// Ref returns the ref of the copied log.
func (c *Copy) Ref() string { return c.ref }

// Text has the lines of the log, and possibly lines of other logs.
func (c *Copy) Text() *Text { return c.text }

// Number returns the number of the log in its text.
func (c *Copy) Number() uint32 { return c.number }

// Last returns the number of the last event.
func (c *Copy) Last() int64 { return c.end.seq }

// LastID returns the id of its last event; "" for none.
func (c *Copy) LastID() ID { return c.end.id }

// Tip returns the last commit that the copy includes.
func (c *Copy) Tip() refs.OID { return c.end.commit }

// ErrCopyDamaged reports that a cached copy has changed; after ForgetCopies the next Copy builds it again.
var ErrCopyDamaged = errors.New("cached copy of the log is damaged")

// lineBytes is the size of the parts of a log whose lines are read one after the other.
const lineBytes = 256 << 10

// Lines returns the lines of all events of the log.
func (c *Copy) Lines() iter.Seq2[CopyLine, error] {
	return func(yield func(CopyLine, error) bool) {
		spans := c.spans
		if len(c.text.parts) == 0 {
			spans = []textSpan{{0, c.text.Size()}}
		}
		for _, s := range spans {
			for part, err := range c.text.Parts(s.from, s.to, lineBytes) {
				if err != nil {
					yield(CopyLine{}, err)
					return
				}
				for line := range part.Lines() {
					if !yield(line, nil) {
						return
					}
				}
			}
		}
	}
}

// Event returns an event by its number; false if there is none.
func (c *Copy) Event(seq int64) (Event, bool, error) {
	at := int64(0)
	for line, err := range c.Lines() {
		if err != nil {
			return Event{}, false, err
		}
		if at++; at == seq {
			e, err := DecodeLine(line.Line)
			return e, err == nil && e.Seq == seq, err
		}
	}
	return Event{}, false, nil
}

// Continues reports whether a log begins with all events of another copy.
func (c *Copy) Continues(o *Copy) (bool, error) {
	if c == o || c.Tip() == o.Tip() {
		return true, nil
	}
	at, found, err := c.Event(o.Last())
	return found && at.ID == o.LastID(), err
}
