package redact

import "sort"

// reading is a text with one encoding decoded. It maps each of its bytes to the source.
type reading struct {
	text  []byte
	parts []part
}

// part is a run of consecutive bytes of a reading. Each byte comes from the next byte of the source, or all come from
// the same source bytes.
type part struct {
	at       int32 // offset in the reading at which the part begins
	from, to int32 // the source of the first byte
	same     bool  // the other bytes have the same source
}

func newReading(capacity int) reading { return reading{text: make([]byte, 0, capacity)} }

// mostRoom limits the memory that a reading keeps for the next text, in bytes of text.
const mostRoom = 1 << 18

// reset empties the reading and reuses its memory.
func (v *reading) reset(capacity int) {
	if capacity > cap(v.text) || cap(v.text) > mostRoom {
		*v = newReading(capacity)
	}
	v.text, v.parts = v.text[:0], v.parts[:0]
}

// add adds a byte whose source is the bytes [`from`, `to`).
func (v *reading) add(c byte, from, to int) {
	v.part(part{at: int32(len(v.text)), from: int32(from), to: int32(to), same: to != from+1})
	v.text = append(v.text, c)
}

// piece adds text[start:end] unchanged.
func (v *reading) piece(text string, start, end int) {
	if start >= end {
		return
	}
	v.part(part{at: int32(len(v.text)), from: int32(start), to: int32(start + 1)})
	v.text = append(v.text, text[start:end]...)
}

// part begins a new part, unless the last part continues.
func (v *reading) part(p part) {
	if n := len(v.parts); n > 0 {
		last := v.parts[n-1]
		if last.same && p.same && last.from == p.from && last.to == p.to ||
			!last.same && !p.same && last.from+p.at-last.at == p.from {
			return
		}
	}
	v.parts = append(v.parts, p)
}

// drop removes the last byte.
func (v *reading) drop() {
	if n := len(v.text) - 1; n >= 0 {
		v.text = v.text[:n]
		if last := len(v.parts) - 1; int(v.parts[last].at) == n {
			v.parts = v.parts[:last]
		}
	}
}

// head adds the first n bytes of another reading of the same source.
func (v *reading) head(of *reading, n int) {
	at := int32(len(v.text))
	for _, p := range of.parts {
		if int(p.at) >= n {
			break
		}
		p.at += at
		v.parts = append(v.parts, p)
	}
	v.text = append(v.text, of.text[:n]...)
}

// madeOf returns the source position of byte i.
func (v *reading) madeOf(i int) (from, to int) {
	p := v.parts[sort.Search(len(v.parts), func(k int) bool { return int(v.parts[k].at) > i })-1]
	if p.same {
		return int(p.from), int(p.to)
	}
	from = int(p.from) + i - int(p.at)
	return from, from + 1
}

// `back` maps spans of the reading to spans of the source.
func (v *reading) back(list []span) []span {
	out := make([]span, 0, len(list))
	for _, s := range list {
		start, _ := v.madeOf(s.start)
		_, end := v.madeOf(s.end - 1)
		if start >= end {
			continue
		}
		s.whole = s.whole && end-start == s.end-s.start
		s.start, s.end = start, end
		out = append(out, s)
	}
	return out
}
