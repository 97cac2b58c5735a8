package redact

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strings"
	"unicode/utf8"
)

// maxLayers is how many encodings around each other are looked behind.
const maxLayers = 3

// reading is a text in which an encoding was resolved, with the place in the text it was made of for each of its bytes
// and for its end.
type reading struct {
	text []byte
	from []int32
}

func (v *reading) add(c byte, from int) {
	v.text = append(v.text, c)
	v.from = append(v.from, int32(from))
}

// secrets finds the secrets of a text, as it stands and in its encodings; layer counts the encodings around it. Escapes and
// percent-encoding change nothing of a text without them, so the rules of the finder are tried once, behind them.
func (r *Redactor) secrets(ctx context.Context, text string, layer int) ([]span, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	found := r.plain(text)
	if v, changed := resolve(text); changed && layer < maxLayers {
		list, err := r.secrets(ctx, string(v.text), layer+1)
		if err != nil {
			return nil, err
		}
		return append(found, v.back(text, list)...), nil
	}
	list, err := r.find(ctx, text)
	if err != nil {
		return nil, err
	}
	found = append(found, list...)
	if layer >= maxLayers {
		return found, nil
	}
	if v := unwrap(text); len(v.text) > 0 {
		list, err := r.find(ctx, string(v.text))
		if err != nil {
			return nil, err
		}
		found = append(found, v.back(text, append(list, r.rules.find(string(v.text))...))...)
		if list, err = r.inWords(ctx, string(v.text), layer); err != nil {
			return nil, err
		}
		found = append(found, v.back(text, list)...)
	}
	list, err = r.inWords(ctx, text, layer)
	return append(found, list...), err
}

// back gives the places in the text that a reading was made of.
func (v *reading) back(text string, list []span) []span {
	out := make([]span, 0, len(list))
	for _, s := range list {
		start, end := int(v.from[s.start]), int(v.from[s.end-1])+1
		if s.end < len(v.from) {
			end = max(end, endOf(text, end-1, int(v.from[s.end])))
		} else if c := text[end-1]; c == '\\' || c == '%' {
			end = len(text)
		}
		out = append(out, span{start: start, end: end, rule: s.rule, whole: end-start == s.end-s.start && s.whole})
	}
	return out
}

// endOf is where the last byte of a finding ends: after its escape, which is longer than a byte, but before what was
// dropped between it and the next byte.
func endOf(text string, last, next int) int {
	switch text[last] {
	case '\\', '%':
		return next
	}
	return last + 1
}

// resolve resolves the escapes of JSON and C strings and percent-encoding.
func resolve(text string) (v reading, changed bool) {
	if strings.IndexByte(text, '\\') < 0 && strings.IndexByte(text, '%') < 0 {
		return v, false
	}
	v = reading{text: make([]byte, 0, len(text)), from: make([]int32, 0, len(text))}
	for i := 0; i < len(text); {
		c, size := text[i], 1
		switch {
		case c == '\\' && i+1 < len(text):
			c, size = escaped(text[i:])
		case c == '%' && i+2 < len(text):
			if value, ok := unhex(text[i+1 : i+3]); ok && value < utf8.RuneSelf {
				c, size = byte(value), 3
			}
		}
		changed = changed || size > 1
		v.add(c, i)
		i += size
	}
	return v, changed
}

// escaped gives the byte that an escape stands for and the escape's length. What is not ASCII becomes a space: no secret
// holds it.
func escaped(text string) (byte, int) {
	switch c := text[1]; c {
	case 'n':
		return '\n', 2
	case 't':
		return '\t', 2
	case 'r':
		return '\r', 2
	case 'u', 'x':
		digits := 4
		if c == 'x' {
			digits = 2
		}
		if len(text) >= 2+digits {
			if value, ok := unhex(text[2 : 2+digits]); ok {
				if value >= utf8.RuneSelf {
					return ' ', 2 + digits
				}
				return byte(value), 2 + digits
			}
		}
		return c, 2
	default:
		return c, 2
	}
}

func unhex(digits string) (int, bool) {
	value := 0
	for i := range len(digits) {
		switch c := digits[i]; {
		case '0' <= c && c <= '9':
			value = value<<4 | int(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			value = value<<4 | int(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return value, true
}

// Bounds of a word that is put together of the end of a line and the beginning of the next.
const (
	leastPiece = 4
	leastWord  = 16
	mostWord   = 16 << 10
)

// unwrap puts words together that were cut by line feeds, as a terminal or a mail cuts them: only these, one a line. A
// backslash at the end of a line, a quote around a piece and the spaces before one are left out.
func unwrap(text string) reading {
	var v reading
	for at := 0; ; {
		nl := strings.IndexByte(text[at:], '\n')
		if nl < 0 {
			return v
		}
		nl += at
		if at = joined(&v, text, nl); at == 0 {
			at = nl + 1
		}
	}
}

// maxPrefixes is how often a word is added while it grows.
const maxPrefixes = 3

// joined adds the word that goes on over the line feed at nl: as it is after each of the first pieces, without its last
// piece, and as a whole, since nothing tells where it really ends. It gives where the last piece ends, 0 when there is no
// such word.
func joined(v *reading, text string, nl int) int {
	start, end := lastPiece(text, nl)
	if end-start < leastPiece {
		return 0
	}
	var word reading
	word.piece(text, start, end)
	at, before := nl, 0
	for pieces := 1; at < len(text) && text[at] == '\n' && len(word.text) < mostWord; pieces++ {
		from, to := firstPiece(text, at+1)
		if to == from {
			break
		}
		before = len(word.text)
		word.piece(text, from, to)
		if pieces <= maxPrefixes {
			v.line(word, len(word.text))
		}
		if at = to; !wholeLine(text, to) {
			break
		}
		at += strings.IndexByte(text[at:], '\n')
	}
	if at == nl {
		return 0
	}
	v.line(word, before)
	v.line(word, len(word.text))
	return at
}

// piece adds a part of a text.
func (v *reading) piece(text string, start, end int) {
	for i := start; i < end; i++ {
		v.add(text[i], i)
	}
}

// line adds the first n bytes of a word as a line, unless they are too few.
func (v *reading) line(word reading, n int) {
	if n < leastWord {
		return
	}
	v.text = append(append(v.text, word.text[:n]...), '\n')
	v.from = append(append(v.from, word.from[:n]...), word.from[n-1])
}

// lastPiece is the word that a line ends with.
func lastPiece(text string, nl int) (start, end int) {
	end = nl
	for end > 0 && (text[end-1] == '\r' || text[end-1] == ' ' || text[end-1] == '\\' || text[end-1] == '"' || text[end-1] == '\'' || text[end-1] == '+') {
		end--
	}
	start = end
	for start > 0 && pieceByte(text[start-1]) && end-start < mostWord {
		start--
	}
	return start, end
}

// firstPiece is the word that a line begins with.
func firstPiece(text string, at int) (start, end int) {
	for at < len(text) && (text[at] == ' ' || text[at] == '\t' || text[at] == '"' || text[at] == '\'' || text[at] == '|' || text[at] == '>') {
		at++
	}
	end = at
	for end < len(text) && pieceByte(text[end]) {
		end++
	}
	return at, end
}

// wholeLine tells whether nothing but the end of the line follows, so that the word may go on.
func wholeLine(text string, at int) bool {
	rest := strings.TrimLeft(text[at:min(len(text), at+8)], "\r \\\"'+")
	return strings.HasPrefix(rest, "\n")
}

func pieceByte(c byte) bool { return tokenByte(c) || c == '.' || c == '~' }

// encoding is a way to write a text as one word.
type encoding struct {
	least  int // length from which on a word is decoded
	letter func(byte) bool
	decode func(word string) (plain string, length int) // how much of the word is text; 0 when it holds none
}

// encodings are those that are looked behind.
func encodings() []encoding {
	return []encoding{{leastBase64, tokenByte, debase64}, {leastHex, isHex, dehex}}
}

// inWords finds words that are encoded and hold secrets. Such a word goes as a whole.
func (r *Redactor) inWords(ctx context.Context, text string, layer int) ([]span, error) {
	var found []span
	for _, e := range encodings() {
		for i := 0; i < len(text); i++ {
			start := i
			for i < len(text) && e.letter(text[i]) {
				i++
			}
			if i-start < e.least {
				continue
			}
			plain, length := e.decode(text[start:i])
			if length == 0 {
				continue
			}
			list, err := r.secrets(ctx, plain, layer+1)
			if err != nil {
				return nil, err
			}
			if len(list) > 0 {
				found = append(found, span{start: start, end: start + length, rule: list[0].rule})
			}
		}
	}
	return found, nil
}

// Lengths from which on words are decoded: of base64, and of hexadecimal digits, which ids are made of too.
const (
	leastBase64 = 20
	leastHex    = 32
)

func isHex(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f' }

// dehex decodes a run of hexadecimal digits as far as it holds text. A run may begin with half a byte.
func dehex(run string) (plain string, length int) {
	for skip := range 2 {
		decoded, err := hex.DecodeString(run[skip : skip+(len(run)-skip)/2*2])
		if err != nil {
			continue
		}
		if n := readable(decoded); n >= leastSeen {
			return string(decoded[:n]), skip + 2*n
		}
	}
	return "", 0
}

// debase64 decodes a run of base64 in either alphabet as far as it holds text, and tells how much of the run that is; 0
// when it holds none. A run may begin in the middle of a word: the four ways to begin are tried.
func debase64(run string) (plain string, length int) {
	body := strings.TrimRight(run, "=")
	encoding := base64.RawStdEncoding
	if strings.ContainsAny(body, "-_") {
		encoding = base64.RawURLEncoding
	}
	for skip := range 4 {
		part := body[min(skip, len(body)):]
		if len(part)%4 == 1 {
			part = part[:len(part)-1]
		}
		end := len(run)
		decoded, err := encoding.DecodeString(part)
		var corrupt base64.CorruptInputError
		if errors.As(err, &corrupt) { // padding in the middle, or the other alphabet: the run ends there
			end = skip + int(corrupt)
			decoded, err = encoding.DecodeString(strings.TrimRight(part[:corrupt], "="))
		}
		if err != nil {
			continue
		}
		switch n := readable(decoded); {
		case n < leastSeen:
		case n == len(decoded):
			return string(decoded), end
		default:
			return string(decoded[:n]), min(len(run), skip+(n*4+2)/3)
		}
	}
	return "", 0
}

// readable is how many bytes from the beginning on are text.
func readable(data []byte) int {
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size <= 1 || r < ' ' && r != '\n' && r != '\t' && r != '\r' || r == 0x7f {
			return i
		}
		i += size
	}
	return len(data)
}
