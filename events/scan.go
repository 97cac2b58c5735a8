package events

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/bits"
	"unicode/utf8"
)

// checkCanonical returns an error unless raw is exactly one canonical JSON value. It accepts strings, integers, arrays
// and objects, within the limits on depth and string length. It reads each byte once and allocates nothing.
func checkCanonical(raw []byte, depth int) error {
	s := scanner{buf: raw}
	if err := s.value(depth); err != nil {
		return err
	}
	if s.pos != len(raw) {
		return s.fault("text after the value")
	}
	return nil
}

// scanner walks canonical JSON. Every method leaves pos after the accepted text.
type scanner struct {
	buf   []byte
	pos   int
	plain bool   // the last string was ASCII without escapes
	words *words // nil for a scanner of one event
}

func (s *scanner) fault(what string) error {
	return fmt.Errorf("%w: byte %d: %s", ErrNotCanonical, s.pos, what)
}

func (s *scanner) peek() byte {
	if s.pos < len(s.buf) {
		return s.buf[s.pos]
	}
	return 0
}

func (s *scanner) expect(c byte) error {
	if s.peek() != c {
		return s.fault(fmt.Sprintf("%q expected", c))
	}
	s.pos++
	return nil
}

func (s *scanner) value(depth int) error {
	switch c := s.peek(); {
	case c == '"':
		_, err := s.str()
		return err
	case c == '-' || '0' <= c && c <= '9':
		_, err := s.integer()
		return err
	case c == '[':
		return s.array(depth)
	case c == '{':
		return s.object(depth, nil)
	}
	return s.fault("string, integer, array or object expected")
}

func (s *scanner) array(depth int) error {
	if depth == 0 {
		return s.fault("nested too deep")
	}
	s.pos++ // [
	if s.peek() == ']' {
		s.pos++
		return nil
	}
	for {
		if err := s.value(depth - 1); err != nil {
			return err
		}
		if s.peek() == ']' {
			s.pos++
			return nil
		}
		if err := s.expect(','); err != nil {
			return err
		}
	}
}

// object walks an object. The function `member`, if given, is called after each name's colon and must walk the value.
func (s *scanner) object(depth int, member func(name []byte) error) error {
	if depth == 0 {
		return s.fault("nested too deep")
	}
	if err := s.expect('{'); err != nil {
		return err
	}
	if s.peek() == '}' {
		s.pos++
		return nil
	}
	var last []byte
	lastPlain := true
	for first := true; ; first = false {
		name, err := s.str()
		if err != nil {
			return err
		}
		order := -1
		switch {
		case first:
		case s.plain && lastPlain:
			order = bytes.Compare(last[1:len(last)-1], name[1:len(name)-1])
		default:
			order = compareKeys(unquote(last), unquote(name))
		}
		if order >= 0 {
			return s.fault("member names out of order or doubled")
		}
		last, lastPlain = name, s.plain
		if err := s.expect(':'); err != nil {
			return err
		}
		if member != nil {
			err = member(name[1 : len(name)-1])
		} else {
			err = s.value(depth - 1)
		}
		if err != nil {
			return err
		}
		if s.peek() == '}' {
			s.pos++
			return nil
		}
		if err := s.expect(','); err != nil {
			return err
		}
	}
}

// str walks a string and returns it with its quotes.
func (s *scanner) str() ([]byte, error) {
	start := s.pos
	if err := s.expect('"'); err != nil {
		return nil, err
	}
	s.plain = true
	escapes := 0 // number of bytes that the escapes add
	for buf := s.buf; ; {
		if s.pos += plainBytes(buf[s.pos:]); s.pos == len(buf) {
			break
		}
		switch c := buf[s.pos]; {
		case c == '"':
			s.pos++
			if length := s.pos - start - 2 - escapes; length > MaxField {
				return nil, fmt.Errorf("byte %d: string of %d bytes: %w", start, length, ErrTooLong)
			}
			return buf[start:s.pos], nil
		case c < 0x20:
			return nil, s.fault("control character without escape")
		case c == '\\':
			n := escapeLength(buf[s.pos:])
			if n == 0 {
				return nil, s.fault("escape that is not the canonical one")
			}
			s.plain = false
			s.pos += n
			escapes += n - 1
		default:
			r, n := utf8.DecodeRune(buf[s.pos:])
			if r == utf8.RuneError && n == 1 {
				return nil, s.fault("not valid UTF-8")
			}
			s.plain = false
			s.pos += n
		}
	}
	return nil, s.fault("unfinished string")
}

// plainBytes counts the bytes before one that ends the string, begins an escape, or needs a closer look. It checks
// eight bytes at once: the arithmetic sets the high bit in each such byte, and perhaps in later ones.
func plainBytes(b []byte) int {
	const ones = 0x0101010101010101
	n := 0
	for ; len(b)-n >= 8; n += 8 {
		x := binary.LittleEndian.Uint64(b[n:])
		quote, slash := x^('"'*ones), x^('\\'*ones)
		found := (x | (x-' '*ones)&^x | (quote-ones)&^quote | (slash-ones)&^slash) & (0x80 * ones)
		if found != 0 {
			return n + bits.TrailingZeros64(found)/8
		}
	}
	for ; n < len(b); n++ {
		if c := b[n]; c >= utf8.RuneSelf || c < ' ' || c == '"' || c == '\\' {
			break
		}
	}
	return n
}

// escapeLength returns the length of the canonical escape that b begins with, or 0.
func escapeLength(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', 'b', 't', 'n', 'f', 'r':
		return 2
	case 'u':
		if len(b) < 6 || b[2] != '0' || b[3] != '0' || b[4] != '0' && b[4] != '1' {
			return 0
		}
		low := bytes.IndexByte([]byte(hexDigits), b[5])
		if low < 0 || shortEscape((b[4]-'0')<<4|byte(low)) != 0 {
			return 0
		}
		return 6
	}
	return 0
}

// text decodes the last string that str accepted.
func (s *scanner) text(quoted []byte) string {
	if s.words == nil || !s.plain {
		return unquote(quoted)
	}
	return s.words.text(quoted[1 : len(quoted)-1])
}

// words holds recently read texts. Most texts in an event occur in an earlier event, and share its memory.
type words [16]string

func (w *words) text(body []byte) string {
	if len(body) == 0 {
		return ""
	}
	at := &w[(len(body)+int(body[0])+3*int(body[len(body)-1]))%len(w)]
	if *at != string(body) {
		*at = string(body)
	}
	return *at
}

// unquote decodes a string that str has accepted.
func unquote(quoted []byte) string {
	body := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(body, '\\') < 0 {
		return string(body)
	}
	var s string
	if err := json.Unmarshal(quoted, &s); err != nil {
		return string(body)
	}
	return s
}

// integer walks an integer in its shortest form, within ±(2^53-1).
func (s *scanner) integer() (int64, error) {
	negative := s.peek() == '-'
	if negative {
		s.pos++
	}
	start, n := s.pos, int64(0)
	for ; s.peek() >= '0' && s.peek() <= '9'; s.pos++ {
		if n = n*10 + int64(s.peek()-'0'); n > MaxInt {
			return 0, s.fault("integer beyond 2^53-1")
		}
	}
	digits := s.buf[start:s.pos]
	if len(digits) == 0 || digits[0] == '0' && (len(digits) > 1 || negative) {
		return 0, s.fault("integer not in its shortest form")
	}
	if negative {
		n = -n
	}
	return n, nil
}
