package redact

import (
	"strings"
	"unicode/utf8"
)

// The limits of a word that continues from one line to the next.
const (
	leastPiece  = 4
	leastWord   = 16
	leastValued = 12 // least length of a word with a name
	mostWord    = 16 << 10
)

// leastPlain is the least length of a word of only letters that may be part of a secret.
const leastPlain = 32

// unwrap joins words that a terminal or a mail program has split across lines. The reading contains only these words,
// each on its own line, with the text before it. unwrap removes a backslash at the end of a line, a quote around a
// piece, and the margin of each line: spaces, line numbers, the sign of a diff.
func (r *Redactor) unwrap(v *reading, text string) {
	v.reset(0)
	for at := 0; ; {
		nl := strings.IndexByte(text[at:], '\n')
		if nl < 0 {
			return
		}
		nl += at
		if at = nl + 1; nl == 0 || !endsPiece(text[nl-1]) {
			continue
		}
		if goesOn := joinedLines(v, &r.word, text, nl); goesOn > 0 {
			at = goesOn
		}
	}
}

// endsPiece reports whether a line may end with this byte after a piece: a byte of the piece, or one that lastPiece
// removes.
func endsPiece(c byte) bool {
	return pieceByte(c) || c >= utf8.RuneSelf || strings.IndexByte("\r \\\"'|", c) >= 0
}

// maxPrefixes is the number of shorter forms of a joined word that are added.
const maxPrefixes = 3

// joinedLines adds the word that continues after the line feed at `nl`. It adds several forms, because the real end is
// unknown: up to each of the first pieces, without the last piece, and with all pieces. It returns the end of the last
// piece, or 0 if there is no such word.
func joinedLines(v, word *reading, text string, nl int) int {
	start, end := lastPiece(text, nl)
	if end == start || end-start < leastPiece && contextOf(text, max(0, start-8), start) == start {
		return 0
	}
	line := lineStart(text, start)
	sign := signOf(text, line)
	if start == line && sign != 0 {
		start++
	}
	quoted := quotes(text[end:nl])
	goesOn := func(at int) (from, to int, ok bool) {
		from, to = firstPiece(text, at+1, sign)
		return from, to, to > from && !begins(text, from, to) && quoted == quotes(text[at:from])
	}
	if _, _, ok := goesOn(nl); !ok {
		return 0
	}
	word.reset(0)
	context := contextOf(text, line, start)
	word.piece(text, context, end)
	at, before := nl, 0
	for pieces := 1; at < len(text) && text[at] == '\n' && len(word.text) < mostWord; pieces++ {
		from, to, ok := goesOn(at)
		if !ok {
			break
		}
		before = len(word.text)
		word.piece(text, from, to)
		if pieces <= maxPrefixes {
			v.line(word, start-context, len(word.text), closed(text, to))
		}
		if at = to; !wholeLine(text, to) {
			break
		}
		at += strings.IndexByte(text[at:], '\n')
	}
	if at == nl {
		return 0
	}
	v.line(word, start-context, before, false)
	v.line(word, start-context, len(word.text), closed(text, at))
	return at
}

// line adds the first n bytes of a word as a line. It adds nothing if the text after the context is too short or cannot
// be part of a secret.
func (v *reading) line(word *reading, context, n int, quote bool) {
	length := n - context
	if length < leastWord && (context == 0 || length < leastValued) || context == 0 && length < leastPlain &&
		!mixed(word.text[context:n]) {
		return
	}
	v.head(word, n)
	_, end := word.madeOf(n - 1)
	if quote {
		v.add('"', end, end)
	}
	v.add('\n', end, end)
}

// `mixed` reports whether a word has digits or signs, and not only letters.
func mixed(word []byte) bool {
	for _, c := range word {
		if '0' <= c && c <= '9' || c == '_' || c == '-' || c == '+' {
			return true
		}
	}
	return false
}

// mostContext limits the text before a word that is read with it, because a rule may need a name there.
const mostContext = 80

// contextOf returns the start of the text that is read with a word: the start of the name before it, or of the word if
// it has no name.
func contextOf(text string, line, start int) int {
	before := strings.TrimRight(text[max(line, start-6):start], " \"'`")
	if before != "" && strings.IndexByte("=:>,", before[len(before)-1]) >= 0 {
		return max(line, start-mostContext)
	}
	return start
}

// `closed` reports whether a quote follows the word.
func closed(text string, at int) bool { return at < len(text) && isQuote(text[at]) }

func lineStart(text string, at int) int {
	from := max(0, at-mostWord)
	return from + strings.LastIndexByte(text[from:at], '\n') + 1
}

// signOf returns the diff sign at the start of a line; 0 if there is none.
func signOf(text string, line int) byte {
	if line < len(text) && (text[line] == '+' || text[line] == '-') {
		return text[line]
	}
	return 0
}

// `begins` reports whether a piece is the start of something else: a name with a value.
func begins(text string, from, to int) bool {
	if to < len(text) && (text[to] == ':' || text[to] == '(') {
		return true
	}
	return strings.Contains(strings.TrimRight(text[from:to], "="), "=")
}

// `quotes` reports whether a text contains a quote: a quoted text that ends at a line end may continue in another
// quote.
func quotes(text string) bool { return strings.ContainsAny(text, `"'`) }

// border is the character for the sides of boxes.
const border = "│"

// lastPiece returns the position of the last word of a line.
func lastPiece(text string, nl int) (start, end int) {
	least := max(0, nl-mostWord)
	for end = nl; end > least && fillsLine[text[end-1]] || strings.HasSuffix(text[least:end], border); {
		if end--; !fillsLine[text[end]] {
			end -= len(border) - 1
		}
	}
	start = end
	for start > 0 && pieceByte(text[start-1]) && end-start < mostWord {
		start--
	}
	return start, end
}

// fillsLine has the bytes, besides border, that may be between a word and the end of its line.
var fillsLine = [256]bool{'\r': true, ' ': true, '\\': true, '"': true, '\'': true, '+': true, '|': true}

// firstPiece returns the position of the first word of a line, after the sign and the line number.
func firstPiece(text string, at int, sign byte) (start, end int) {
	if sign != 0 && at < len(text) && text[at] == sign {
		at++
	}
	at = gutter(text, at)
	for at < len(text) {
		sign := 0
		if strings.IndexByte(" \t\"'|>", text[at]) >= 0 {
			sign = 1
		} else if strings.HasPrefix(text[at:], border) {
			sign = len(border)
		}
		if sign == 0 {
			break
		}
		at += sign
	}
	end = at
	for end < len(text) && pieceByte(text[end]) {
		end++
	}
	return at, end
}

// gutter returns the position after a line number, as cat -n, grep -n and agents' tools print it.
func gutter(text string, at int) int {
	i := at
	for i < len(text) && text[i] == ' ' {
		i++
	}
	digits := i
	for i < len(text) && '0' <= text[i] && text[i] <= '9' {
		i++
	}
	if i == digits || i-digits > 7 {
		return at
	}
	for _, mark := range [...]string{"\t", "→", border, " " + border, " |", ":\t", ": "} {
		if strings.HasPrefix(text[i:], mark) {
			return i + len(mark)
		}
	}
	return at
}

// wholeLine reports whether nothing but padding follows on the line, so that the word may continue.
func wholeLine(text string, at int) bool {
	rest := strings.TrimLeft(text[at:min(len(text), at+longestPad)], "\r \\\"'+|"+border)
	return strings.HasPrefix(rest, "\n")
}

// longestPad limits the padding of a line up to its border, in bytes.
const longestPad = 256

func pieceByte(c byte) bool { return tokenByte(c) || c == '.' || c == '~' }
