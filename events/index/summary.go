package index

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// A summary is stored as its members one after the other: numbers as varints, texts with their length in front. Lists
// of ten thousand conversations read all of them, and JSON took most of their time.

func appendTrace(raw []byte, t *Trace) []byte {
	text := func(s string) { raw = append(binary.AppendUvarint(raw, uint64(len(s))), s...) }
	number := func(list ...int) {
		for _, n := range list {
			raw = binary.AppendVarint(raw, int64(n))
		}
	}
	text(string(t.ID))
	text(t.Agent)
	text(t.Session)
	text(t.Writer)
	number(len(t.Models))
	for _, m := range t.Models {
		text(m)
	}
	for _, at := range []time.Time{t.First, t.Last} {
		raw = binary.AppendVarint(raw, at.Unix())
		number(at.Nanosecond())
	}
	number(t.Events, t.Hooked, t.Prompts, t.Calls, t.Patches, t.Added, t.Removed)
	text(string(t.Paths))
	number(len(t.Held))
	for _, h := range t.Held {
		text(string(h.Commit.Bytes()))
		number(h.Part, h.Lines)
	}
	return raw
}

// summaryReader takes a stored summary apart. After its first fault it gives nothing.
type summaryReader struct {
	raw []byte
	bad bool
}

func (r *summaryReader) number() int64 {
	n, size := binary.Varint(r.raw)
	if r.bad || size <= 0 {
		r.bad = true
		return 0
	}
	r.raw = r.raw[size:]
	return n
}

// bytes is the next text where it stands.
func (r *summaryReader) bytes() []byte {
	n, size := binary.Uvarint(r.raw)
	if r.bad || size <= 0 || n > uint64(len(r.raw)-size) {
		r.bad = true
		return nil
	}
	out := r.raw[size : size+int(n)]
	r.raw = r.raw[size+int(n):]
	return out
}

func (r *summaryReader) text() string { return string(r.bytes()) }

// length is the length of a list, each element of which takes a byte at least.
func (r *summaryReader) length() int {
	n := r.number()
	if n < 0 || n > int64(len(r.raw)) {
		r.bad = true
		return 0
	}
	return int(n)
}

func (r *summaryReader) time() time.Time {
	seconds, nanos := r.number(), r.number()
	return time.Unix(seconds, nanos).UTC()
}

// parseTraceID takes the id from the beginning of a summary.
func parseTraceID(v []byte) (events.TraceID, error) {
	r := &summaryReader{raw: v}
	id := events.TraceID(r.text())
	if r.bad {
		return "", fmt.Errorf("%w: summary", errDamaged)
	}
	return id, nil
}

func parseTrace(v []byte) (Trace, error) {
	r := &summaryReader{raw: v}
	t := Trace{ID: events.TraceID(r.text()), Agent: r.text(), Session: r.text(), Writer: r.text()}
	for range r.length() {
		t.Models = append(t.Models, r.text())
	}
	t.First, t.Last = r.time(), r.time()
	for _, n := range []*int{&t.Events, &t.Hooked, &t.Prompts, &t.Calls, &t.Patches, &t.Added, &t.Removed} {
		*n = int(r.number())
	}
	if paths := r.text(); paths != "" {
		t.Paths = pathSet(paths)
	}
	for range r.length() {
		id, err := refs.OIDFromBytes([]byte(r.text()))
		r.bad = r.bad || err != nil
		t.Held = append(t.Held, Held{Commit: id, Part: int(r.number()), Lines: int(r.number())})
	}
	if r.bad || len(r.raw) > 0 || len(t.Paths)%hashSize > 0 {
		return Trace{}, fmt.Errorf("%w: summary", errDamaged)
	}
	return t, nil
}
