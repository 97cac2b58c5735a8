package rawjson

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Text returns the next value if it is a string, with escapes decoded; "" for a value of another kind. Invalid UTF-8
// becomes U+FFFD, as in encoding/json.
func (d *Decoder) Text() string {
	if d.Kind() != String {
		d.Skip()
		return ""
	}
	raw, escaped := d.quoted()
	if !escaped && plain(raw) {
		return string(raw)
	}
	return unquote(raw)
}

// Int returns the next value if it is a whole number that fits into an int64, otherwise 0.
func (d *Decoder) Int() int64 {
	if d.Kind() != Number {
		d.Skip()
		return 0
	}
	raw := d.Raw()
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return n
	}
	if f, err := strconv.ParseFloat(string(raw), 64); err == nil && f == float64(int64(f)) {
		return int64(f)
	}
	return 0
}

// Float returns the next value if it is a number, otherwise 0.
func (d *Decoder) Float() float64 {
	if d.Kind() != Number {
		d.Skip()
		return 0
	}
	f, err := strconv.ParseFloat(string(d.Raw()), 64)
	if err != nil {
		return 0
	}
	return f
}

// Bool returns the next value if it is true or false, otherwise false.
func (d *Decoder) Bool() bool { return string(d.Raw()) == "true" }

// Unquote decodes a JSON string that is given with its quotes; "" for other text.
func Unquote(raw []byte) string {
	d := Decoder{data: raw}
	return d.Text()
}

// `plain` reports whether a string without escapes can be used unchanged.
func plain(raw []byte) bool { return utf8.Valid(raw) }

func unquote(raw []byte) string {
	if !utf8.Valid(raw) {
		raw = appendValid(make([]byte, 0, len(raw)), raw)
	}
	var out strings.Builder
	out.Grow(len(raw))
	for {
		slash := escapeAt(raw, 0)
		out.Write(raw[:slash])
		if slash+1 >= len(raw) { // a backslash at the end
			return out.String()
		}
		raw = raw[slash+1:]
		if c := shortEscapes[raw[0]]; c != 0 {
			out.WriteByte(c)
			raw = raw[1:]
			continue
		}
		var resolved []byte
		resolved, raw = appendEscape(make([]byte, 0, utf8.UTFMax), raw)
		out.Write(resolved)
	}
}

// shortEscapes maps the letters of the one-letter escapes to their meanings.
var shortEscapes = [256]byte{'n': '\n', 't': '\t', 'r': '\r', '"': '"', '\\': '\\', '/': '/'}

// appendValid appends bytes. Each byte that is not valid UTF-8 becomes U+FFFD.
func appendValid(out, raw []byte) []byte {
	for len(raw) > 0 {
		r, size := utf8.DecodeRune(raw)
		out = utf8.AppendRune(out, r)
		raw = raw[size:]
	}
	return out
}

// appendEscape decodes an escape; the parameter `raw` begins with its letter.
func appendEscape(out, raw []byte) (next, rest []byte) {
	switch c := raw[0]; c {
	case 'n':
		return append(out, '\n'), raw[1:]
	case 't':
		return append(out, '\t'), raw[1:]
	case 'r':
		return append(out, '\r'), raw[1:]
	case 'b':
		return append(out, '\b'), raw[1:]
	case 'f':
		return append(out, '\f'), raw[1:]
	case 'u':
		r, ok := hex4(raw[1:])
		if !ok {
			return utf8.AppendRune(out, utf8.RuneError), raw[1:]
		}
		raw = raw[5:]
		if utf16.IsSurrogate(r) {
			pair := rune(utf8.RuneError)
			if len(raw) >= 6 && raw[0] == '\\' && raw[1] == 'u' {
				if low, ok := hex4(raw[2:]); ok {
					pair = utf16.DecodeRune(r, low)
				}
			}
			if r = pair; r != utf8.RuneError {
				raw = raw[6:]
			}
		}
		return utf8.AppendRune(out, r), raw
	default: // a quote, a backslash, a slash; an unknown escape stands for its letter
		if c >= utf8.RuneSelf {
			return out, raw
		}
		return append(out, c), raw[1:]
	}
}

func hex4(raw []byte) (rune, bool) {
	if len(raw) < 4 {
		return 0, false
	}
	var r rune
	for _, c := range raw[:4] {
		switch {
		case '0' <= c && c <= '9':
			r = r<<4 | rune(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}
