package sessionfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/git-trace/git-trace/agents/jsonlines"
	"github.com/git-trace/git-trace/agents/transcript"
	"github.com/git-trace/git-trace/records/rawjson"
)

// Document opens a session file that is one JSON object with a list of this name. Its objects are the elements of the
// list, and the other members of the JSON object. Each of these members is returned as an object with only that member.
// The file is read once with little memory, even for a long list. A client with such a file rewrites it every time, so
// a reading always starts at the beginning.
func Document(path, list string) (File, error) {
	tail, err := transcript.Open(path)
	if err != nil {
		return nil, err
	}
	return document{lines{tail}, list}, nil
}

// Array opens a session file that is one JSON array. Its objects are the elements of the array.
func Array(path string) (File, error) {
	tail, err := transcript.Open(path)
	if err != nil {
		return nil, err
	}
	return document{lines{tail}, ""}, nil
}

type document struct {
	lines
	list string // "" for an array
}

// Start returns "", because the file is rewritten.
func (d document) Start() (string, error) { return "", nil }

func (d document) From(int64, int64) Source {
	return &elements{in: bufio.NewReaderSize(d.Tail.From(0), 256<<10), list: d.list, line: 1}
}

// Begins reports whether a file may begin with an object that has this list: its first line is only an opening bracket,
// or has the list as a member.
func Begins(head []byte, list string) bool {
	head = bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\xEF\xBB\xBF")))
	line, _, _ := bytes.Cut(head, []byte("\n"))
	if line = bytes.TrimSpace(line); len(line) == 1 && line[0] == '{' {
		return true
	}
	d := rawjson.NewDecoder(line)
	for d.Open(); d.Member(); {
		if string(d.Key()) == list {
			return d.Kind() == rawjson.Array
		}
	}
	return false
}

// elements reads the objects of a document.
type elements struct {
	in     *bufio.Reader
	list   string // "" for an array
	at     int64  // the offset of the next byte
	line   int64  // the line of the next byte
	depth  int    // 0 before the object, 1 inside it, 2 in the list
	buf    []byte
	over   bool // the value is too long to keep
	faults jsonlines.Faults
	done   bool
}

// Faults returns the counts so far.
func (e *elements) Faults() jsonlines.Faults { return e.faults }

// End returns the offset after the elements returned so far.
func (e *elements) End() int64 { return e.at }

// Lines returns the number of lines before End.
func (e *elements) Lines() int64 { return e.line - 1 }

// Next returns the next object; io.EOF after the last.
func (e *elements) Next() (jsonlines.Object, error) {
	for !e.done {
		c, err := e.skipSpace()
		if err != nil {
			return jsonlines.Object{}, e.end(err)
		}
		switch {
		case e.depth == 0 && c == '{':
			e.take()
			e.depth = 1
		case e.depth == 0 && c == '[' && e.list == "":
			e.take()
			e.depth = 2
		case e.depth == 1 && c == '}', e.depth == 0:
			e.done = true
		case e.depth == 2 && c == ']':
			e.take()
			e.depth, e.done = 1, e.list == ""
		case c == ',':
			e.take()
		case e.depth == 1:
			object, given, err := e.member()
			if err != nil {
				return jsonlines.Object{}, e.end(err)
			}
			if given {
				return object, nil
			}
		default:
			object, given, err := e.element()
			if err != nil {
				return jsonlines.Object{}, e.end(err)
			}
			if given {
				return object, nil
			}
		}
	}
	return jsonlines.Object{}, io.EOF
}

// errShape reports a byte that cannot be at its place.
var errShape = errors.New("not a session document")

// `end` ends the reading. An incomplete document counts as torn, any other fault as broken.
func (e *elements) end(err error) error {
	switch {
	case errors.Is(err, io.EOF):
		if !e.done && e.at > 0 {
			e.faults.Torn++
		}
	case errors.Is(err, errShape):
		e.faults.Broken++
	default:
		return fmt.Errorf("read session file: %w", err)
	}
	e.done = true
	return io.EOF
}

// member reads a member of the document: its name and, unless it is the list, its value.
func (e *elements) member() (jsonlines.Object, bool, error) {
	offset, line := e.at, e.line
	name, err := e.value()
	if err != nil {
		return jsonlines.Object{}, false, err
	}
	key := rawjson.Unquote(name)
	c, err := e.skipSpace()
	if err != nil || c != ':' || len(name) == 0 || name[0] != '"' {
		return jsonlines.Object{}, false, errors.Join(err, errShape)
	}
	e.take()
	if c, err = e.skipSpace(); err != nil {
		return jsonlines.Object{}, false, err
	}
	if key == e.list && c == '[' {
		e.take()
		e.depth = 2
		return jsonlines.Object{}, false, nil
	}
	value, err := e.value()
	if err != nil || value == nil {
		return jsonlines.Object{}, false, err
	}
	raw := append(append(rawjson.AppendString([]byte{'{'}, key), ':'), value...)
	return jsonlines.Object{Raw: append(raw, '}'), Offset: offset, Line: line}, true, nil
}

// element reads an element of the list.
func (e *elements) element() (jsonlines.Object, bool, error) {
	offset, line := e.at, e.line
	raw, err := e.value()
	if err != nil || raw == nil {
		return jsonlines.Object{}, false, err
	}
	d := rawjson.NewDecoder(raw)
	kind := d.Kind()
	if d.Skip(); d.Err() != nil {
		e.faults.Broken++
		return jsonlines.Object{}, false, nil //nolint:nilerr // it is counted, and the next one is read
	}
	if kind != rawjson.Object {
		e.faults.NotObject++
		return jsonlines.Object{}, false, nil
	}
	return jsonlines.Object{Raw: raw, Offset: offset, Line: line}, true, nil
}

// value reads to the end of a value, using brackets and quotes; nil if the value is too long, which is counted.
func (e *elements) value() ([]byte, error) {
	e.buf, e.over = e.buf[:0], false
	depth := 0
	for {
		c, err := e.peek()
		if err != nil {
			return nil, err
		}
		switch c {
		case '"':
			if err := e.quoted(); err != nil {
				return nil, err
			}
			if depth == 0 {
				return e.kept(), nil
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return e.kept(), e.progress()
			}
			depth--
			e.keep()
			if depth == 0 {
				return e.kept(), nil
			}
			continue
		case ',', ':':
			if depth == 0 {
				return e.kept(), e.progress()
			}
		}
		if depth == 0 && (c == ' ' || c == '\n' || c == '\r' || c == '\t') {
			return e.kept(), nil
		}
		e.keep()
	}
}

// progress returns an error if a value has no byte.
func (e *elements) progress() error {
	if len(e.buf) == 0 && !e.over {
		return errShape
	}
	return nil
}

func (e *elements) kept() []byte {
	if e.over {
		e.faults.TooLong++
		return nil
	}
	return e.buf
}

// `quoted` reads a string.
func (e *elements) quoted() error {
	e.keep()
	for {
		part, err := e.in.ReadSlice('"')
		e.at += int64(len(part))
		e.append(part)
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
		if err == nil && !e.escaped() {
			return nil
		}
	}
}

// `escaped` reports whether an unescaped backslash precedes the last quote.
func (e *elements) escaped() bool {
	n := 0
	for i := len(e.buf) - 2; i > 0 && e.buf[i] == '\\'; i-- {
		n++
	}
	return n%2 == 1
}

func (e *elements) append(part []byte) {
	e.line += int64(bytes.Count(part, []byte("\n")))
	if e.over || len(e.buf)+len(part) > jsonlines.MaxLine {
		// The end of the earlier bytes is kept, to recognise an escaped quote.
		e.over = true
		e.buf = append(e.buf[:0], ' ')
		if len(part) > 64 {
			part = part[len(part)-64:]
		}
	}
	e.buf = append(e.buf, part...)
}

func (e *elements) peek() (byte, error) {
	next, err := e.in.Peek(1)
	if err != nil {
		return 0, err
	}
	return next[0], nil
}

// take reads a byte that was already peeked.
func (e *elements) take() byte {
	c, _ := e.in.ReadByte() // it was peeked before, so there is no error
	e.at++
	if c == '\n' {
		e.line++
	}
	return c
}

func (e *elements) keep() {
	c := e.take()
	if c == '\n' {
		e.line--
	}
	e.append([]byte{c})
}

func (e *elements) skipSpace() (byte, error) {
	for {
		c, err := e.peek()
		if err != nil {
			return 0, err
		}
		if c != ' ' && c != '\n' && c != '\r' && c != '\t' && c != 0xEF && c != 0xBB && c != 0xBF {
			return c, nil
		}
		e.take()
	}
}
