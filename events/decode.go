package events

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// DecodeLine reads one stored event. The line must be canonical and hold the members of the envelope in their own
// types; members, types, methods and limitations that this version does not know are accepted and stay in Raw. The
// event keeps line: the caller must not write to it again. The id is not checked against the bytes; see Event.CheckID.
func DecodeLine(line []byte) (Event, error) {
	d, err := decode(line, true)
	if err != nil {
		return Event{}, fmt.Errorf("decode event: %w", err)
	}
	return d.event, nil
}

// LineReader reads lines one after the other, as DecodeLine does. Its events share equal strings.
type LineReader struct {
	decoder decoder
	data    dataReader
}

// Read reads a line. The event keeps it, as for DecodeLine.
func (r *LineReader) Read(line []byte) (Event, error) {
	if err := r.decoder.read(line, true, &r.data.words); err != nil {
		return Event{}, fmt.Errorf("decode event: %w", err)
	}
	return r.decoder.event, nil
}

// ReadData does the same as the function ReadData, for the data of an event that this reader has read.
func (r *LineReader) ReadData(raw []byte, into any) error { return r.data.read(raw, into) }

// DecodeChecked does the work of DecodeLine and CheckID in one pass over the line.
func DecodeChecked(line []byte) (Event, error) {
	e, hash, err := readChecked(line)
	if err == nil && hash != e.ID {
		err = mismatch(hash, e.ID)
	}
	if err != nil {
		return Event{}, fmt.Errorf("decode event: %w", err)
	}
	return e, nil
}

// readChecked decodes a line and hashes it without its id.
func readChecked(line []byte) (Event, ID, error) { return new(checkedReader).read(line) }

// checkedReader decodes and checks many lines, as DecodeChecked does with one.
type checkedReader struct {
	decoder decoder
	words   words
	hasher  eventHasher
}

func (r *checkedReader) read(line []byte) (Event, ID, error) {
	d := &r.decoder
	if err := d.read(line, true, &r.words); err != nil {
		return Event{}, "", err
	}
	if hash := r.hasher.id(line[:d.idAt], line[d.idEnd+1:]); string(hash) != string(d.event.ID) {
		return d.event, ID(hash), nil
	}
	return d.event, d.event.ID, nil
}

func mismatch(hash, said ID) error {
	return fmt.Errorf("bytes hash to %s, the event says %s", hash, said)
}

// CheckID hashes the stored bytes and compares the result with the stored id.
func (e Event) CheckID() error {
	head, tail, err := splitID(e.raw)
	if err != nil {
		return err
	}
	if got := hashEvent(head, tail); got != e.ID {
		return mismatch(got, e.ID)
	}
	return nil
}

// decoder collects the members of one envelope.
type decoder struct {
	scan   scanner
	event  Event
	seen   int // members that every event must have
	idAt   int // start of the id member, its name's quote
	idEnd  int // offset after the value of id
	sealed bool
}

// Required members: for every draft data, method, time, type; for an event in a log also id, prev, seq, v, writer.
const (
	draftMembers = 4
	eventMembers = draftMembers + 5
)

// decode reads an event, or a draft when sealed is false.
func decode(line []byte, sealed bool) (*decoder, error) {
	d := &decoder{}
	if err := d.read(line, sealed, nil); err != nil {
		return nil, err
	}
	return d, nil
}

// read does the same as decode, in a decoder that is used again. Equal strings of the events share memory through the
// parameter `words`.
func (d *decoder) read(line []byte, sealed bool, words *words) error {
	if len(line) > MaxEvent {
		return fmt.Errorf("%d bytes: %w", len(line), ErrTooLong)
	}
	*d = decoder{scan: scanner{buf: line, words: words}, sealed: sealed}
	if err := d.scan.object(MaxDepth, d.member); err != nil {
		return err
	}
	if d.scan.pos != len(line) {
		return d.scan.fault("text after the event")
	}
	if want := draftMembers; !sealed && d.seen < want || sealed && d.seen < eventMembers {
		return errors.New("a member that every event has is missing")
	}
	d.event.raw = line
	return nil
}

func (d *decoder) member(name []byte) error {
	err := d.known(string(name))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func (d *decoder) known(name string) error {
	e := &d.event
	switch name {
	case "data":
		d.seen++
		return d.data()
	case "method":
		d.seen++
		return readList(d, &e.Method)
	case "time":
		d.seen++
		return d.time()
	case "type":
		d.seen++
		return readText(d, &e.Type, 1)
	case "id", "prev", "seq", "v", "writer":
		return d.sealing(name)
	case "agent":
		return readText(d, &e.Agent, 1)
	case "limits":
		return readList(d, &e.Limits)
	case "session":
		return readText(d, &e.Session, 1)
	case "step":
		return d.integer(&e.Step)
	case "subagent":
		return readText(d, &e.Subagent, 1)
	case "tool_call":
		return readText(d, &e.ToolCall, 1)
	case "trace":
		return readText(d, &e.Trace, 1)
	case "worktree":
		return readText(d, &e.Worktree, 1)
	}
	return d.scan.value(MaxDepth - 1)
}

// sealing reads the members that a log adds.
func (d *decoder) sealing(name string) error {
	if !d.sealed {
		return errors.New("a draft has no such member")
	}
	d.seen++
	e := &d.event
	switch name {
	case "id":
		d.idAt = d.scan.pos - len(`"id":`)
		if err := readText(d, &e.ID, 1); err != nil {
			return err
		}
		d.idEnd = d.scan.pos
		_, err := ParseID(string(e.ID))
		return err
	case "prev":
		if err := readText(d, &e.Prev, 0); err != nil || e.Prev == "" {
			return err
		}
		_, err := ParseID(string(e.Prev))
		return err
	case "seq":
		n, err := d.scan.integer()
		if err == nil && n < 1 {
			err = errors.New("not a positive number")
		}
		e.Seq = n
		return err
	case "v":
		return d.integer(&e.V)
	}
	if err := readText(d, &e.Writer, 1); err != nil {
		return err
	}
	return checkWriter(e.Writer)
}

func (d *decoder) data() error {
	start := d.scan.pos
	if d.scan.peek() != '{' {
		return d.scan.fault("object expected")
	}
	if err := d.scan.value(MaxDepth - 1); err != nil {
		return err
	}
	d.event.Data = json.RawMessage(d.scan.buf[start:d.scan.pos:d.scan.pos])
	return nil
}

func (d *decoder) time() error {
	var text string
	if err := readText(d, &text, 1); err != nil {
		return err
	}
	t, ok := parseTime(text)
	if !ok {
		return fmt.Errorf("%.40q is not RFC 3339 in UTC with nine digits of fraction", text)
	}
	d.event.Time = t
	return nil
}

// parseTime accepts only timeLayout, several times faster than time.Parse.
func parseTime[T string | []byte](text T) (time.Time, bool) {
	if len(text) != len(timeLayout) {
		return time.Time{}, false
	}
	var fields [7]int
	field := 0
	for i := range len(timeLayout) {
		digit := text[i] >= '0' && text[i] <= '9'
		switch mark := timeLayout[i]; {
		case mark < '0' || mark > '9': // - T : . Z
			if text[i] != mark {
				return time.Time{}, false
			}
			field++
		case !digit:
			return time.Time{}, false
		default:
			fields[field] = 10*fields[field] + int(text[i]-'0')
		}
	}
	t := time.Date(fields[0], time.Month(fields[1]), fields[2], fields[3], fields[4], fields[5], fields[6], time.UTC)
	// time.Date turns 30 February into 2 March
	return t, int(t.Month()) == fields[1] && t.Day() == fields[2] && t.Hour() == fields[3] && t.Minute() == fields[4] &&
		t.Second() == fields[5]
}

// integer reads a positive integer that fits an int.
func (d *decoder) integer(into *int) error {
	n, err := d.scan.integer()
	if err == nil && (n < 1 || int64(int(n)) != n) {
		err = errors.New("not a positive number")
	}
	*into = int(n)
	return err
}

// readText reads a string of at least shortest bytes.
func readText[T ~string](d *decoder, into *T, shortest int) error {
	quoted, err := d.scan.str()
	if err != nil {
		return err
	}
	if len(quoted)-2 < shortest {
		return errors.New("is empty; an empty member must be left out")
	}
	*into = T(d.scan.text(quoted))
	return nil
}

// readList reads a list of one or more strings.
func readList[T ~string](d *decoder, into *[]T) error {
	if err := d.scan.expect('['); err != nil {
		return err
	}
	for {
		var item T
		if err := readText(d, &item, 1); err != nil {
			return err
		}
		*into = append(*into, item)
		if d.scan.peek() == ']' {
			d.scan.pos++
			return nil
		}
		if err := d.scan.expect(','); err != nil {
			return err
		}
	}
}

// splitID cuts the id member out of a stored line. "id" is always in the middle: "data" sorts before it and "v" after
// it.
func splitID(line []byte) (head, tail []byte, err error) {
	d, err := decode(line, true)
	if err != nil {
		return nil, nil, err
	}
	return line[:d.idAt], line[d.idEnd+1:], nil
}

// IsWriter reports whether a word has the form of a writer's id.
func IsWriter(word string) bool { return checkWriter(word) == nil }

// checkWriter returns an error unless a text is a writer id: 16 lower-case hexadecimal digits.
func checkWriter(text string) error {
	if len(text) != writerDigits || !isHex(text) {
		return fmt.Errorf("%.40q is not a writer id of %d hex digits", text, writerDigits)
	}
	return nil
}

const writerDigits = 16
