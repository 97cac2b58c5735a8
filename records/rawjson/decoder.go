package rawjson

import (
	"bytes"
	"errors"
	"fmt"
)

// MaxDepth is the greatest nesting that is accepted.
const MaxDepth = 512

// The errors of a text that is not JSON.
var (
	ErrSyntax    = errors.New("not JSON")
	ErrTruncated = errors.New("JSON ends too early")
	ErrDepth     = errors.New("JSON is nested too deeply")
)

// Kind is the kind of a value, represented by the first byte of such values.
type Kind byte

// The kinds of values. None means the end of the text, or a byte that cannot begin a value.
const (
	None   Kind = 0
	Object Kind = '{'
	Array  Kind = '['
	String Kind = '"'
	Number Kind = '0'
	Bool   Kind = 't'
	Null   Kind = 'n'
)

// Decoder reads the JSON values of a text one by one. After the first error every method returns the zero value, so
// that callers check for errors once, at the end.
//
//	d := rawjson.NewDecoder(line)
//	for d.Open(); d.Member(); {
//		switch string(d.Key()) {
//		case "type":
//			kind = d.Text()
//		}
//	}
//	if err := d.Err(); err != nil …
type Decoder struct {
	data  []byte
	pos   int
	err   error
	key   []byte
	stack []byte // the open objects and arrays
	fresh bool   // the position is at the start of the innermost object or array
	due   bool   // a value must follow: its key, or the start of its array element, was read
}

// NewDecoder returns a decoder for `data`.
func NewDecoder(data []byte) *Decoder {
	d := &Decoder{}
	d.Reset(data)
	return d
}

// Reset makes the decoder read another text and keeps its memory.
func (d *Decoder) Reset(data []byte) {
	*d = Decoder{data: data, stack: d.stack[:0], due: true}
}

// Err returns the first fault of the text, with the byte at which it was found.
func (d *Decoder) Err() error { return d.err }

// Pos returns the number of bytes that have been read.
func (d *Decoder) Pos() int { return d.pos }

// Key returns the name of the member that Member moved to, with escapes decoded. It is valid until the next call of
// Member.
func (d *Decoder) Key() []byte { return d.key }

// Kind returns the kind of the next value.
func (d *Decoder) Kind() Kind {
	if d.err != nil {
		return None
	}
	d.space()
	if d.pos == len(d.data) {
		return None
	}
	switch c := d.data[d.pos]; {
	case c == '{', c == '[', c == '"', c == 'n':
		return Kind(c)
	case c == 't', c == 'f':
		return Bool
	case c == '-', '0' <= c && c <= '9':
		return Number
	}
	return None
}

// Open enters the next object. If the next value is of another kind, Open treats it as an object without members.
func (d *Decoder) Open() { d.open(Object) }

// OpenArray enters the next array. If the next value is of another kind, OpenArray treats it as an empty array.
func (d *Decoder) OpenArray() { d.open(Array) }

// empty stands on the stack for a value of an unexpected kind.
const empty = 'x'

func (d *Decoder) open(kind Kind) {
	if d.err != nil {
		return
	}
	if d.Kind() != kind {
		d.Skip()
		d.push(empty)
		return
	}
	d.pos++
	d.push(byte(kind))
}

func (d *Decoder) push(kind byte) {
	if len(d.stack) == MaxDepth {
		d.fail(ErrDepth)
		return
	}
	d.stack = append(d.stack, kind)
	d.fresh, d.due = true, false
}

func (d *Decoder) pop() {
	d.stack = d.stack[:len(d.stack)-1]
	d.fresh, d.due = false, false
}

// Member moves to the next member of the innermost open object. At the end it leaves the object and returns false. It
// skips a value that the caller did not read.
func (d *Decoder) Member() bool {
	if !d.next('}') {
		return false
	}
	if d.pos == len(d.data) || d.data[d.pos] != '"' {
		d.failHere()
		return false
	}
	raw, escaped := d.quoted()
	if d.err != nil {
		return false
	}
	d.key = raw
	if escaped || !plain(raw) {
		d.key = []byte(unquote(raw))
	}
	d.space()
	if d.pos == len(d.data) || d.data[d.pos] != ':' {
		d.failHere()
		return false
	}
	d.pos++
	d.due = true
	return true
}

// Element moves to the next element of the innermost open array. At the end it leaves the array and returns false.
func (d *Decoder) Element() bool {
	if !d.next(']') {
		return false
	}
	d.due = true
	return true
}

// `next` moves to the start of the next member or element.
func (d *Decoder) next(end byte) bool {
	if d.err != nil || len(d.stack) == 0 {
		return false
	}
	if d.stack[len(d.stack)-1] == empty {
		d.pop()
		return false
	}
	if d.due {
		if d.Skip(); d.err != nil {
			return false
		}
	}
	d.space()
	if d.pos == len(d.data) {
		d.failHere()
		return false
	}
	switch c := d.data[d.pos]; {
	case c == end:
		d.pos++
		d.pop()
		return false
	case d.fresh:
		d.fresh = false
		return true
	case c == ',':
		d.pos++
		d.space()
		if d.pos < len(d.data) && d.data[d.pos] == end {
			d.failHere()
			return false
		}
		return true
	}
	d.failHere()
	return false
}

// Skip skips the next value.
func (d *Decoder) Skip() {
	if d.err != nil {
		return
	}
	d.due = false
	d.pos, d.err = skip(d.data, d.pos, MaxDepth-len(d.stack))
}

// Raw returns the text of the next value, without the white space around it. It shares memory with the decoder's text.
func (d *Decoder) Raw() []byte {
	if d.err != nil {
		return nil
	}
	d.space()
	from := d.pos
	d.Skip()
	if d.err != nil {
		return nil
	}
	return d.data[from:d.pos]
}

// Rest returns the bytes that were not read yet.
func (d *Decoder) Rest() []byte { return d.data[d.pos:] }

func (d *Decoder) space() {
	for d.pos < len(d.data) && isSpace(d.data[d.pos]) {
		d.pos++
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// `quoted` reads a string and returns the text between its quotes.
func (d *Decoder) quoted() (raw []byte, escaped bool) {
	end, escaped := stringEnd(d.data, d.pos)
	if end < 0 {
		d.pos = len(d.data)
		d.failHere()
		return nil, false
	}
	raw = d.data[d.pos+1 : end-1]
	d.pos, d.due = end, false
	return raw, escaped
}

// stringEnd returns the offset after the string that begins at `pos`; -1 if the text ends inside it.
func stringEnd(data []byte, pos int) (end int, escaped bool) {
	for i := pos + 1; ; {
		quote := bytes.IndexByte(data[i:], '"')
		if quote < 0 {
			return -1, escaped
		}
		quote += i
		from := quote
		for from > i && data[from-1] == '\\' {
			from--
		}
		if !escaped && (from < quote || bytes.IndexByte(data[i:quote], '\\') >= 0) {
			escaped = true
		}
		if i = quote + 1; (quote-from)%2 == 0 {
			return i, escaped
		}
	}
}

func (d *Decoder) failHere() {
	if d.pos >= len(d.data) {
		d.fail(ErrTruncated)
		return
	}
	d.fail(ErrSyntax)
}

func (d *Decoder) fail(err error) { d.err = at(err, d.pos) }

func at(err error, pos int) error { return fmt.Errorf("byte %d: %w", pos, err) }
