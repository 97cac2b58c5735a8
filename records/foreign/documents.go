package foreign

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/jsonl"
	"github.com/git-trace/git-trace/records/packed"
	"github.com/git-trace/git-trace/records/rawjson"
)

// MaxDocument is the greatest length of a row, in bytes; a file with a longer row is rejected.
const MaxDocument = 256 << 20

// The errors of files.
var (
	ErrTooLong = errors.New("one value is longer than 256 MiB")
	ErrMixed   = errors.New("something else than JSON objects, one after the other or in one array")
	ErrEmpty   = errors.New("the file is empty")
	ErrForm    = errors.New("not of this format")
)

// Place is the position of a row.
type Place struct {
	Row     int   // the number of its line, or of its element in an array, from 1
	Element bool  // Row counts elements
	Offset  int64 // offset of the row's first byte in the uncompressed file
}

// Fault is an error in a row.
type Fault struct {
	Place
	Err error
}

// Error returns "line N, byte N: cause".
func (f *Fault) Error() string {
	kind := "line"
	if f.Element {
		kind = "element"
	}
	return fmt.Sprintf("%s %d, byte %d: %v", kind, f.Row, f.Offset, f.Err)
}

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Err }

// Document is one row: a complete JSON value.
type Document struct {
	Place
	Raw  []byte // valid until the next row is read, unless [Document.Keep] is called
	File string // the last part of the file's name, "" without a name

	scanner *scanner
}

// `At` is an error at a byte of a row, counted from 0.
type At struct {
	Byte int
	Err  error
}

// Error returns the cause.
func (a *At) Error() string { return a.Err.Error() }

// Unwrap gives the cause.
func (a *At) Unwrap() error { return a.Err }

// Fault returns an error with the place of the row or, for an At, of a byte in the row.
func (d *Document) Fault(err error) error {
	place := d.Place
	if within := (*At)(nil); errors.As(err, &within) {
		place.Offset += int64(within.Byte)
		if !place.Element {
			place.Row += bytes.Count(d.Raw[:within.Byte], []byte("\n"))
		}
	}
	return &Fault{place, err}
}

// Keep makes Raw valid permanently. A long row is not copied; instead, the reader gets a new buffer.
func (d *Document) Keep() {
	if len(d.Raw) < cap(d.scanner.buf)/2 || !d.scanner.spare() {
		d.Raw = bytes.Clone(d.Raw)
	}
}

// Decode makes conversations from a row.
type Decode func(d *Document) ([]*records.Record, error)

// Each yields the conversations of all rows. It stops at the first fault, unless the caller skips faulty rows
// ([jsonl.Passing]). An array is one row if its first element is a part of a conversation and not a whole conversation;
// the function `whole` reports this.
func Each(r io.Reader, whole func(first []byte) bool, decode Decode,
	yield func(row int, record *records.Record) error) error {
	rows := 0
	err := Documents(r, whole, func(d *Document) error {
		rows++
		list, err := decode(d)
		if err != nil {
			if err = d.Fault(err); d.scanner.pass(err) {
				return nil
			}
			return err
		}
		d.Raw = nil
		d.scanner.spare()
		for _, record := range list {
			if err := yield(d.Row, record); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && rows == 0 {
		return &Fault{Place{Row: 1}, ErrEmpty}
	}
	return err
}

// Documents yields the rows of a file.
func Documents(r io.Reader, whole func(first []byte) bool, yield func(*Document) error) error {
	s := &scanner{in: r, line: 1, walk: rawjson.NewDecoder(nil), file: baseName(r), pass: jsonl.Passing(r)}
	s.fill(0)
	if bytes.HasPrefix(s.buf, []byte("\xef\xbb\xbf")) {
		s.pos = 3
	}
	if s.next() == '[' {
		one, err := s.array(whole, yield)
		if err != nil || !one {
			return err
		}
	}
	for s.next() >= 0 {
		at := s.base + int64(s.pos)
		var err error
		if c := s.buf[s.pos]; c == '{' || c == '[' && whole != nil {
			err = s.row(s.line, false, yield)
		} else {
			err = s.fault(ErrMixed)
		}
		if err == nil {
			continue
		}
		if at != s.base+int64(s.pos) || !s.passes(err) { // the row itself is valid, but yield returned an error
			return err
		}
		s.skipLine()
	}
	return s.readError()
}

// `passes` reports whether the faulty row that begins at `pos` is skipped. From then on, each line is a row. So an
// unclosed row cannot make the reader read to the end of the file twice.
func (s *scanner) passes(err error) bool {
	var row *Fault
	if !errors.As(err, &row) || errors.Is(err, ErrTooLong) || s.readError() != nil || !s.pass(err) {
		return false
	}
	s.lines = true
	return true
}

// skipLine moves to the end of a line.
func (s *scanner) skipLine() {
	for {
		if n := bytes.IndexByte(s.buf[s.pos:], '\n'); n >= 0 {
			s.pos += n
			return
		}
		if s.pos = len(s.buf); s.err != nil {
			return
		}
		s.fill(s.pos)
	}
}

// scanner finds the ends of the values in a file.
type scanner struct {
	in   io.Reader
	buf  []byte
	pos  int   // the end of the processed part
	base int64 // the offset of buf in the file
	line int
	err  error
	walk *rawjson.Decoder
	file string

	pass  func(fault error) bool
	lines bool // each row is one line
}

const chunk = 256 << 10

// fill reads more data after it has dropped the bytes before `keep`. It returns the distance by which the content of
// buf moved.
func (s *scanner) fill(keep int) (moved int) {
	if s.err != nil {
		return 0
	}
	if keep > 0 && (len(s.buf)-keep < keep || keep > chunk) {
		s.buf = append(s.buf[:0], s.buf[keep:]...)
		s.base += int64(keep)
		s.pos -= keep
		moved = keep
	}
	from := len(s.buf)
	need := from + max(chunk, from)
	if cap(s.buf) < need {
		grown := make([]byte, from, need)
		copy(grown, s.buf)
		s.buf = grown
	}
	s.buf = s.buf[:need]
	n := from
	for n < need && s.err == nil {
		var more int
		more, s.err = s.in.Read(s.buf[n:])
		if broken := (*packed.Fault)(nil); errors.As(s.err, &broken) {
			s.err = broken.Err // the row's error has the position
		}
		n += more
	}
	s.buf = s.buf[:n]
	return moved
}

// `next` skips white space and returns the next byte; -1 at the end.
func (s *scanner) next() int {
	for {
		for ; s.pos < len(s.buf); s.pos++ {
			switch s.buf[s.pos] {
			case '\n':
				s.line++
			case ' ', '\t', '\r':
			default:
				return int(s.buf[s.pos])
			}
		}
		if s.err != nil {
			return -1
		}
		s.fill(s.pos)
	}
}

func (s *scanner) readError() error {
	if s.err != nil && !errors.Is(s.err, io.EOF) {
		return &Fault{Place{Row: s.line, Offset: s.base + int64(len(s.buf))}, s.err}
	}
	return nil
}

func (s *scanner) fault(err error) error {
	if bad := s.readError(); bad != nil {
		return bad
	}
	return &Fault{Place{Row: s.line, Offset: s.base + int64(s.pos)}, err}
}

// array yields the elements of an array that is the whole file. It returns true if the array is a single row, which was
// not yielded.
func (s *scanner) array(whole func([]byte) bool, yield func(*Document) error) (one bool, err error) {
	begin, line := s.base+int64(s.pos), s.line
	s.pos++
	for element := 1; ; element++ {
		c := s.next()
		switch {
		case c == ']' && element == 1:
			s.pos++
			return false, s.end()
		case c != '{':
			return false, s.fault(ErrMixed)
		}
		if element == 1 && whole != nil {
			raw, err := s.value(line, false)
			if err != nil {
				return false, err
			}
			if whole(raw) {
				if s.base > begin { // the first element alone exceeds the limit
					return false, s.fault(ErrTooLong)
				}
				s.pos, s.line = int(begin-s.base), line
				return true, nil
			}
			s.pos -= len(raw)
		}
		if err := s.row(element, true, yield); err != nil {
			return false, err
		}
		switch s.next() {
		case ',':
			s.pos++
		case ']':
			s.pos++
			return false, s.end()
		default:
			return false, s.fault(rawjson.ErrTruncated)
		}
	}
}

// end returns an error if anything follows.
func (s *scanner) end() error {
	if s.next() >= 0 {
		return s.fault(ErrMixed)
	}
	return s.readError()
}

func (s *scanner) row(row int, element bool, yield func(*Document) error) error {
	raw, err := s.value(row, element)
	if err != nil {
		return err
	}
	place := Place{Row: row, Element: element, Offset: s.base + int64(s.pos-len(raw))}
	s.line += bytes.Count(raw, []byte("\n"))
	return yield(&Document{Place: place, Raw: raw, File: s.file, scanner: s})
}

// long is the buffer size above which the buffer of a row is replaced or given to the caller.
const long = 4 << 20

// spare replaces a large buffer with a small one. It reports whether it replaced the buffer.
func (s *scanner) spare() bool {
	rest := s.buf[s.pos:]
	if cap(s.buf) <= long || len(rest) >= cap(s.buf)/4 {
		return false
	}
	s.base += int64(s.pos)
	s.buf, s.pos = append(make([]byte, 0, len(rest)+chunk), rest...), 0
	return true
}

// value reads to the end of the value that begins at `pos`.
func (s *scanner) value(row int, element bool) ([]byte, error) {
	from, depth, quoted := s.pos, 0, false
	at := func(i int, err error) error {
		if !element {
			row += bytes.Count(s.buf[from:min(i, len(s.buf))], []byte("\n"))
		}
		return &Fault{Place{row, element, s.base + int64(i)}, err}
	}
	for i := from; ; {
		if i >= len(s.buf) {
			switch {
			case s.err == nil && len(s.buf)-from > MaxDocument:
				return nil, at(from, ErrTooLong)
			case s.err == nil:
				moved := s.fill(from)
				i, from = i-moved, from-moved
				continue
			case !errors.Is(s.err, io.EOF):
				return nil, at(len(s.buf), s.err)
			}
			depth, quoted = 0, false // the decoder finds the position of the fault
		}
		if quoted {
			end := bytes.IndexByte(s.buf[i:], '"')
			if line := bytes.IndexByte(s.buf[i:i+max(end, 0)], '\n'); line >= 0 {
				return nil, at(i+line, rawjson.ErrSyntax) // a line was cut off
			}
			if end < 0 {
				i = len(s.buf)
				continue
			}
			i += end + 1
			quoted = s.escaped(i - 1)
			continue
		}
		if i < len(s.buf) {
			switch s.buf[i] {
			case '"':
				quoted = true
			case '{', '[':
				depth++
			case '}', ']':
				depth--
			case '\n':
				if s.lines && !element {
					return nil, at(i, rawjson.ErrTruncated)
				}
			}
			if i++; depth > 0 {
				continue
			}
		}
		raw := s.buf[from:i]
		if len(raw) > MaxDocument {
			return nil, at(from, ErrTooLong)
		}
		s.walk.Reset(raw)
		s.walk.Skip()
		if err := s.walk.Err(); err != nil {
			return nil, at(from+s.walk.Pos(), errors.Unwrap(err))
		}
		if s.walk.Pos() != len(raw) {
			return nil, at(from+s.walk.Pos(), rawjson.ErrSyntax)
		}
		s.pos = i
		return raw, nil
	}
}

// `escaped` reports whether an odd number of backslashes precedes a byte.
func (s *scanner) escaped(i int) bool {
	n := 0
	for n < i && s.buf[i-1-n] == '\\' {
		n++
	}
	return n%2 == 1
}
