package events

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/zeebo/blake3"
)

// Version is the version of the event envelope that this program writes.
const Version = 1

// Event is one entry of a log. An event that was read keeps its stored bytes: Raw returns them, with members that this
// version does not know.
type Event struct {
	V        int             `json:"v"`
	Seq      int64           `json:"seq"`  // 1, 2, 3 … without gaps
	Prev     ID              `json:"prev"` // id of the previous event; empty for the first one
	ID       ID              `json:"id"`
	Time     time.Time       `json:"time"`   // UTC, nanoseconds
	Writer   string          `json:"writer"` // 16 hex digits: the clone that wrote the log
	Type     Type            `json:"type"`
	Trace    TraceID         `json:"trace,omitempty"`
	Agent    string          `json:"agent,omitempty"`
	Session  string          `json:"session,omitempty"`
	Subagent string          `json:"subagent,omitempty"`
	Step     int             `json:"step,omitempty"`
	ToolCall string          `json:"tool_call,omitempty"`
	Worktree string          `json:"worktree,omitempty"`
	Method   []Method        `json:"method"`
	Limits   []Limit         `json:"limits,omitempty"`
	Data     json.RawMessage `json:"data"`

	// `From` is the voice of the log; nil for this clone's log, and for a log that is read without others.
	From *Voice `json:"-"`

	raw []byte
}

// Draft is an event without a number in a log. A zero time means the moment of the append. Data is any JSON text of
// strings and integers; Encode writes one from the data structs.
type Draft struct {
	Time     time.Time       `json:"time"`
	Type     Type            `json:"type"`
	Trace    TraceID         `json:"trace,omitempty"`
	Agent    string          `json:"agent,omitempty"`
	Session  string          `json:"session,omitempty"`
	Subagent string          `json:"subagent,omitempty"`
	Step     int             `json:"step,omitempty"`
	ToolCall string          `json:"tool_call,omitempty"`
	Worktree string          `json:"worktree,omitempty"`
	Method   []Method        `json:"method"`
	Limits   []Limit         `json:"limits,omitempty"`
	Data     json.RawMessage `json:"data"`
}

// Raw returns the event's canonical line without a line feed. It must not be changed.
func (e Event) Raw() []byte { return e.raw }

// Known reports whether this version understands the event's data.
func (e Event) Known() bool { return e.V == Version && e.Type.Known() }

// MarshalJSON gives the stored bytes.
func (e Event) MarshalJSON() ([]byte, error) {
	if e.raw == nil {
		return nil, errors.New("event was neither read nor sealed")
	}
	return e.raw, nil
}

// Draft returns the event without its place in the log.
func (e Event) Draft() Draft {
	return Draft{
		Time: e.Time, Type: e.Type, Trace: e.Trace, Agent: e.Agent, Session: e.Session, Subagent: e.Subagent, Step: e.Step,
		ToolCall: e.ToolCall, Worktree: e.Worktree, Method: e.Method, Limits: e.Limits, Data: e.Data,
	}
}

// place holds the members that a log adds to a draft.
type place struct {
	seq    int64
	prev   ID
	writer string
}

// seal numbers a draft, chains it and writes its line.
func seal(d Draft, at place) (Event, error) {
	d, err := d.normal()
	if err != nil {
		return Event{}, err
	}
	e := Event{
		V: Version, Seq: at.seq, Prev: at.prev, ID: longestID, Writer: at.writer,
		Time: d.Time, Type: d.Type, Trace: d.Trace, Agent: d.Agent, Session: d.Session, Subagent: d.Subagent, Step: d.Step,
		ToolCall: d.ToolCall, Worktree: d.Worktree, Method: d.Method, Limits: d.Limits, Data: d.Data,
	}
	if e.raw, err = encodeValue(e); err != nil {
		return Event{}, err
	}
	if len(e.raw) > MaxEvent {
		return Event{}, fmt.Errorf("event of %d bytes: %w", len(e.raw), ErrTooLong)
	}
	const member = `"id":"`
	head := bytes.LastIndex(e.raw, []byte(member)) // strings after it have their quotes escaped
	id := head + len(member)
	e.ID = hashEvent(e.raw[:head], e.raw[id+len(e.ID)+len(`",`):])
	copy(e.raw[id:], e.ID)
	return e, nil
}

// hashEvent returns the id of an event whose canonical form without the id is `head` followed by `tail`.
func hashEvent(head, tail []byte) ID {
	var h eventHasher
	return ID(h.id(head, tail))
}

// eventHasher hashes event after event.
type eventHasher struct {
	text []byte
	out  [len(idPrefix) + idDigits]byte
}

// id does the same as hashEvent, in a buffer that is valid until the next call.
func (h *eventHasher) id(head, tail []byte) []byte {
	h.text = slices.Grow(h.text[:0], len(head)+len(tail))
	h.text = append(append(h.text, head...), tail...)
	sum := blake3.Sum256(h.text)
	copy(h.out[:], idPrefix)
	hex.Encode(h.out[len(idPrefix):], sum[:])
	return h.out[:]
}

// `normal` returns the draft in its stored form: checked, with canonical data, time in UTC.
func (d Draft) normal() (Draft, error) {
	if err := d.check(); err != nil {
		return d, err
	}
	if len(d.Data) == 0 {
		d.Data = json.RawMessage("{}")
	}
	data, err := canonical(d.Data, MaxDepth-1) // the event around it is the first level
	if err != nil {
		return d, fmt.Errorf("%s: data: %w", d.Type, err)
	}
	if data[0] != '{' {
		return d, fmt.Errorf("%s: data: not an object", d.Type)
	}
	d.Data, d.Time = data, d.Time.UTC()
	if !utf8.ValidString(d.Worktree) {
		d.Worktree = EncodePath(d.Worktree) // named after a directory, whose name may have any bytes
	}
	for _, text := range []string{d.Agent, d.Session, d.Subagent, d.ToolCall, string(d.Trace), d.Worktree} {
		if len(text) > MaxField {
			return d, fmt.Errorf("%s: a member of %d bytes: %w", d.Type, len(text), ErrTooLong)
		}
	}
	return d, nil
}

// check refuses a draft with words that are not in the closed lists: they are bugs of this program, not foreign data.
func (d Draft) check() error {
	if !d.Type.Known() {
		return fmt.Errorf("event type %q is not in the list", d.Type)
	}
	if len(d.Method) == 0 {
		return fmt.Errorf("%s: no capture method", d.Type)
	}
	if d.Step < 0 {
		return fmt.Errorf("%s: step %d is negative", d.Type, d.Step)
	}
	for _, m := range d.Method {
		if !m.Known() {
			return fmt.Errorf("%s: capture method %q is not in the list", d.Type, m)
		}
	}
	for _, l := range d.Limits {
		if !l.Known() {
			return fmt.Errorf("%s: limitation %q is not in the list", d.Type, l)
		}
	}
	return nil
}
