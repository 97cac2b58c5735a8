package rawjson

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
)

// AppendCanonical writes the JSON value in raw in the form of Python's json.dumps(value, sort_keys=True), byte for
// byte: members sorted by name, ", " and ": " between them, everything beyond printable ASCII escaped, whole numbers of
// any size as they are, other numbers as repr writes a float. Of members with the same name the last counts, as in a
// dict.
//
// One difference is known: Python keeps half of a surrogate pair, here it becomes U+FFFD.
func AppendCanonical(dst, raw []byte) ([]byte, error) {
	d := NewDecoder(raw)
	dst = appendValue(slices.Grow(dst, len(raw)+len(raw)/8), d)
	if d.err != nil {
		return nil, d.err
	}
	if d.space(); d.pos != len(raw) {
		d.failHere()
		return nil, d.err
	}
	return dst, nil
}

func appendValue(dst []byte, d *Decoder) []byte {
	switch d.Kind() {
	case Object:
		return appendObject(dst, d)
	case Array:
		dst = append(dst, '[')
		first := true
		for d.OpenArray(); d.Element(); {
			if !first {
				dst = append(dst, ", "...)
			}
			first = false
			dst = appendValue(dst, d)
		}
		return append(dst, ']')
	case String:
		raw := d.Raw()
		if sameInASCII(raw) {
			return append(dst, raw...)
		}
		return appendASCII(dst, Unquote(raw))
	case Number:
		return appendNumber(dst, string(d.Raw()))
	default:
		return append(dst, d.Raw()...)
	}
}

// sameInASCII tells whether a string is in its canonical form as it stands: printable ASCII, and of escapes those that
// are written so there too.
func sameInASCII(raw []byte) bool {
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '\\':
			if i++; i == len(raw) || strings.IndexByte(`nrtbf"\`, raw[i]) < 0 {
				return false
			}
		case c < ' ' || c > '~':
			return false
		}
	}
	return len(raw) > 0
}

type member struct {
	name  string
	value []byte
}

func appendObject(dst []byte, d *Decoder) []byte {
	var few [12]member
	members := few[:0]
	for d.Open(); d.Member(); {
		members = append(members, member{string(d.Key()), d.Raw()})
	}
	if d.err != nil {
		return dst
	}
	slices.SortStableFunc(members, func(a, b member) int { return cmp.Compare(a.name, b.name) })
	dst = append(dst, '{')
	first := true
	for i, m := range members {
		if i+1 < len(members) && members[i+1].name == m.name {
			continue
		}
		if !first {
			dst = append(dst, ", "...)
		}
		first = false
		dst = append(appendASCII(dst, m.name), ": "...)
		inner := Decoder{data: m.value, due: true}
		if dst = appendValue(dst, &inner); inner.err != nil {
			d.err = inner.err
			return dst
		}
	}
	return append(dst, '}')
}

func appendNumber(dst []byte, literal string) []byte {
	if strings.ContainsAny(literal, ".eE") {
		f, err := strconv.ParseFloat(literal, 64)
		if err != nil && !math.IsInf(f, 0) {
			return append(dst, literal...)
		}
		return AppendFloat(dst, f)
	}
	if literal == "-0" {
		return append(dst, '0')
	}
	return append(dst, literal...)
}

// AppendFloat writes f as Python's repr does: the fewest digits that give f back, always with a point or an exponent.
func AppendFloat(dst []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, "NaN"...)
	case math.IsInf(f, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(f, -1):
		return append(dst, "-Infinity"...)
	}
	// repr turns to an exponent below 1e-4 and from 1e16 on.
	if size := math.Abs(f); size != 0 && (size < 1e-4 || size >= 1e16) {
		return strconv.AppendFloat(dst, f, 'e', -1, 64)
	}
	from := len(dst)
	dst = strconv.AppendFloat(dst, f, 'f', -1, 64)
	if !slices.Contains(dst[from:], '.') {
		dst = append(dst, '.', '0')
	}
	return dst
}
