package events

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/git-trace/git-trace/refs"
)

// After a power failure, the file may have its length without the bytes of the last write, or only some of its pages.
// Then the log has an end that a killed append does not leave. Nothing can be appended to it, and events wait in the
// spool. The bytes after the last sound batch are copied aside unchanged. Whole events in them go back into the log:
// unchanged if they follow the last sound event, otherwise as new ones. Several damaged batches do not count as such an
// end; a person must look at them.

// ErrNotTorn reports that more than the end of a log is damaged.
var ErrNotTorn = errors.New("more than the end of the log is damaged")

// Torn is the end of a log whose last write is incomplete.
type Torn struct {
	After int64  // the last event before it
	Bytes int64  // behind that
	Kept  string // the file with the removed bytes, once the log was mended
	Back  int    // the number of its events that are in the log again

	header bool    // even the first line is missing
	chain  []Event // the events that follow the last sound event
	loose  []Draft // other whole events
	end    flatEnd
}

// FindTorn finds an end of the log that prevents an append; nil if there is none. ErrNotTorn means that mending would
// not be safe.
func (l *Log) FindTorn(ctx context.Context) (*Torn, error) {
	j, broken := l.openJournal(os.O_RDONLY)
	defer j.close()
	if broken == nil || j == nil {
		return nil, nil // a file that cannot be opened is reported elsewhere
	}
	t := &Torn{header: j.gen == "", end: flatEnd{offset: j.head}}
	if t.header {
		t.end.offset, j.head = 0, 0
	} else if err := t.findSound(ctx, j); err != nil {
		return nil, err
	}
	t.After, t.Bytes = t.end.seq, j.size-t.end.offset
	if t.Bytes > lastEndWindow {
		return nil, ErrNotTorn
	}
	rest := make([]byte, t.Bytes)
	if _, err := j.file.ReadAt(rest, t.end.offset); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read the end of the log: %w", err)
	}
	return t, t.take(ctx, l, rest)
}

// findSound finds the end of the last sound batch.
func (t *Torn) findSound(ctx context.Context, j *journal) error {
	whole := *j
	whole.end.offset = j.size
	end, err := whole.check(ctx, t.end)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err == nil { // lines that are not events follow it
		end = j.end
	}
	t.end = end
	return nil
}

// take finds whole events after the sound end: in the seal, if it has more, and in the rest of the file.
func (t *Torn) take(ctx context.Context, l *Log, rest []byte) error {
	at := t.end
	follow := func(e Event) bool {
		if e.Seq != at.seq+1 || e.Prev != at.id {
			return false
		}
		t.chain, at.seq, at.id = append(t.chain, e), e.Seq, e.ID
		return true
	}
	var writer string
	sealed, err := l.copyOfRef(ctx, refs.EventsRef)
	if err != nil {
		return fmt.Errorf("read the seal of the log: %w", err)
	}
	defer sealed.Close()
	for line, err := range sealed.Lines() {
		if err != nil {
			return err
		}
		e, err := DecodeLine(line.Line)
		if err != nil {
			return err
		}
		writer = e.Writer
		follow(e)
	}
	ends, others := 0, []Event{}
	for line := range bytes.SplitSeq(rest, newline) {
		if _, _, ok := parseEnd(string(line)); ok {
			ends++
		}
		e, err := DecodeLine(line)
		if err != nil || e.CheckID() != nil || writer != "" && e.Writer != writer {
			continue
		}
		if !follow(e) && !slices.ContainsFunc(t.chain, func(c Event) bool { return c.ID == e.ID }) {
			others = append(others, e)
		}
	}
	// A whole end line after a changed text shows that somebody changed the text. A page that was never written has zeros.
	if ends > 1 || ends == 1 && bytes.IndexByte(rest, 0) < 0 || t.header && len(others)+ends > 0 {
		return ErrNotTorn
	}
	return t.findLoose(l, others)
}

// findLoose leaves out the events that wait in the spool.
func (t *Torn) findLoose(l *Log, others []Event) error {
	files, err := l.Spooled()
	if err != nil {
		return err
	}
	waiting := map[string]bool{}
	for _, name := range files {
		text, _ := os.ReadFile(name) // another user's file is not part of this log
		for line := range bytes.SplitSeq(text, newline) {
			waiting[string(line)] = true
		}
	}
	for _, e := range others {
		line, err := draftLine(e.Draft())
		if err != nil {
			return err
		}
		if !waiting[string(line)] {
			t.loose = append(t.loose, e.Draft())
		}
	}
	return nil
}

// MendTorn moves the torn end of the log aside, and appends the waiting events. It returns nil if nothing was torn. If
// it is killed, the log is either unchanged or mended.
func (l *Log) MendTorn(ctx context.Context) (t *Torn, err error) {
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	err = l.inTurn(ctx, func() error {
		if t, err = l.FindTorn(ctx); t == nil || err != nil {
			return err
		}
		text, err := os.ReadFile(l.JournalPath())
		if err != nil {
			return err
		}
		if err := l.putAside(t, text); err != nil {
			return err
		}
		if len(t.loose) > 0 {
			if err := l.spoolAt(t.loose, t.loose[0].Time); err != nil {
				return err
			}
		}
		if err := l.replaceEnd(t, text); err != nil {
			return err
		}
		t.Back = len(t.chain) + len(t.loose)
		_, err = l.drain(ctx)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("mend the end of the log: %w", err)
	}
	return t, nil
}

// putAside copies the bytes after the sound end into a file beside the log.
func (l *Log) putAside(t *Torn, text []byte) error {
	t.Kept = filepath.Join(l.repo.TracesDir(), "torn", fmt.Sprintf("%020d.log", time.Now().UnixNano()))
	return refs.WriteFileDurable(t.Kept, text[min(t.end.offset, int64(len(text))):], 0o600)
}

// replaceEnd rewrites the log with its sound part and the events that follow it, under a new generation: notes about
// the former file are then invalid. If even the first line is damaged, only the seal remains.
func (l *Log) replaceEnd(t *Torn, text []byte) error {
	if t.header {
		if err := os.Remove(l.JournalPath()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	head := journalHeader(l.repo.Format) + newGeneration() + "\n"
	text = append([]byte(head), text[len(head):t.end.offset]...)
	last := tip{seq: t.end.seq, id: t.end.id}
	if len(t.chain) > 0 {
		more, _ := batchText(t.chain, t.end)
		text = append(text, more...)
		e := t.chain[len(t.chain)-1]
		last = tip{seq: e.Seq, id: e.ID, writer: e.Writer}
	}
	if err := refs.WriteFileDurable(l.JournalPath(), text, 0o666); err != nil {
		return err
	}
	if last.writer == "" {
		last.writer, _ = l.Writer() // the memory has the writer too
	}
	return l.rememberEnd(last)
}
