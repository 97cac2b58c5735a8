package rawjson

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"
)

// AppendCanonical writes the JSON value in `raw` in the form of Python's json.dumps(value, sort_keys=True), byte for
// byte: members sorted by name, separated by ", " and ": ", everything except printable ASCII escaped, whole numbers of
// any size unchanged, other numbers like repr of a float. If several members have the same name, the last one counts,
// as in a dict.
//
// One difference is known: Python keeps a lone surrogate, here it becomes U+FFFD.
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
		return appendQuoted(dst, d)
	case Number:
		return appendNumber(dst, string(d.Raw()))
	default:
		return append(dst, d.Raw()...)
	}
}

// appendQuoted appends the next string. Most strings are already in canonical form: printable ASCII with only canonical
// escapes.
func appendQuoted(dst []byte, d *Decoder) []byte {
	for i := specialAt(d.data, d.pos+1); i < len(d.data); i = specialAt(d.data, i) {
		if d.data[i] == '"' {
			dst = append(dst, d.data[d.pos:i+1]...)
			d.pos, d.due = i+1, false
			return dst
		}
		if d.data[i] != '\\' || i+1 == len(d.data) || strings.IndexByte(`nrtbf"\`, d.data[i+1]) < 0 {
			break
		}
		i += 2
	}
	return appendASCII(dst, Unquote(d.Raw()))
}

// member is the name of a member, and the position of its name and value in the canonical text.
type member struct {
	name       []byte
	start, end int
}

func appendObject(dst []byte, d *Decoder) []byte {
	var few [24]member
	members := few[:0]
	dst = append(dst, '{')
	from, sorted := len(dst), true
	for d.Open(); d.Member(); {
		name := d.Key()
		if len(members) > 0 {
			sorted = sorted && bytes.Compare(members[len(members)-1].name, name) < 0
			dst = append(dst, ", "...)
		}
		start := len(dst)
		if specialAt(name, 0) == len(name) {
			dst = append(append(append(dst, '"'), name...), '"')
		} else {
			dst = appendASCII(dst, string(name))
		}
		dst = appendValue(append(dst, ": "...), d)
		members = append(members, member{name, start, len(dst)})
	}
	if d.err != nil {
		return dst
	}
	if !sorted {
		dst = sortMembers(dst, from, members)
	}
	return append(dst, '}')
}

// sortMembers sorts the members at the end of a text.
func sortMembers(dst []byte, from int, members []member) []byte {
	slices.SortStableFunc(members, func(a, b member) int { return bytes.Compare(a.name, b.name) })
	end := len(dst)
	for i, m := range members {
		if i+1 < len(members) && bytes.Equal(members[i+1].name, m.name) {
			continue
		}
		if len(dst) > end {
			dst = append(dst, ", "...)
		}
		dst = append(dst, dst[m.start:m.end]...)
	}
	return dst[:from+copy(dst[from:], dst[end:])]
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

// AppendFloat writes f like Python's repr: with the fewest digits that identify f, and always with a point or an
// exponent.
func AppendFloat(dst []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, "NaN"...)
	case math.IsInf(f, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(f, -1):
		return append(dst, "-Infinity"...)
	}
	// repr uses an exponent below 1e-4 and from 1e16 on.
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
