package redact

import "slices"

// reading is a text in which an encoding was resolved. For each of its bytes it knows the part of the text that the
// byte was made of.
type reading struct {
	text     []byte
	from, to []int32
}

func newReading(capacity int) reading {
	return reading{text: make([]byte, 0, capacity), from: make([]int32, 0, capacity), to: make([]int32, 0, capacity)}
}

// mostRoom bounds what a reading keeps for the next text, in bytes of text.
const mostRoom = 1 << 18

// reset makes an empty reading, in the room that it has.
func (v *reading) reset(capacity int) {
	if capacity > cap(v.text) || cap(v.text) > mostRoom {
		*v = newReading(capacity)
	}
	v.text, v.from, v.to = v.text[:0], v.from[:0], v.to[:0]
}

// add adds a byte that was made of the bytes from to to.
func (v *reading) add(c byte, from, to int) {
	v.text = append(v.text, c)
	v.from = append(v.from, int32(from))
	v.to = append(v.to, int32(to))
}

// piece adds a part of a text as it is.
func (v *reading) piece(text string, start, end int) {
	if start >= end {
		return
	}
	n := len(v.text)
	v.text = append(v.text, text[start:end]...)
	v.from = slices.Grow(v.from, end-start)[:len(v.text)]
	v.to = slices.Grow(v.to, end-start)[:len(v.text)]
	from, to := v.from[n:], v.to[n:]
	for i := range from {
		from[i] = int32(start + i)
	}
	for i := range to {
		to[i] = int32(start + i + 1)
	}
}

// drop takes the last byte away.
func (v *reading) drop() {
	if n := len(v.text) - 1; n >= 0 {
		v.text, v.from, v.to = v.text[:n], v.from[:n], v.to[:n]
	}
}

// back gives the places in the text that a reading was made of.
func (v *reading) back(list []span) []span {
	out := make([]span, 0, len(list))
	for _, s := range list {
		start, end := int(v.from[s.start]), int(v.to[s.end-1])
		if start >= end {
			continue
		}
		s.whole = s.whole && end-start == s.end-s.start
		s.start, s.end = start, end
		out = append(out, s)
	}
	return out
}
