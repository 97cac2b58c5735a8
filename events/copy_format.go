package events

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/git-trace/git-trace/refs"
)

// brokenError reports that a log is invalid from one event on.
type brokenError struct {
	seq    int64
	why    string
	passes bool // the fault may be gone later: something could not be read, or does not hash to its name
}

// brokenBy returns a brokenError with the reason of a failed read.
func brokenBy(seq int64, err error) *brokenError { return &brokenError{seq, err.Error(), passes(err)} }

// `passes` reports whether an error may be temporary, while the ref names the same object.
func passes(err error) bool {
	var broken *brokenError
	if errors.As(err, &broken) {
		return broken.passes
	}
	for _, lasts := range []error{refs.ErrTooLarge, ErrTooLong, refs.ErrOtherType, errForked, errOtherForm} {
		if errors.Is(err, lasts) {
			return false
		}
	}
	var read *refs.ReadError
	return errors.As(err, &read) || !errors.Is(err, ErrNotLog) && !errors.Is(err, ErrNotPublication)
}

func (e *brokenError) Error() string { return fmt.Sprintf("log is broken at %d: %s", e.seq, e.why) }

func isBroken(err error) bool {
	var broken *brokenError
	return errors.As(err, &broken)
}

// copySound writes the events after an end up to a tip in the file's form, and returns the new end. Each file of the
// log is a batch of the copy. All end lines except the last name the file instead of the tip: a copy that ends at such
// a line is not complete. At the first unsound file it stops with a brokenError; errForked means that the tip does not
// come after the end. Fetched events must also have the writer that the ref names, and data in the form of their types.
func (l *Log) copySound(ctx context.Context, of FetchedLog, tip refs.OID, end flatEnd, w io.Writer) (flatEnd, error) {
	read := l.readSeal
	if of.Digest {
		read = l.ReadPublication
	}
	p, err := read(tip)
	if err != nil {
		return end, brokenBy(end.seq+1, err)
	}
	switch {
	case of.Writer != "" && p.Head.Writer != of.Writer:
		return end, &brokenError{seq: 1, why: fmt.Sprintf("written by %s, the ref names %s", p.Head.Writer, of.Writer)}
	case p.Head.ObjectFormat != l.repo.Format.String():
		return end, &brokenError{seq: 1, why: "it is of a repository with other object ids"}
	case p.Head.Events < end.seq:
		return end, errForked
	}
	err = l.after(ctx, p, end, of.Ref != "", func(name refs.OID, lines []checkedLine) error {
		return writeBatch(w, name, lines, &end)
	})
	return end, err
}

// `after` passes on the events of a publication after an end, file by file. The last file has the name of the commit.
func (l *Log) after(ctx context.Context, p Publication, end flatEnd, foreign bool,
	take func(name refs.OID, lines []checkedLine) error) error {
	begin := end.seq
	for i, f := range p.Files {
		name := f.Blob
		if i+1 == len(p.Files) {
			name = p.Commit
		} else if p.Files[i+1].First <= end.seq {
			continue
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		lines, err := l.linesAfter(f, end)
		if err == nil && begin > 0 && end.seq == begin && len(lines) > 0 && lines[0].err == nil && lines[0].Prev != end.id {
			err = errForked
		}
		if err == nil {
			end, err = follow(lines, end)
		}
		if err == nil && foreign {
			err = checkForeign(lines, p.Head.Writer)
		}
		if err == nil && name == p.Commit && (end.seq != p.Head.Events || end.id != p.Head.Last) {
			err = &brokenError{seq: end.seq, why: "its last event is not the one that it names"}
		}
		if err == nil {
			err = take(name, lines)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// linesAfter reads the events of one file after an end, which the file may hold.
func (l *Log) linesAfter(f PublishedFile, end flatEnd) ([]checkedLine, error) {
	text, err := l.sealedFile(f)
	if err != nil {
		return nil, brokenBy(f.First, err)
	}
	all := bytes.Split(text, newline)
	known := end.seq + 1 - f.First
	if known < 0 || known > int64(len(all)) {
		return nil, &brokenError{seq: f.First, why: "a file of events begins elsewhere than its name says"}
	}
	if known == 0 {
		return checkLines(all), nil
	}
	lines := checkLines(all[known-1:])
	if e := &lines[0]; e.bad() || e.ID != end.id || e.Seq != end.seq {
		return nil, errForked
	}
	return lines[1:], nil
}

// `follow` returns the end of events that continue a log; a brokenError names the first one that does not.
func follow(lines []checkedLine, end flatEnd) (flatEnd, error) {
	for i := range lines {
		e := &lines[i]
		why := ""
		switch {
		case e.err != nil:
			why = e.err.Error()
		case e.hash != e.ID:
			why = mismatch(e.hash, e.ID).Error()
		case e.Prev != end.id && i == 0:
			why = "the next event does not follow the one before"
		case e.Prev != end.id:
			why = notPrevious(e.Prev, end.id)
		case e.Seq != end.seq+1:
			why = fmt.Sprintf("number %d stands there", e.Seq)
		default:
			end.seq, end.id = e.Seq, e.ID
			continue
		}
		return end, &brokenError{seq: end.seq + 1, why: why}
	}
	return end, nil
}

// PublishedEvents reads the events of a publication and checks them, like a copy.
func (l *Log) PublishedEvents(p Publication) (out []Event, err error) {
	err = l.after(context.Background(), p, flatEnd{}, true, func(_ refs.OID, lines []checkedLine) error {
		for i := range lines {
			out = append(out, lines[i].Event)
		}
		return nil
	})
	return out, err
}

// checkForeign checks faults that only foreign logs can have.
func checkForeign(lines []checkedLine, writer string) error {
	for i := range lines {
		e := &lines[i].Event
		err := e.CheckData()
		if e.Writer != writer {
			err = fmt.Errorf("written by %s, the ref names %s", e.Writer, writer)
		}
		if err != nil {
			return &brokenError{seq: e.Seq, why: err.Error()}
		}
	}
	return nil
}

// leftOver writes the events that are valid by themselves, after an end, and returns the end after them.
func leftOver(lines [][]byte, end flatEnd) ([]byte, flatEnd) {
	var text bytes.Buffer
	good := slices.DeleteFunc(checkLines(lines), func(e checkedLine) bool { return e.bad() })
	_ = writeBatch(&text, refs.OID{}, good, &end) // a buffer takes everything
	return text.Bytes(), end
}

func writeBatch(w io.Writer, commit refs.OID, lines []checkedLine, end *flatEnd) error {
	length := 0
	for i := range lines {
		for _, part := range [...][]byte{lines[i].raw, newline} {
			n, err := w.Write(part)
			if err != nil {
				return err
			}
			length += n
		}
		end.seq, end.id = lines[i].Seq, lines[i].ID
	}
	if length == 0 {
		return nil
	}
	end.commit = commit
	text := end.line(length)
	end.offset += int64(length + len(text))
	_, err := io.WriteString(w, text)
	return err
}
