package redact

import (
	"bytes"
	"context"
	"unicode/utf8"
)

// The least lengths of words that are decoded: for base64, and for hexadecimal digits, which are also common in ids.
const (
	leastBase64 = 16
	leastHex    = 32
)

// stretch is a part of an encoded word that decodes to text.
type stretch struct {
	plain      string
	start, end int
}

// inWords finds words in base64 or hexadecimal digits that contain secrets. The whole encoded word is removed. The
// parameter `tokens` holds the candidates, because token letters include the letters of both encodings.
func (r *Redactor) inWords(ctx context.Context, text string, tokens [][2]int, m manner, layer int) ([]span, error) {
	var found []span
	for _, e := range [...]struct {
		least   int
		letter  *[256]bool
		stretch func(string) []stretch
	}{{leastBase64, &r.base64, debase64}, {leastHex, &r.hex, dehex}} {
		for _, t := range tokens {
			token := text[t[0]:t[1]]
			for from := 0; ; {
				start, end := nextRun(token, from, e.least, e.letter)
				if start < 0 {
					break
				}
				for _, s := range e.stretch(token[start:end]) {
					list, err := r.secrets(ctx, s.plain, m, layer+1)
					if err != nil {
						return nil, err
					}
					if len(list) > 0 {
						found = append(found, span{start: t[0] + start + s.start, end: t[0] + start + s.end, rule: list[0].rule})
					}
				}
				from = end
			}
		}
	}
	return found, nil
}

// nextRun returns the next run of letters that has at least the given length; -1 if there is none. It tests only every
// `least`-th byte until it finds a letter.
func nextRun(text string, from, least int, letter *[256]bool) (start, end int) {
	for at := from + least - 1; at < len(text); {
		if !letter[text[at]] {
			at += least
			continue
		}
		for start = at; start > from && letter[text[start-1]]; {
			start--
		}
		for end = at + 1; end < len(text) && letter[text[end]]; {
			end++
		}
		if end-start >= least {
			return start, end
		}
		from, at = end, end+least
	}
	return -1, -1
}

func base64Byte(c byte) bool { return tokenByte(c) && c != '=' }

func isHex(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f' }

// debase64 returns the parts of a run of base64 letters, of either alphabet, that decode to text. A run may begin in
// the middle of a word, so each of the four alignments is tried.
func debase64(run string) []stretch {
	var out []stretch
	var room [512]byte
	data := room[:0]
	if len(run) > len(room) {
		data = make([]byte, 0, len(run))
	}
	for skip := range min(4, len(run)) {
		data = data[:0]
		bits, n := uint32(0), 0
		i := skip
		for ; i+4 <= len(run); i += 4 {
			four := run[i : i+4]
			b := uint32(sixBits[four[0]])<<18 | uint32(sixBits[four[1]])<<12 | uint32(sixBits[four[2]])<<6 |
				uint32(sixBits[four[3]])
			data = append(data, byte(b>>16), byte(b>>8), byte(b))
		}
		for ; i < len(run); i++ {
			bits = bits<<6 | uint32(sixBits[run[i]])
			if n += 6; n >= 8 {
				n -= 8
				data = append(data, byte(bits>>n))
			}
		}
		for _, s := range readable(data) {
			s.start, s.end = skip+s.start*4/3, min(len(run), skip+(s.end*4+2)/3)
			out = append(out, s)
		}
	}
	return out
}

// sixBits is the value of each letter of base64; other bytes have the value of the last letter.
var sixBits = func() (values [256]byte) {
	for c := range 256 {
		switch b := byte(c); {
		case 'A' <= b && b <= 'Z':
			values[c] = b - 'A'
		case 'a' <= b && b <= 'z':
			values[c] = b - 'a' + 26
		case '0' <= b && b <= '9':
			values[c] = b - '0' + 52
		case b == '+' || b == '-':
			values[c] = 62
		default:
			values[c] = 63
		}
	}
	return values
}()

// dehex returns the parts of a run of hexadecimal digits that decode to text. A run may begin with the second digit of
// a byte.
func dehex(run string) []stretch {
	var out []stretch
	data := make([]byte, 0, len(run)/2)
	for skip := range 2 {
		data = data[:0]
		for i := skip; i+1 < len(run); i += 2 {
			data = append(data, hexDigit(run[i])<<4|hexDigit(run[i+1]))
		}
		for _, s := range readable(data) {
			s.start, s.end = skip+2*s.start, skip+2*s.end
			out = append(out, s)
		}
	}
	return out
}

func hexDigit(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}

// leastReadable is the least number of characters that count as text.
const leastReadable = 10

// `readable` returns the parts of `data` that are text: UTF-8, or ASCII in UTF-16 of either byte order.
func readable(data []byte) []stretch {
	if !mayRead(data) {
		return nil
	}
	var out []stretch
	for i := 0; i < len(data); {
		start := i
		if i+1 < len(data) && (data[i] == 0) != (data[i+1] == 0) {
			if i += wide(data[i:]); i-start >= 2*leastReadable {
				plain := bytes.ReplaceAll(data[start:i], []byte{0}, nil)
				out = append(out, stretch{string(plain), start, i})
				continue
			}
		}
		for i = start; i < len(data); {
			if c := data[i]; c < utf8.RuneSelf {
				if !textByte(c) {
					break
				}
				i++
				continue
			}
			r, size := utf8.DecodeRune(data[i:])
			if r == utf8.RuneError && size <= 1 {
				break
			}
			i += size
		}
		if i-start >= leastReadable {
			out = append(out, stretch{string(data[start:i]), start, i})
		}
		if i == start {
			i++
		}
	}
	return out
}

// mayRead reports whether `data` may contain a part that is text. It is a quick, weaker test: it only looks for a run
// of bytes of which each can follow the previous one in a text.
func mayRead(data []byte) bool {
	for from := 0; from+leastReadable <= len(data); {
		at := from + leastReadable - 1
		for at > from && follows>>(kindOf[data[at-1]]<<2|kindOf[data[at]])&1 != 0 {
			at--
		}
		if at == from {
			return true
		}
		from = at
	}
	return bytes.IndexByte(data, 0) >= 0 // UTF-16
}

// The kinds of bytes in UTF-8, and the pairs of kinds that may be neighbours.
const (
	noText = iota
	inASCII
	goesOn // a continuation byte
	leads  // the first of several bytes

	follows = 1<<(inASCII<<2|inASCII) | 1<<(inASCII<<2|leads) | 1<<(leads<<2|goesOn) | 1<<(goesOn<<2|goesOn) |
		1<<(goesOn<<2|inASCII) | 1<<(goesOn<<2|leads)
)

var kindOf = func() (kinds [256]uint8) {
	for c := range 256 {
		switch b := byte(c); {
		case b < utf8.RuneSelf && textByte(b):
			kinds[c] = inASCII
		case 0x80 <= b && b < 0xc0:
			kinds[c] = goesOn
		case 0xc2 <= b && b < 0xf5:
			kinds[c] = leads
		}
	}
	return kinds
}()

// `wide` returns the number of bytes at the start of `data` that are ASCII in UTF-16: every second byte is zero.
func wide(data []byte) int {
	if len(data) < 2 || (data[0] == 0) == (data[1] == 0) {
		return 0
	}
	zero := 0
	if data[1] == 0 {
		zero = 1
	}
	n := 0
	for n < len(data) && (n%2 == zero) == (data[n] == 0) && (data[n] == 0 || textByte(data[n])) {
		n++
	}
	return n
}

// textByte reports whether an ASCII character is usual in texts.
func textByte(c byte) bool {
	return c >= ' ' && c < 0x7f || c == '\n' || c == '\t' || c == '\r' || c == escapeByte
}
