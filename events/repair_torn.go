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
	"time"

	"github.com/git-trace/git-trace/refs"
)

// After a power failure, the file may have its length without the bytes of the last write, or only some of its pages.
// Then the log has an end that a killed append does not leave. Nothing can be appended to it, and events wait in the
// spool. The bytes after the last sound batch are copied aside unchanged. The seal's events come back, and whole events
// in these bytes are appended again: unchanged if they follow, because an event depends only on the previous one.
// Several damaged batches do not count as such an end; a person must look at them.

// ErrNotTorn reports that more than the end of a log is damaged.
var ErrNotTorn = errors.New("more than the end of the log is damaged")

// Torn is the end of a log whose last write is incomplete.
type Torn struct {
	After int64  // the last event before it
	Bytes int64  // behind that
	Kept  string // the file with the removed bytes, once the log was mended
	Back  int    // the number of its events that are in the log again

	header bool    // even the first line is missing
	whole  []Draft // whole events that are neither in the seal nor in the spool
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
		t.end.offset = 0
	} else {
		whole := *j
		whole.end.offset = j.size
		end, err := whole.check(ctx, t.end)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil { // lines that are not events follow it
			end = j.end
		}
		t.end = end
	}
	t.After, t.Bytes = t.end.seq, j.size-t.end.offset
	if t.Bytes > lastEndWindow {
		return nil, ErrNotTorn
	}
	rest := make([]byte, t.Bytes)
	if _, err := j.file.ReadAt(rest, t.end.offset); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read the end of the log: %w", err)
	}
	return t, t.take(l, rest)
}

// `take` finds whole events in the rest of the file.
func (t *Torn) take(l *Log, rest []byte) error {
	tip, err := l.Tip(refs.EventsRef)
	if err != nil {
		return fmt.Errorf("read the seal of the log: %w", err)
	}
	seal, _ := l.readSeal(tip) // without it, nothing comes back from it
	writer, _ := l.Writer()
	waiting, err := l.waiting()
	if err != nil {
		return err
	}
	ends, found := 0, 0
	for line := range bytes.SplitSeq(rest, newline) {
		if _, _, ok := parseEnd(string(line)); ok {
			ends++
		}
		e, err := DecodeChecked(line)
		if err != nil || writer != "" && e.Writer != writer || e.Seq <= max(t.end.seq, seal.Head.Events) {
			continue
		}
		found++
		if line, err := draftLine(e.Draft()); err == nil && !waiting[string(line)] {
			t.whole = append(t.whole, e.Draft())
		}
	}
	// A whole end line after a changed text shows that somebody changed the text. A page that was never written has zeros.
	if ends > 1 || ends == 1 && bytes.IndexByte(rest, 0) < 0 || t.header && found+ends > 0 {
		return ErrNotTorn
	}
	return nil
}

// waiting returns the lines in the spool.
func (l *Log) waiting() (map[string]bool, error) {
	files, err := l.Spooled()
	lines := map[string]bool{}
	for _, name := range files {
		text, _ := os.ReadFile(name) // another user's file is not part of this log
		for line := range bytes.SplitSeq(text, newline) {
			lines[string(line)] = true
		}
	}
	return lines, err
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
		t.Kept = filepath.Join(l.repo.TracesDir(), "torn", fmt.Sprintf("%020d.log", time.Now().UnixNano()))
		if err := refs.WriteFileDurable(t.Kept, text[min(t.end.offset, int64(len(text))):], 0o600); err != nil {
			return err
		}
		if len(t.whole) > 0 {
			if err := l.spoolAt(t.whole, t.whole[0].Time); err != nil {
				return err
			}
		}
		return l.replaceEnd(ctx, t, text)
	})
	if err != nil {
		return nil, fmt.Errorf("mend the end of the log: %w", err)
	}
	return t, nil
}

// replaceEnd rewrites the log with its sound part, under a new generation: notes about the former file are then
// invalid. Then the log goes on with the seal and the spool. If even the first line is damaged, only the seal remains.
func (l *Log) replaceEnd(ctx context.Context, t *Torn, text []byte) error {
	var err error
	if t.header {
		err = os.Remove(l.JournalPath())
	} else {
		head := journalHeader(l.repo.Format) + newGeneration() + "\n"
		text = append([]byte(head), text[len(head):t.end.offset]...)
		err = refs.WriteFileDurable(l.JournalPath(), text, 0o666)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	j, err := l.openToAppend(ctx)
	defer j.close()
	if err == nil && j != nil {
		err = l.goOn(ctx, j)
	}
	if err != nil {
		return err
	}
	if j != nil {
		t.Back = int(j.end.seq - t.After)
		if !t.header { // with the seal alone, the lost events are known
			end := j.tip()
			if end.writer == "" {
				end.writer, _ = l.Writer() // the memory has the writer too
			}
			if err := l.rememberEnd(end); err != nil {
				return err
			}
		}
	}
	t.Back += len(t.whole)
	_, err = l.drain(ctx)
	return err
}
