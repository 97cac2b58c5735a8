// Package jsonl reads JSON lines of other programs: one object on each line, with limits. Every fault has its line and
// byte.
//
// It skips blank lines, and removes a byte order mark and carriage returns. It only checks that a line is one complete
// object. If not, it returns a fault, and the caller decides whether to continue.
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

// MaxLine is the greatest length of a line, in bytes.
const MaxLine = 512 << 20

// ErrTooLong reports a line beyond that limit.
var ErrTooLong = errors.New("line is too long")

// ErrNotObject reports a line that is not one JSON object.
var ErrNotObject = errors.New("not one JSON object")

// Fault is an error in a line.
type Fault struct {
	Line   int   // number of the line, from 1
	Offset int64 // the byte of the error in the file; the start of the line if it is unknown
	Err    error
}

// Error returns "line N, byte N: cause".
func (f *Fault) Error() string { return fmt.Sprintf("line %d, byte %d: %v", f.Line, f.Offset, f.Err) }

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Err }

// Reader reads the lines of a file.
type Reader struct {
	in   *bufio.Reader
	max  int
	line int
	at   int64 // the offset of the last returned line
	next int64 // the offset of the line after it
	walk *rawjson.Decoder
	long []byte
	pass func(error) bool
}

// Passing returns a function that reports whether a faulty row is skipped and reading continues. It is the method
// PassOver of the file. If the file has no such method, no row is skipped.
func Passing(r io.Reader) func(fault error) bool {
	if with, ok := r.(interface{ PassOver(fault error) bool }); ok {
		return with.PassOver
	}
	return func(error) bool { return false }
}

// PassOver reports whether the line with this fault is skipped.
func (r *Reader) PassOver(err error) bool {
	var line *Fault
	return errors.As(err, &line) && !errors.Is(err, ErrTooLong) && r.pass(err)
}

// NewReader returns a reader of lines of at most maxLine bytes; 0 means MaxLine.
func NewReader(r io.Reader, maxLine int) *Reader {
	if maxLine <= 0 {
		maxLine = MaxLine
	}
	return &Reader{in: bufio.NewReaderSize(r, 64<<10), max: maxLine, walk: rawjson.NewDecoder(nil),
		pass: Passing(r)}
}

// Line returns the number of the last returned line.
func (r *Reader) Line() int { return r.line }

// Offset returns the offset of the last returned line.
func (r *Reader) Offset() int64 { return r.at }

// Fault returns an error with the place of the last returned line.
func (r *Reader) Fault(err error) error { return &Fault{r.line, r.at, err} }

// Next returns the next object, without white space around it; io.EOF at the end. A faulty line gives a *Fault; unless
// the line was too long, the next call continues with the next line. Errors of reading have another type. The object is
// valid until the next call.
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

// check returns an error if a line is not one complete object.
func (r *Reader) check(line []byte) error {
	r.walk.Reset(line)
	if r.walk.Kind() != rawjson.Object {
		return r.Fault(ErrNotObject)
	}
	r.walk.Skip()
	switch {
	case r.walk.Err() != nil:
		return &Fault{r.line, r.at + int64(r.walk.Pos()), errors.Unwrap(r.walk.Err())} // the Fault already has the place
	case r.walk.Pos() != len(line):
		return &Fault{r.line, r.at + int64(r.walk.Pos()), ErrNotObject}
	}
	return nil
}

// read returns a line with its line end. The last line may lack a line end; it is returned with io.EOF.
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
			r.long = slices.Grow(r.long, len(r.long)) // a smaller buffer would be copied more often, each time to new memory
		}
		r.long = append(r.long, line...)
	}
	return r.long, err
}
