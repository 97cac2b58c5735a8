package vector

import (
	"bytes"
	"hash/maphash"
	"slices"
	"strings"
)

// A formatter changes only the form of words: quotation marks, separators, brackets, white space and line ends. The
// words of a line are its names, its numbers, and every sign with a meaning, such as an operator. In a string every
// sign has a meaning. Words in a comment differ from the same words in code.

// keySeed is the seed for keys of words. Keys are comparable during one comparison only.
var keySeed = maphash.MakeSeed()

// lexer splits consecutive lines into words.
type lexer struct {
	out    *stream
	line   []byte
	at     int
	last   byte   // the last byte that is not white space
	inside uint64 // the kind of the current comment; 0 outside of comments
	quoted int    // end of the current string
	buffer []byte
}

// Said returns a hash key that is the same for all lines with the same words, whatever their form. Keys are valid
// within one process. `ok` is false for a line without words.
func Said(line []byte) (key uint64, ok bool) {
	const words = 16 // in most lines
	s := stream{keys: make([]uint64, 0, words), weights: make([]int, 0, words)}
	x := lexer{out: &s}
	x.read(line)
	return phrase(s.keys), len(s.keys) > 0
}

// streamOf returns the words of the lines `from` ≤ line < `to`.
func streamOf(lines [][]byte, from, to int) stream {
	s := stream{ends: make([]int, 1, to-from+1)}
	x := lexer{out: &s}
	for before := from - 1; before >= 0 && x.last == 0; before-- {
		if text := bytes.TrimRight(lines[before], " \t\r"); len(text) > 0 {
			x.last = text[len(text)-1]
		}
	}
	for _, line := range lines[from:to] {
		x.read(line)
		s.ends = append(s.ends, len(s.keys))
	}
	return s
}

func (x *lexer) read(line []byte) {
	x.line, x.at, x.inside, x.quoted = line, 0, 0, 0
	for x.at < len(line) {
		switch c := line[x.at]; {
		case c == ' ' || '\t' <= c && c <= '\r':
			x.at++
		case x.comment():
		case x.startsNumber(c):
			x.number()
		case isWord(c):
			x.name()
		default:
			x.sign(c)
		}
	}
}

func isWord(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == '$' || c >= 0x80
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// peek returns the byte at a distance from the lexer's place, or 0 outside of the line.
func (x *lexer) peek(distance int) byte {
	if i := x.at + distance; i >= 0 && i < len(x.line) {
		return x.line[i]
	}
	return 0
}

func (x *lexer) add(word []byte) {
	x.out.keys = append(x.out.keys, maphash.Bytes(keySeed, word)^x.inside)
	x.out.weights = append(x.out.weights, letters(word))
}

// `skip` moves forward by n bytes, without a word.
func (x *lexer) skip(n int) {
	x.at += n
	x.last = x.line[x.at-1]
}

// comment skips comment marks. They are not words, because every line of a comment has them: a formatter that wraps a
// comment adds and removes marks.
func (x *lexer) comment() bool {
	rest := x.line[x.at:]
	if bytes.HasPrefix(rest, []byte("*/")) {
		x.inside = 0
		x.skip(2)
		return true
	}
	begins := x.at == 0 || isSpaceByte(x.peek(-1)) || strings.IndexByte("{(;,", x.peek(-1)) >= 0
	if x.inside != 0 || x.quoted > 0 || !begins {
		return false
	}
	first := len(bytes.TrimLeft(x.line[:x.at], " \t")) == 0
	next := func(n int) byte { return x.peek(n) }
	var kind string
	var n int
	switch {
	case bytes.HasPrefix(rest, []byte("/*")):
		kind = "*"
		for n = 2; next(n) == '*' && next(n+1) != '/'; n++ {
		}
	case bytes.HasPrefix(rest, []byte("//")):
		for n = 2; next(n) == '/' || next(n) == '!'; n++ {
		}
		kind = string(rest[:n])
	case first && rest[0] == '*' && (len(rest) == 1 || isSpaceByte(rest[1])):
		kind, n = "*", 1
	case rest[0] == '#' && !first && !isSpaceByte(next(1)), rest[0] == '#' && (next(1) == '[' || next(1) == '!'):
		return false
	case rest[0] == '#':
		for n = 1; next(n) == '#'; n++ {
		}
		kind = string(rest[:n])
	case bytes.HasPrefix(rest, []byte("--")) && isSpaceByte(next(2)):
		kind, n = "--", 2
	case first && rest[0] == '>' && isSpaceByte(next(1)): // the mark of a quotation in Markdown
		kind, n = ">", 1
	default:
		return false
	}
	x.inside = maphash.String(keySeed, kind)
	x.skip(n)
	return true
}

func isSpaceByte(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

func (x *lexer) startsNumber(c byte) bool {
	if isWord(x.peek(-1)) {
		return false
	}
	return isDigit(c) || c == '.' && isDigit(x.peek(1)) && !strings.ContainsRune(".)]", rune(x.peek(-1)))
}

// number reads a number. Formatters write 0XFF as 0xff, .5 as 0.5, and 1.50e+3 as 1.5e3. In a string a number stays as
// it is.
func (x *lexer) number() {
	n, point := 0, -1
	hex := x.peek(0) == '0' && x.peek(1)|0x20 == 'x'
	for c := x.peek(n); ; c = x.peek(n) {
		switch {
		case isWord(c):
			if c|0x20 == 'e' && !hex && (x.peek(n+1) == '+' || x.peek(n+1) == '-') && isDigit(x.peek(n+2)) {
				n++
			}
		case c == '.' && point < 0 && (isDigit(x.peek(n+1)) || !isWord(x.peek(n+1)) && x.peek(n+1) != '.'):
			point = n
		default:
			text := x.line[x.at : x.at+n]
			if x.quoted == 0 {
				text = x.plain(text, point)
			}
			x.add(text)
			x.skip(n)
			return
		}
		n++
	}
}

// `plain` returns a number in a standard form. The parameter `point` is the index of its decimal point, or -1.
func (x *lexer) plain(text []byte, point int) []byte {
	out := x.buffer[:0]
	if point == 0 {
		out = append(out, '0')
	}
	for i, c := range text {
		switch {
		case c == '+':
			continue
		case 'A' <= c && c <= 'Z':
			c |= 0x20
		}
		if point >= 0 && i >= point {
			end := point + 1 // remove zeros at the end of a fraction
			for end < len(text) && isDigit(text[end]) {
				end++
			}
			zeros := end
			for zeros > point+1 && text[zeros-1] == '0' {
				zeros--
			}
			if zeros == point+1 {
				zeros = point
			}
			if i >= zeros && i < end {
				continue
			}
		}
		out = append(out, c)
	}
	x.buffer = out
	return out
}

// name reads a word. Letters directly before a string are a prefix of the string, as in F"…", and may be in lower or
// upper case.
func (x *lexer) name() {
	n := 1
	for isWord(x.peek(n)) {
		n++
	}
	text := x.line[x.at : x.at+n]
	if q := x.peek(n); x.quoted == 0 && n <= 2 && (q == '"' || q == '\'') && len(bytes.Trim(text, "rbufRBUF")) == 0 {
		text = slices.DeleteFunc(bytes.ToLower(text), func(c byte) bool { return c == 'u' })
		if len(text) > 0 {
			x.add(text)
		}
		x.at += n // a quotation mark follows: this is a prefix, not a word
		x.last = q
		x.quote(q)
		return
	}
	x.add(text)
	x.skip(n)
}

func (x *lexer) sign(c byte) {
	inString := x.at < x.quoted
	switch {
	case x.at == x.quoted && x.quoted > 0: // the end of the current string
		x.quoted = 0
		x.skip(1)
	case !inString && (c == '"' || c == '\'' && !(isWord(x.peek(-1)) && isWord(x.peek(1)))):
		x.quote(c)
	case c == '"' || c == '\'' || c == '`':
		x.skip(1)
	case c == '\\' && (x.peek(1) == '"' || x.peek(1) == '\'' || x.peek(1) == '`'):
		x.skip(2)
	case c == '\\' && len(bytes.TrimSpace(x.line[x.at+1:])) == 0: // a backslash at the end continues the statement
		x.at = len(x.line)
	case c == '\\' && x.peek(1) == '\\':
		x.add(x.line[x.at : x.at+2])
		x.skip(2)
	case strings.IndexByte(",;()[]{}", c) >= 0 && !inString:
		x.skip(1)
	case c == '/' && x.peek(1) == '>': // <br/> equals <br>
		x.skip(1)
	case (c == '|' || c == '&') && !inString && x.peek(1) != c && x.last != 0 && strings.IndexByte("=:<([{,", x.last) >= 0:
		x.skip(1) // the "|" or "&" before the first of several types
	case c == '-' || c == '=':
		n := 1
		for x.peek(n) == c {
			n++
		}
		for range min(n, 3) {
			x.add(x.line[x.at : x.at+1])
		}
		x.skip(n)
	default:
		x.add(x.line[x.at : x.at+1])
		x.skip(1)
	}
}

// quote begins a string if the string ends on the same line. Otherwise the quotation mark is an ordinary sign.
func (x *lexer) quote(mark byte) {
	begin := x.at
	x.skip(1)
	if x.inside != 0 {
		return
	}
	for i := begin + 1; i < len(x.line); i++ {
		switch x.line[i] {
		case '\\':
			i++
		case mark:
			x.quoted = i
			return
		}
	}
}
