package trails

import (
	"encoding/binary"
	"errors"
	"time"

	"github.com/git-trace/git-trace/refs"
)

// fields writes values one after the other, or reads them back in the same order, so that one list of a struct's fields
// serves both. What every hook reads and writes goes this way: encoding/json takes longer to learn the types, in each
// new process, than to do the rest.
type fields interface {
	integer(n *int64)
	text(s *string)
	flag(b *bool)
	oid(o *refs.OID)
	moment(t *time.Time)
	// count writes the length of a list, or gives the one that was written.
	count(n int) int
}

// Texts and lists are preceded by their length. Integers are varints, zigzag as in Protocol Buffers.
type fieldWriter struct{ out []byte }

func (w *fieldWriter) integer(n *int64) { w.out = binary.AppendVarint(w.out, *n) }

func (w *fieldWriter) text(s *string) {
	w.out = append(binary.AppendUvarint(w.out, uint64(len(*s))), *s...)
}

func (w *fieldWriter) flag(b *bool) {
	var n int64
	if *b {
		n = 1
	}
	w.integer(&n)
}

func (w *fieldWriter) oid(o *refs.OID) {
	raw := string(o.Bytes())
	w.text(&raw)
}

// moment writes seconds and nanoseconds since 1970, in UTC.
func (w *fieldWriter) moment(t *time.Time) {
	seconds, nanos := t.Unix(), int64(t.Nanosecond())
	w.integer(&seconds)
	w.integer(&nanos)
}

func (w *fieldWriter) count(n int) int {
	w.out = binary.AppendUvarint(w.out, uint64(n))
	return n
}

// fieldReader gives zeros after the first thing that does not fit.
type fieldReader struct {
	in  []byte
	bad bool
}

var errFields = errors.New("values do not fit")

// end reports whether everything fitted, to the last byte.
func (r *fieldReader) end() error {
	if r.bad || len(r.in) > 0 {
		return errFields
	}
	return nil
}

func (r *fieldReader) integer(n *int64) {
	v, size := binary.Varint(r.in)
	if r.bad || size <= 0 {
		r.bad = true
		return
	}
	r.in = r.in[size:]
	*n = v
}

// size reads a length. Everything counted takes a byte at least, so one beyond what is left is no length.
func (r *fieldReader) size() int {
	v, size := binary.Uvarint(r.in)
	if r.bad || size <= 0 || v > uint64(len(r.in)-size) {
		r.bad = true
		return 0
	}
	r.in = r.in[size:]
	return int(v) // not more than there are bytes
}

func (r *fieldReader) text(s *string) {
	n := r.size()
	*s = string(r.in[:n])
	r.in = r.in[n:]
}

func (r *fieldReader) flag(b *bool) {
	var n int64
	r.integer(&n)
	*b = n != 0
}

func (r *fieldReader) oid(o *refs.OID) {
	var raw string
	r.text(&raw)
	*o = refs.OID{}
	if raw == "" {
		return
	}
	oid, err := refs.OIDFromBytes([]byte(raw))
	if err != nil {
		r.bad = true
		return
	}
	*o = oid
}

func (r *fieldReader) moment(t *time.Time) {
	var seconds, nanos int64
	r.integer(&seconds)
	r.integer(&nanos)
	*t = time.Unix(seconds, nanos).UTC()
}

func (r *fieldReader) count(int) int { return r.size() }

// number is integer for an int.
func number(f fields, n *int) {
	wide := int64(*n)
	f.integer(&wide)
	*n = int(wide)
}

// word is text for the kinds of strings.
func word[T ~string](f fields, s *T) {
	plain := string(*s)
	f.text(&plain)
	*s = T(plain)
}

// list is for the items of a slice. An empty one is read as nil.
func list[T any](f fields, items *[]T, item func(*T)) {
	n := f.count(len(*items))
	if len(*items) != n {
		*items = make([]T, 0, min(n, 1024))
	}
	for i := range n {
		if i == len(*items) {
			*items = append(*items, *new(T))
		}
		item(&(*items)[i])
		if r, reading := f.(*fieldReader); reading && r.bad {
			return
		}
	}
}

// optional is for what a pointer leads to, if it leads anywhere.
func optional[T any](f fields, p **T, value func(*T)) {
	there := *p != nil
	f.flag(&there)
	if !there {
		return
	}
	if *p == nil {
		*p = new(T)
	}
	value(*p)
}
