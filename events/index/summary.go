package index

import (
	"fmt"

	"github.com/git-trace/git-trace/refs/codec"
)

// A summary is stored as its members one after the other. Lists of ten thousand conversations read all of them, and
// JSON took most of their time.
func (t *Trace) fields(f codec.Fields) {
	codec.Word(f, &t.ID)
	codec.Texts(f, &t.Agent, &t.Session, &t.Writer)
	codec.SignedList(f, &t.Models, func(m *string) { f.Text(m) })
	f.Moment(&t.First)
	f.Moment(&t.Last)
	codec.Numbers(f, &t.Events, &t.Hooked, &t.Prompts, &t.Calls, &t.Patches, &t.Added, &t.Removed)
	paths := string(t.Paths)
	if f.Text(&paths); paths != string(t.Paths) {
		t.Paths = pathSet(paths)
	}
	codec.SignedList(f, &t.Held, func(h *Held) {
		f.OID(&h.Commit)
		codec.Numbers(f, &h.Part, &h.Lines)
	})
}

func appendTrace(raw []byte, t *Trace) []byte {
	w := codec.Writer{Out: raw}
	t.fields(&w)
	return w.Out
}

func parseTrace(v []byte) (t Trace, err error) {
	r := codec.Reader{In: string(v)}
	if t.fields(&r); r.End() != nil || len(t.Paths)%hashSize > 0 {
		return Trace{}, fmt.Errorf("%w: summary", errDamaged)
	}
	return t, nil
}
