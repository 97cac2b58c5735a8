package redact

// reading is a text in which an encoding was resolved. For each of its bytes it knows the part of the text that the
// byte was made of.
type reading struct {
	text     []byte
	from, to []int32
}

func newReading(capacity int) reading {
	return reading{text: make([]byte, 0, capacity), from: make([]int32, 0, capacity), to: make([]int32, 0, capacity)}
}

// add adds a byte that was made of the bytes from to to.
func (v *reading) add(c byte, from, to int) {
	v.text = append(v.text, c)
	v.from = append(v.from, int32(from))
	v.to = append(v.to, int32(to))
}

// piece adds a part of a text as it is.
func (v *reading) piece(text string, start, end int) {
	for i := start; i < end; i++ {
		v.add(text[i], i, i+1)
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
