package events

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// The limits of the stored format.
const (
	MaxEvent = 1 << 20   // bytes of one event in canonical form
	MaxField = 64 << 10  // bytes of one string, unescaped UTF-8
	MaxDepth = 32        // nesting of objects and arrays, the event itself included
	MaxInt   = 1<<53 - 1 // I-JSON: every implementation holds these integers exactly
)

// Errors of the canonical form.
var (
	ErrNotCanonical = errors.New("not canonical JSON")
	ErrTooLong      = errors.New("longer than the format allows")
)

const hexDigits = "0123456789abcdef"

// appendString writes s as in RFC 8785: the shortest escape if JSON requires one, everything else literally.
func appendString(dst []byte, s string) ([]byte, error) {
	if !utf8.ValidString(s) {
		return dst, errors.New("string is not valid UTF-8")
	}
	return appendQuoted(dst, s), nil
}

func appendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	from := 0
	for i := range len(s) {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[from:i]...)
		from = i + 1
		if short := shortEscape(c); short != 0 {
			dst = append(dst, '\\', short)
		} else {
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xf])
		}
	}
	return append(append(dst, s[from:]...), '"')
}

// shortEscape returns the letter of c's two-character escape, or 0 without one.
func shortEscape(c byte) byte {
	switch c {
	case '"', '\\':
		return c
	case '\b':
		return 'b'
	case '\t':
		return 't'
	case '\n':
		return 'n'
	case '\f':
		return 'f'
	case '\r':
		return 'r'
	}
	return 0
}

func appendInt(dst []byte, n int64) ([]byte, error) {
	if n > MaxInt || n < -MaxInt {
		return dst, fmt.Errorf("integer %d is beyond 2^53-1", n)
	}
	return strconv.AppendInt(dst, n, 10), nil
}

// compareKeys orders member names by UTF-16 code units, as RFC 8785 §3.2.3 demands. It differs from the order of bytes
// only if one name has a character beyond U+FFFF and the other a character from U+E000 on.
func compareKeys(a, b string) int {
	const firstByteOfE000 = 0xee
	ascii := func(s string) bool {
		return !slices.ContainsFunc([]byte(s), func(c byte) bool { return c >= firstByteOfE000 })
	}
	if ascii(a) || ascii(b) {
		return bytes.Compare([]byte(a), []byte(b))
	}
	return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
}

// Canonical rewrites a JSON text into canonical form. A text that is already canonical stays unchanged. Numbers other
// than integers within ±(2^53-1), true, false and null are refused: the stored format does not have them.
func Canonical(raw []byte) ([]byte, error) { return canonical(raw, MaxDepth) }

// `canonical` does the same as Canonical, for a text that will be part of another one, so it may have fewer levels.
func canonical(raw []byte, depth int) ([]byte, error) {
	fault := checkCanonical(raw, depth)
	if fault == nil {
		return raw, nil
	}
	if errors.Is(fault, ErrTooLong) {
		return nil, fault
	}
	if !utf8.Valid(raw) {
		return nil, errors.New("canonical JSON: not valid UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var value any
	if err := dec.Decode(&value); err != nil {
		return nil, fmt.Errorf("canonical JSON: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("canonical JSON: text after the value")
	}
	out, err := appendValue(make([]byte, 0, len(raw)), reflect.ValueOf(value), depth)
	if err != nil {
		return nil, fmt.Errorf("canonical JSON: %w", err)
	}
	return out, checkCanonical(out, depth)
}
