package gitdiff

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Hunk is the position of a hunk without context. Lines count from 1. For a side without lines, the start is the line
// after which the other side's lines belong.
type Hunk struct{ OldStart, OldCount, NewStart, NewCount int }

// Lines receives the lines of a patch.
type Lines interface {
	// Hunk begins a hunk. The parameter `record` is the index of its record.
	Hunk(record int, h Hunk)
	// Removed and Added receive a line of the current hunk, with its line feed if it has one. The bytes are valid only
	// during the call.
	Removed(line []byte)
	Added(line []byte)
}

// Patch parses the patch for records, up to the id of the next commit or the end. There is one section for each record,
// in order. A record whose type changed, such as a file that became a symbolic link, has two: a deletion and a
// creation.
func (r *Reader) Patch(records []Record, to Lines) error {
	at, second := -1, false
	return r.sections("diff --git ", "@@ ", func() error {
		if second = at >= 0 && records[at].Status == 'T' && !second; second {
			return nil
		}
		if at++; at >= len(records) {
			return errPatches
		}
		return nil
	}, func(line []byte) error {
		h, err := ParseHunk(line)
		if err != nil {
			return err
		}
		to.Hunk(at, h)
		if err := r.lines('-', h.OldCount, to.Removed); err != nil {
			return err
		}
		return r.lines('+', h.NewCount, to.Added)
	})
}

var errPatches = fmt.Errorf("%w: more patches than records", ErrShape)

// sections reads a patch up to the id of the next commit or the end. It calls `begin` for each file, whose section
// begins with the text `file`, and `hunk` for each line that begins with the text `header`.
func (r *Reader) sections(file, header string, begin func() error, hunk func(line []byte) error) error {
	if first, err := r.ahead(1); err != nil {
		return err
	} else if len(first) == 1 && first[0] == 0 {
		_, _ = r.in.Discard(1) // the byte that ends the records
	}
	begun := false
	for {
		ahead, err := r.ahead(65)
		if err != nil || len(ahead) == 0 || startsCommit(ahead) {
			return err
		}
		line, err := r.line()
		if err != nil {
			return err
		}
		switch {
		case bytes.HasPrefix(line, []byte(file)):
			begun, err = true, begin()
		case !bytes.HasPrefix(line, []byte(header)):
		case !begun:
			err = fmt.Errorf("%w: hunk before any file", ErrShape)
		default:
			err = hunk(line)
		}
		if err != nil {
			return err
		}
	}
}

// lines reads the given number of lines of one side of a hunk.
func (r *Reader) lines(sign byte, count int, take func([]byte)) error {
	for range count {
		line, err := r.line()
		if err != nil {
			return err
		}
		if len(line) == 0 || line[0] != sign {
			return fmt.Errorf("%w: hunk cut short", ErrShape)
		}
		take(line[1:])
		if next, err := r.ahead(1); err == nil && len(next) == 1 && next[0] == '\\' {
			if _, err := r.line(); err != nil { // "\ No newline at end of file"
				return err
			}
		}
	}
	return nil
}

// ParseHunk parses "@@ -A[,B] +C[,D] @@…".
func ParseHunk(line []byte) (Hunk, error) {
	fields := bytes.Fields(line)
	if len(fields) < 4 || fields[1][0] != '-' || fields[2][0] != '+' {
		return Hunk{}, fmt.Errorf("%w: hunk header", ErrShape)
	}
	var h Hunk
	var err error
	if h.OldStart, h.OldCount, err = parseRange(string(fields[1][1:])); err != nil {
		return Hunk{}, err
	}
	h.NewStart, h.NewCount, err = parseRange(string(fields[2][1:]))
	return h, err
}

// parseRange parses "START[,COUNT]". Both numbers are limited, so that their sum fits into an int on every system.
func parseRange(text string) (start, count int, err error) {
	first, second, found := strings.Cut(text, ",")
	if !found {
		second = "1"
	}
	a, err1 := strconv.ParseUint(first, 10, 30)
	b, err2 := strconv.ParseUint(second, 10, 30)
	if err := errors.Join(err1, err2); err != nil {
		return 0, 0, fmt.Errorf("%w: hunk range: %w", ErrShape, err)
	}
	return int(a), int(b), nil
}
