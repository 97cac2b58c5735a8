package codec

import (
	"encoding/binary"
	"errors"
	"math"
	"time"

	"github.com/git-trace/git-trace/refs"
)

// ErrDamaged is returned if bytes are not the expected values.
var ErrDamaged = errors.New("values do not fit")

// Writer appends values to Out.
type Writer struct{ Out []byte }

// Integer writes a number.
func (w *Writer) Integer(n *int64) { w.Out = binary.AppendVarint(w.Out, *n) }

// Text writes the length of a text and its bytes.
func (w *Writer) Text(s *string) { w.Out = append(binary.AppendUvarint(w.Out, uint64(len(*s))), *s...) }

// Flag writes 1 or 0.
func (w *Writer) Flag(b *bool) {
	var n int64
	if *b {
		n = 1
	}
	w.Integer(&n)
}

// Float writes the eight bytes of IEEE 754, little-endian.
func (w *Writer) Float(x *float64) {
	w.Out = binary.LittleEndian.AppendUint64(w.Out, math.Float64bits(*x))
}

// OID writes an id as text. The zero id is an empty text.
func (w *Writer) OID(o *refs.OID) {
	raw := string(o.Bytes())
	w.Text(&raw)
}

// Moment writes a time as seconds and nanoseconds since 1970, in UTC.
func (w *Writer) Moment(t *time.Time) {
	seconds, nanos := t.Unix(), int64(t.Nanosecond())
	w.Integer(&seconds)
	w.Integer(&nanos)
}

// Count writes the length of a list.
func (w *Writer) Count(n int) int {
	w.Out = binary.AppendUvarint(w.Out, uint64(n))
	return n
}

// Reader reads values from the beginning of In. Texts share its memory.
type Reader struct {
	In     string
	Failed bool
}

// Fail marks an error and ends the reading.
func (r *Reader) Fail() { r.In, r.Failed = "", true }

// End returns ErrDamaged unless all values were valid and all bytes were read.
func (r *Reader) End() error {
	if r.Failed || r.In != "" {
		return ErrDamaged
	}
	return nil
}

// Uvarint reads an unsigned number.
func (r *Reader) Uvarint() uint64 {
	var n uint64
	for i := 0; i < len(r.In) && i < binary.MaxVarintLen64; i++ {
		b := r.In[i]
		if b < 0x80 {
			if i == binary.MaxVarintLen64-1 && b > 1 {
				break // more than 64 bits
			}
			r.In = r.In[i+1:]
			return n | uint64(b)<<(7*i)
		}
		n |= uint64(b&0x7f) << (7 * i)
	}
	r.Fail()
	return 0
}

// Varint reads a number.
func (r *Reader) Varint() int64 {
	n := r.Uvarint()
	return int64(n>>1) ^ -int64(n&1)
}

// Take reads n bytes.
func (r *Reader) Take(n uint64) string {
	if n > uint64(len(r.In)) {
		r.Fail()
		return ""
	}
	taken := r.In[:n]
	r.In = r.In[n:]
	return taken
}

// Byte reads one byte.
func (r *Reader) Byte() byte {
	if b := r.Take(1); b != "" {
		return b[0]
	}
	return 0
}

// Size reads the length of a list. Each item takes at least one byte, so a length larger than the remaining bytes is an
// error.
func (r *Reader) Size() int {
	n := r.Uvarint()
	if n > uint64(len(r.In)) {
		r.Fail()
		return 0
	}
	return int(n)
}

// Integer reads a number.
func (r *Reader) Integer(n *int64) { *n = r.Varint() }

// Text reads the length of a text and its bytes.
func (r *Reader) Text(s *string) { *s = r.Take(r.Uvarint()) }

// Flag reads 1 or 0.
func (r *Reader) Flag(b *bool) { *b = r.Varint() != 0 }

// Float reads eight bytes.
func (r *Reader) Float(x *float64) {
	if raw := r.Take(8); raw != "" {
		*x = math.Float64frombits(binary.LittleEndian.Uint64([]byte(raw)))
	}
}

// OID reads an id.
func (r *Reader) OID(o *refs.OID) {
	*o = refs.OID{}
	raw := r.Take(r.Uvarint())
	if raw == "" {
		return
	}
	id, err := refs.OIDFromBytes(raw)
	if err != nil {
		r.Fail()
		return
	}
	*o = id
}

// Moment reads a time.
func (r *Reader) Moment(t *time.Time) {
	seconds, nanos := r.Varint(), r.Varint()
	*t = time.Unix(seconds, nanos).UTC()
}

// Count reads the length of a list.
func (r *Reader) Count(int) int { return r.Size() }
