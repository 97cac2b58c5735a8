package events

import (
	"context"
	"errors"
	"fmt"
	"io"

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

// copySound writes the events after `end`, up to `tip`, in the file's form, and returns the new end. It hashes each
// event and chains it to the previous one. At the first unsound file it stops with a brokenError; errForked means that
// `tip` does not come after `end`. Fetched events must also have the writer that the ref names, and data in the form of
// their types.
func (l *Log) copySound(ctx context.Context, ref string, end flatEnd, tip refs.OID, w io.Writer) (flatEnd, error) {
	fetched, _ := parseFetched(ref)
	if fetched.Digest {
		return l.copyPublished(fetched, end, tip, w)
	}
	return l.copySealed(ctx, fetched, tip, end, w)
}

// soundLines returns the checked lines, if they are valid and follow `end`.
func soundLines(checked checkedPart, lines [][]byte, end flatEnd) ([]soundLine, *brokenError) {
	if len(checked.findings) > 0 {
		f := checked.findings[0]
		return nil, &brokenError{end.seq + int64(max(0, f.at)) + 1, f.detail, f.kind == FaultObject}
	}
	if checked.firstPrev != end.id {
		return nil, &brokenError{seq: end.seq + 1, why: "the next event does not follow the one before"}
	}
	for i, m := range checked.marks {
		if m.seq != end.seq+1+int64(i) {
			return nil, &brokenError{seq: end.seq + 1 + int64(i), why: fmt.Sprintf("number %d stands there", m.seq)}
		}
	}
	out := make([]soundLine, len(lines))
	for i, line := range lines {
		out[i] = soundLine{line, end.seq + 1 + int64(i), checked.lastID}
	}
	return out, nil
}

// checkForeign checks faults that only foreign logs can have.
func checkForeign(lines []soundLine, writer string) *brokenError {
	for _, line := range lines {
		e, err := DecodeLine(line.text)
		if err == nil && e.Writer != writer {
			err = fmt.Errorf("written by %s, the ref names %s", e.Writer, writer)
		}
		if err == nil {
			err = e.CheckData()
		}
		if err != nil {
			return &brokenError{seq: line.seq, why: err.Error()}
		}
	}
	return nil
}

// soundLine is an event to be copied. The id matters only for the last event of a batch.
type soundLine struct {
	text []byte
	seq  int64
	id   ID
}

func writeBatch(w io.Writer, commit refs.OID, lines []soundLine, end *flatEnd) error {
	length := 0
	for _, line := range lines {
		for _, part := range [...][]byte{line.text, {'\n'}} {
			n, err := w.Write(part)
			if err != nil {
				return err
			}
			length += n
		}
		end.seq, end.id = line.seq, line.id
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
