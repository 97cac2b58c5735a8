package events

import (
	"bytes"
	"encoding/json"
)

// LineReader reads lines of copies one after the other, as DecodeLine does. A copy holds only what was checked when it
// was made, so no rule is asked again.
type LineReader struct {
	data    dataReader
	method  []byte // as it stood in a line
	methods []Method
}

// ReadData is the function of that name for an event that was read here.
func (r *LineReader) ReadData(raw []byte, into any) error { return r.data.read(raw, into) }

// Read reads a line. The event keeps it, as that of DecodeLine does. What is not in the form of a log is left to
// DecodeLine, which says what is wrong with it.
func (r *LineReader) Read(line []byte) (Event, error) {
	if e, ok := r.read(line); ok {
		return e, nil
	}
	return DecodeLine(line)
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
		return sharedText(r, value, &e.Agent)
	case "data":
		e.Data = value
		return len(value) > 0 && value[0] == '{'
	case "id":
		return sharedText(r, value, &e.ID)
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
		return sharedText(r, value, &e.Prev)
	case "seq":
		e.Seq, ok = quickInteger(value)
		return ok
	case "session":
		return sharedText(r, value, &e.Session)
	case "step":
		return smallInteger(value, &e.Step)
	case "subagent":
		return sharedText(r, value, &e.Subagent)
	case "time":
		e.Time, ok = parseTime(unquoted(value))
		return ok
	case "tool_call":
		return sharedText(r, value, &e.ToolCall)
	case "trace":
		return sharedText(r, value, &e.Trace)
	case "type":
		return sharedText(r, value, &e.Type)
	case "v":
		return smallInteger(value, &e.V)
	case "worktree":
		return sharedText(r, value, &e.Worktree)
	case "writer":
		return sharedText(r, value, &e.Writer)
	}
	return true
}

func smallInteger(value []byte, into *int) bool {
	n, ok := quickInteger(value)
	*into = int(n)
	return ok && int64(int(n)) == n
}

// sharedText reads a string.
func sharedText[T ~string](r *LineReader, value []byte, into *T) bool {
	body := unquoted(value)
	if body == nil {
		return false
	}
	if bytes.IndexByte(body, '\\') < 0 {
		*into = T(r.data.words.text(body))
	} else {
		*into = T(unquote(value))
	}
	return true
}
