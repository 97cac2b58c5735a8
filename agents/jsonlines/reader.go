package jsonlines

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/git-trace/git-trace/records/rawjson"
)

// MaxLine is the greatest length of a line that is read, in bytes.
const MaxLine = 32 << 20

// Faults counts the parts of the file that are not returned.
type Faults struct {
	NotObject int `json:"not_object,omitempty"` // JSON values other than objects
	Broken    int `json:"broken,omitempty"`     // parts of lines that are not JSON
	TooLong   int `json:"too_long,omitempty"`   // lines beyond MaxLine
	Torn      int `json:"torn,omitempty"`       // a last line that is not complete (yet)
}

// Add adds the counts of another part.
func (f *Faults) Add(other Faults) {
	f.NotObject += other.NotObject
	f.Broken += other.Broken
	f.TooLong += other.TooLong
	f.Torn += other.Torn
}

// Lost returns the number of lines, or parts of lines, whose content was unreadable.
func (f Faults) Lost() int { return f.NotObject + f.Broken + f.TooLong + f.Torn }

// Reader reads the objects of a file.
type Reader struct {
	in     *bufio.Reader
	faults Faults
	long   []byte // a line that does not fit into the buffer of in
	rest   []byte // the part of the line that was not returned yet
	at     int64  // the offset of rest
	next   int64  // the offset of the next line
	end    int64
	number int64
	whole  bool // the line has its newline
	err    error
}

// NewReader reads from r, which begins at the given offset of the file, after the given number of lines.
func NewReader(r io.Reader, offset, lines int64) *Reader {
	return &Reader{in: bufio.NewReaderSize(r, 256<<10), at: offset, next: offset, end: offset, number: lines, whole: true}
}

// Object is one object of the file. Raw is valid until the next call of Next.
type Object struct {
	Raw    []byte
	Offset int64 // offset of the first byte
	Line   int64 // number of the line, from 1
}

// Next returns the next object; io.EOF after the last.
func (r *Reader) Next() (Object, error) {
	for {
		if len(r.rest) == 0 {
			if err := r.readLine(); err != nil {
				return Object{}, err
			}
			continue
		}
		if object, found := r.object(); found {
			return object, nil
		}
	}
}

// Faults returns the counts so far.
func (r *Reader) Faults() Faults { return r.faults }

// End returns the offset after the parts that were returned or counted; at the end of the file, it excludes a torn last
// line.
func (r *Reader) End() int64 { return r.end }

// Lines returns the number of lines that end before End. A last line without a newline is not counted.
func (r *Reader) Lines() int64 {
	if r.number > 0 && !r.whole {
		return r.number - 1
	}
	return r.number
}

// readLine reads the next line into rest.
func (r *Reader) readLine() error {
	if r.err != nil {
		return r.err
	}
	r.at, r.end = r.next, r.next
	line, err := r.in.ReadSlice('\n')
	size := int64(len(line))
	if errors.Is(err, bufio.ErrBufferFull) {
		line, size, err = r.readLong(line)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = fmt.Errorf("read session file: %w", err)
		return r.err
	}
	if err != nil {
		r.err = err
	}
	if size == 0 {
		return r.err
	}
	r.next += size
	r.number++
	r.whole = err == nil
	if line == nil {
		r.faults.TooLong++
		return nil
	}
	if marked := bytes.TrimPrefix(line, []byte("\xEF\xBB\xBF")); len(marked) < len(line) {
		line = marked
		r.at += 3
	}
	r.move(line, 0)
	return nil
}

// move advances by n bytes of a text, and over the white space after them.
func (r *Reader) move(text []byte, n int) {
	rest := bytes.TrimLeft(text[n:], " \t\r\n")
	r.at += int64(len(text) - len(rest))
	r.rest = rest
}

// readLong reads a line that is longer than the buffer; the result `line` is nil if it is too long.
func (r *Reader) readLong(part []byte) (line []byte, size int64, err error) {
	r.long = append(r.long[:0], part...)
	size = int64(len(part))
	err = bufio.ErrBufferFull
	for errors.Is(err, bufio.ErrBufferFull) {
		part, err = r.in.ReadSlice('\n')
		size += int64(len(part))
		if size <= MaxLine {
			r.long = append(r.long, part...)
		}
	}
	if size > MaxLine {
		r.long = nil
		return nil, size, err
	}
	return r.long, size, err
}

// object returns the next object of the line.
func (r *Reader) object() (Object, bool) {
	d := rawjson.NewDecoder(r.rest)
	kind := d.Kind()
	raw := d.Raw()
	if d.Err() != nil {
		r.broken()
		return Object{}, false
	}
	object := Object{Raw: raw, Offset: r.at, Line: r.number}
	if r.move(r.rest, d.Pos()); len(r.rest) == 0 {
		r.end = r.next
	} else {
		r.end = r.at
	}
	if kind != rawjson.Object {
		r.faults.NotObject++
		return Object{}, false
	}
	return object, true
}

// `broken` drops a part that is not JSON: up to the next record, otherwise the rest of the line. It drops nothing of a
// last line without a newline, because that may still be written.
func (r *Reader) broken() {
	if !r.whole {
		r.faults.Torn++
		r.end = r.at
		r.next = r.at
		r.rest = nil
		return
	}
	r.faults.Broken++
	if at := resync(r.rest); at >= 0 {
		r.move(r.rest, at)
		return
	}
	r.end = r.next
	r.rest = nil
}

// resyncs limits the number of positions that are tried in a broken line.
const resyncs = 256

// resync returns the position of the next record in a broken line: an object that is followed only by objects. An
// object inside the broken record does not count, because the rest of that record follows it.
func resync(piece []byte) int {
	at := 0
	for range resyncs {
		next := bytes.Index(piece[at+1:], []byte(`{"`))
		if next < 0 {
			return -1
		}
		at += 1 + next
		d := rawjson.NewDecoder(piece[at:])
		if d.Skip(); d.Err() != nil {
			continue
		}
		if after := bytes.TrimSpace(d.Rest()); len(after) == 0 || after[0] == '{' {
			return at
		}
	}
	return -1
}
