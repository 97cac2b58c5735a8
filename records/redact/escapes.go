package redact

import (
	"strings"
	"unicode/utf8"
)

// resolve decodes the escapes of JSON and C strings, percent-encoding and HTML entities. It reports whether there were
// any; if not, the reading stays empty.
func resolve(v *reading, text string) (changed bool) {
	form := false // the word has percent-encoding, so a plus means a space
	from := 0     // the start of the part that is not in the reading yet
	for i := 0; i < len(text); {
		stops := &resolves
		if form {
			stops = &endsForm
		}
		for i < len(text) && !stops[text[i]] {
			i++
		}
		if i == len(text) {
			break
		}
		var plain [utf8.UTFMax]byte
		n, size := 0, 0
		switch text[i] {
		case '\\':
			n, size = escape(&plain, text[i:])
		case '%':
			n, size = percent(&plain, text[i:])
			form = form || size > 0
		case '+':
			if form || formAhead(text[i:]) {
				n, size = put(&plain, ' ', 1)
			}
		case '&':
			n, size = entity(&plain, text[i:])
		default:
			form = false
		}
		if size == 0 {
			i++
			continue
		}
		if !changed {
			v.reset(len(text))
			changed = true
		}
		v.piece(text, from, i)
		for _, c := range plain[:n] {
			v.add(c, i, i+size)
		}
		i += size
		from = i
	}
	if changed {
		v.piece(text, from, len(text))
	}
	return changed
}

// resolves marks the bytes at which resolve acts. The variable endsForm also marks the bytes at which a word with
// percent-encoding ends.
var (
	resolves = [256]bool{'\\': true, '%': true, '&': true, '+': true}
	endsForm = [256]bool{'\\': true, '%': true, '&': true, '+': true, ' ': true, '\n': true, '\t': true,
		'"': true, '\'': true}
)

// formAhead reports whether the current word has percent-encoding or another field further on, as in a submitted web
// form.
func formAhead(text string) bool {
	const far = 256
	text = text[:min(len(text), far)]
	if i := strings.IndexAny(text, " \n\t\"'"); i >= 0 {
		text = text[:i]
	}
	if i := strings.IndexByte(text, '&'); i >= 0 && strings.IndexByte(text[i:], '=') > 0 {
		return true
	}
	i := strings.IndexByte(text, '%')
	if i < 0 || i+2 >= len(text) {
		return false
	}
	_, ok := number(text[i+1:i+3], 16)
	return ok
}

// put encodes a character. It returns the length of the character and of its source.
func put(out *[utf8.UTFMax]byte, r rune, size int) (n, length int) {
	return utf8.EncodeRune(out[:], r), size
}

// escape decodes an escape that begins with a backslash. The length is 0 if the text is not an escape.
func escape(out *[utf8.UTFMax]byte, text string) (n, length int) {
	if len(text) < 2 {
		return 0, 0
	}
	switch c := text[1]; c {
	case 'n':
		return put(out, '\n', 2)
	case 't':
		return put(out, '\t', 2)
	case 'r':
		return put(out, '\r', 2)
	case 'e':
		return put(out, escapeByte, 2)
	case 'u', 'x':
		return escapedNumber(out, text)
	case '0', '1':
		if len(text) >= 4 {
			if value, ok := number(text[1:4], 8); ok {
				return put(out, value, 4)
			}
		}
		if c == '0' {
			return put(out, 0, 2)
		}
	}
	r, size := utf8.DecodeRuneInString(text[1:])
	if r == utf8.RuneError {
		return 0, 0
	}
	return put(out, r, 1+size)
}

// escapeByte begins a terminal sequence, as for a colour.
const escapeByte = 0x1b

// escapedNumber reads \u0041, \u{41} and \x41.
func escapedNumber(out *[utf8.UTFMax]byte, text string) (n, length int) {
	if strings.HasPrefix(text[2:], "{") {
		if end := strings.IndexByte(text[:min(len(text), 10)], '}'); end > 3 {
			if value, ok := number(text[3:end], 16); ok {
				return put(out, value, end+1)
			}
		}
	}
	digits := 4
	if text[1] == 'x' {
		if digits = 2; hexAhead(text[2:]) { // a database's form for bytes, with one prefix for all
			return 0, 0
		}
	}
	if len(text) >= 2+digits {
		if value, ok := number(text[2:2+digits], 16); ok {
			return put(out, value, 2+digits)
		}
	}
	return put(out, rune(text[1]), 2)
}

// hexAhead reports whether a text begins with at least leastHex hexadecimal digits.
func hexAhead(text string) bool {
	n := 0
	for n < len(text) && n < leastHex && isHex(text[n]) {
		n++
	}
	return n == leastHex
}

// percent decodes a percent-encoded byte. Bytes outside ASCII stay single bytes.
func percent(out *[utf8.UTFMax]byte, text string) (n, length int) {
	if len(text) < 3 {
		return 0, 0
	}
	value, ok := number(text[1:3], 16)
	if !ok {
		return 0, 0
	}
	out[0] = byte(value)
	return 1, 3
}

// longestEntity limits the length of an entity with its ampersand and semicolon, in bytes.
const longestEntity = 12

// entity decodes an HTML or XML entity: a number, or the name of an ASCII character.
func entity(out *[utf8.UTFMax]byte, text string) (n, length int) {
	end := strings.IndexByte(text[:min(len(text), longestEntity)], ';')
	if end < 2 {
		return 0, 0
	}
	name := text[1:end]
	if name[0] == '#' {
		digits, base := name[1:], 10
		if strings.HasPrefix(digits, "x") || strings.HasPrefix(digits, "X") {
			digits, base = digits[1:], 16
		}
		if value, ok := number(digits, base); ok {
			return put(out, value, end+1)
		}
		return 0, 0
	}
	if c := namedEntity(name); c != 0 {
		return put(out, rune(c), end+1)
	}
	return 0, 0
}

// namedEntity returns the ASCII character that has this name in HTML; 0 if there is none.
func namedEntity(name string) byte {
	switch name {
	case "quot", "QUOT":
		return '"'
	case "amp", "AMP":
		return '&'
	case "apos":
		return '\''
	case "lt", "LT":
		return '<'
	case "gt", "GT":
		return '>'
	case "nbsp", "NonBreakingSpace":
		return ' '
	case "Tab":
		return '\t'
	case "NewLine":
		return '\n'
	case "excl":
		return '!'
	case "num":
		return '#'
	case "dollar":
		return '$'
	case "percnt":
		return '%'
	case "lpar":
		return '('
	case "rpar":
		return ')'
	case "ast", "midast":
		return '*'
	case "plus":
		return '+'
	case "comma":
		return ','
	case "hyphen", "dash":
		return '-'
	case "period":
		return '.'
	case "sol":
		return '/'
	case "colon":
		return ':'
	case "semi":
		return ';'
	case "equals":
		return '='
	case "quest":
		return '?'
	case "commat":
		return '@'
	case "lsqb", "lbrack":
		return '['
	case "bsol":
		return '\\'
	case "rsqb", "rbrack":
		return ']'
	case "Hat":
		return '^'
	case "lowbar", "UnderBar":
		return '_'
	case "grave":
		return '`'
	case "lcub", "lbrace":
		return '{'
	case "verbar", "vert", "VerticalLine":
		return '|'
	case "rcub", "rbrace":
		return '}'
	}
	return 0
}

// number parses digits of a base up to 16.
func number(digits string, base int) (value rune, ok bool) {
	if digits == "" || len(digits) > 7 {
		return 0, false
	}
	for i := range len(digits) {
		d := 99
		switch c := digits[i]; {
		case '0' <= c && c <= '9':
			d = int(c - '0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			d = int(c|0x20-'a') + 10
		}
		if d >= base {
			return 0, false
		}
		value = value*rune(base) + rune(d)
	}
	return value, true
}
