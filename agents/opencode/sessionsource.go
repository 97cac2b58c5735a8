package opencode

import (
	"bytes"

	"github.com/git-trace/git-trace/agents/jsonlines"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/records/rawjson"
)

// `store` stores a session message by message.
type store interface {
	// head returns the data about the whole session, as an object.
	head() ([]byte, error)
	// messages returns the ids of the messages in order.
	messages() []string
	// message returns a message: its data, and its parts in order; nil if it was deleted.
	message(index int) (info []byte, parts [][]byte, err error)
	close() error
}

// `kept` is a session file for a session that is stored message by message. Offset 0 is the data about the session; the
// other offsets count messages.
type kept struct {
	store
	id string
}

// Start returns the id of the session and the message to which it was reverted.
func (k kept) Start() (string, error) {
	head, err := k.head()
	return k.id + revertedTo(head), err
}

// Size returns the number of messages, plus one.
func (k kept) Size() int64 { return int64(len(k.messages())) + 1 }

// Mark returns the id of the message before an offset: a session that was partly undone continues with other messages.
func (k kept) Mark(offset int64) string {
	if ids := k.messages(); offset >= 2 && int(offset) <= len(ids)+1 {
		return ids[offset-2]
	}
	return ""
}

// Close closes the store.
func (k kept) Close() error { return k.close() }

// `From` returns the messages from an offset on.
func (k kept) From(offset, _ int64) sessionfile.Source {
	return (&sessionfile.Counted{Count: k.Size(), Object: k.object}).After(offset)
}

// object returns {"info": …, "parts": […]}, the form of `opencode export`; for an unreadable message, it counts a fault
// and returns nil.
func (k kept) object(at int64, faults *jsonlines.Faults) ([]byte, error) {
	if at == 0 {
		head, err := k.head()
		if err != nil || !sound(head, faults) {
			return nil, err
		}
		return append(append([]byte(`{"info":`), head...), '}'), nil
	}
	info, parts, err := k.message(int(at - 1))
	if err != nil || !sound(info, faults) {
		return nil, err
	}
	raw := append(append([]byte(`{"info":`), info...), `,"parts":[`...)
	for _, part := range parts {
		if !sound(part, faults) {
			continue
		}
		if len(raw)+len(part) > jsonlines.MaxLine {
			faults.TooLong++
			break
		}
		if raw[len(raw)-1] != '[' {
			raw = append(raw, ',')
		}
		raw = append(raw, part...)
	}
	return append(raw, "]}"...), nil
}

// `sound` reports whether a text is one JSON object. It counts any other text as a fault.
func sound(raw []byte, faults *jsonlines.Faults) bool {
	d := rawjson.NewDecoder(raw)
	kind := d.Kind()
	if d.Skip(); d.Err() != nil || kind != rawjson.Object || len(bytes.TrimSpace(raw[d.Pos():])) > 0 {
		faults.Broken++
		return false
	}
	return true
}

// withID adds the id to an object that is stored without it.
func withID(raw []byte, id string) []byte {
	d := rawjson.NewDecoder(raw)
	if d.Kind() != rawjson.Object || rawjson.Member(raw, "id") != nil {
		return raw
	}
	at := d.Pos() + 1
	out := append([]byte(`{"id":`), rawjson.AppendString(nil, id)...)
	rest := raw[at:]
	if rawjson.NewDecoder(rest).Kind() != rawjson.None {
		out = append(out, ',')
	}
	return append(out, rest...)
}
