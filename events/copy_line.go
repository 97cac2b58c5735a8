package events

import (
	"bytes"
	"encoding/json"
	"iter"
)

// Part gives the stored lines of events that begin at an offset or later, and before another one. Several may be read
// at once.
func (c *Copy) Part(from, to int64) iter.Seq2[CopyLine, error] {
	return func(yield func(CopyLine, error) bool) {
		var buf []byte
		text, offset, err := c.storedLines(&buf, from, to)
		if err != nil {
			yield(CopyLine{}, err)
			return
		}
		for len(text) > 0 {
			line, rest, _ := bytes.Cut(text, newline)
			if len(line) > 0 && line[0] == '{' && !yield(CopyLine{offset, line}, nil) {
				return
			}
			offset, text = offset+int64(len(line)+1), rest
		}
	}
}

// LineReader reads lines of copies one after the other, as DecodeLine does. A copy holds only what was checked when it
// was made, so no rule is asked again. Words that the line before has too are shared with it: most are.
type LineReader struct {
	last    Event
	method  []byte // as it stood in a line
	methods []Method
}

// Read reads a line. The event keeps it, as that of DecodeLine does. What is not in the form of a log is left to
// DecodeLine, which says what is wrong with it.
func (r *LineReader) Read(line []byte) (Event, error) {
	e, ok := r.read(line)
	if !ok {
		return DecodeLine(line)
	}
	r.last = e
	r.last.Data, r.last.raw = nil, nil // whose bytes may be overwritten
	return e, nil
}

func (r *LineReader) read(line []byte) (e Event, ok bool) {
	if len(line) < 2 || line[0] != '{' || len(line) > MaxEvent {
		return e, false
	}
	for at := 1; at < len(line); at++ {
		name, value, next, ok := quickMember(line, at)
		if !ok || !r.member(&e, name, value) {
			return e, false
		}
		switch at = next; {
		case at == len(line)-1 && line[at] == '}':
			e.raw = line
			return e, e.ID != "" && e.Seq > 0 && e.Writer != "" && e.Type != "" && e.Data != nil && e.Method != nil &&
				e.V > 0 && !e.Time.IsZero()
		case at >= len(line) || line[at] != ',':
			return e, false
		}
	}
	return e, false
}

// member takes a member in; false for a value that it does not understand.
func (r *LineReader) member(e *Event, name, value []byte) (ok bool) {
	switch string(name) {
	case "agent":
		return sharedText(value, &e.Agent, r.last.Agent)
	case "data":
		e.Data = value
		return len(value) > 0 && value[0] == '{'
	case "id":
		return sharedText(value, &e.ID, r.last.ID)
	case "limits":
		return json.Unmarshal(value, &e.Limits) == nil
	case "method":
		if !bytes.Equal(value, r.method) {
			r.method, r.methods = append(r.method[:0], value...), nil
			ok = json.Unmarshal(value, &r.methods) == nil
		}
		e.Method = r.methods
		return ok || e.Method != nil
	case "prev":
		return sharedText(value, &e.Prev, r.last.ID)
	case "seq":
		e.Seq, ok = quickInteger(value)
		return ok
	case "session":
		return sharedText(value, &e.Session, r.last.Session)
	case "step":
		return smallInteger(value, &e.Step)
	case "subagent":
		return sharedText(value, &e.Subagent, r.last.Subagent)
	case "time":
		e.Time, ok = parseTime(unquoted(value))
		return ok
	case "tool_call":
		return sharedText(value, &e.ToolCall, r.last.ToolCall)
	case "trace":
		return sharedText(value, &e.Trace, r.last.Trace)
	case "type":
		return sharedText(value, &e.Type, r.last.Type)
	case "v":
		return smallInteger(value, &e.V)
	case "worktree":
		return sharedText(value, &e.Worktree, r.last.Worktree)
	case "writer":
		return sharedText(value, &e.Writer, r.last.Writer)
	}
	return true
}

func smallInteger(value []byte, into *int) bool {
	n, ok := quickInteger(value)
	*into = int(n)
	return ok && int64(int(n)) == n
}

// sharedText reads a string, which is last's if it is the same.
func sharedText[T ~string](value []byte, into *T, last T) bool {
	body := unquoted(value)
	switch {
	case len(value) < 2 || value[0] != '"':
		return false
	case string(body) == string(last):
		*into = last
	default:
		*into = T(unquote(value))
	}
	return true
}
