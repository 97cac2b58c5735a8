// Package jsonl reads JSON lines of other programs: one object a line, with limits, and with the line and the byte in
// every fault.
//
// It skips blank lines, and removes a byte order mark and carriage returns. It only checks whether a line is one whole
// object: otherwise the line is a fault, and the caller decides whether to continue.
package jsonl

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/git-trace/git-trace/records/rawjson"
)

// MaxLine is the length of a line, in bytes, beyond which a file is refused.
const MaxLine = 512 << 20

// ErrTooLong reports a line beyond the limit.
var ErrTooLong = errors.New("line is too long")

// ErrNotObject reports a line that holds something else than one JSON object.
var ErrNotObject = errors.New("not one JSON object")

// Fault is a fault of a line.
type Fault struct {
	Line   int   // from 1
	Offset int64 // the byte of the file with the error; the beginning of the line, if more is unknown
	Err    error
}

// Error is "line N, byte N: cause".
func (f *Fault) Error() string { return fmt.Sprintf("line %d, byte %d: %v", f.Line, f.Offset, f.Err) }

// Unwrap gives the cause.
func (f *Fault) Unwrap() error { return f.Err }

// Reader gives the lines of a file.
type Reader struct {
	in   *bufio.Reader
	max  int
	line int
	at   int64 // offset of the line that was given last
	next int64 // offset of the line after it
	walk *rawjson.Decoder
	long []byte
	pass func(error) bool
}

// Passing returns how a file skips rows that cannot be read: its method PassOver takes the fault of a row, and reports
// whether the reading continues. Without the method no row is skipped.
func Passing(r io.Reader) func(fault error) bool {
	if with, ok := r.(interface{ PassOver(fault error) bool }); ok {
		return with.PassOver
	}
	return func(error) bool { return false }
}

// PassOver reports whether the file skips the line with this fault.
func (r *Reader) PassOver(err error) bool {
	var line *Fault
	return errors.As(err, &line) && !errors.Is(err, ErrTooLong) && r.pass(err)
}

// NewReader reads lines of at most maxLine bytes; 0 is MaxLine.
func NewReader(r io.Reader, maxLine int) *Reader {
	if maxLine <= 0 {
		maxLine = MaxLine
	}
	return &Reader{in: bufio.NewReaderSize(r, 64<<10), max: maxLine, walk: rawjson.NewDecoder(nil),
		pass: Passing(r)}
}

// Line returns the number of the line that was given last.
func (r *Reader) Line() int { return r.line }

// Offset returns the first byte of the line that was given last.
func (r *Reader) Offset() int64 { return r.at }

// Fault gives an error the place of the line that was given last.
func (r *Reader) Fault(err error) error { return &Fault{r.line, r.at, err} }

// Next returns the next object, without white space around it; io.EOF at the end. A fault of the line is a *Fault,
// after which Next continues with the next line, unless the line was too long; an error of reading is any other error.
// The object is valid until the next call.
func (r *Reader) Next() ([]byte, error) {
	for {
		line, err := r.read()
		r.at, r.next = r.next, r.next+int64(len(line))
		if len(line) == 0 && err != nil {
			return nil, err
		}
		r.line++
		whole := len(line)
		if r.line == 1 {
			line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
		}
		line = bytes.TrimLeft(line, " \t\r\n")
		r.at += int64(whole - len(line))
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		return line, r.check(line)
	}
}

// check reports whether a line is one whole object.
func (r *Reader) check(line []byte) error {
	r.walk.Reset(line)
	if r.walk.Kind() != rawjson.Object {
		return r.Fault(ErrNotObject)
	}
	r.walk.Skip()
	switch {
	case r.walk.Err() != nil:
		return &Fault{r.line, r.at + int64(r.walk.Pos()), errors.Unwrap(r.walk.Err())} // the Fault has the place
	case r.walk.Pos() != len(line):
		return &Fault{r.line, r.at + int64(r.walk.Pos()), ErrNotObject}
	}
	return nil
}

// read returns a line with its end. The last line may have no end, and comes with io.EOF.
func (r *Reader) read() ([]byte, error) {
	line, err := r.in.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return line, err
	}
	r.long = append(r.long[:0], line...)
	for errors.Is(err, bufio.ErrBufferFull) {
		if len(r.long) > r.max {
			r.line++
			r.at = r.next
			return nil, r.Fault(ErrTooLong)
		}
		line, err = r.in.ReadSlice('\n')
		if room := cap(r.long) - len(r.long); room < len(line) {
			r.long = slices.Grow(r.long, len(r.long)) // less would be copied more often, each time into new pages
		}
		r.long = append(r.long, line...)
	}
	return r.long, err
}
