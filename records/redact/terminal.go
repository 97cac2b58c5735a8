package redact

import "strings"

// `shown` returns a text as a terminal shows it: without terminal sequences (as for colours), the zero bytes of UTF-16,
// invisible characters and deleted characters. The result `changed` is false if the text has no such bytes. The result
// `glued` is true if a sequence separated two words that are now joined.
func (s *marks) shown() (v reading, changed, glued bool) {
	if !s.unseen {
		return v, false, false
	}
	text := s.text
	v = newReading(len(text))
	for i := 0; i < len(text); {
		size := unseen(text[i:])
		if size == 0 {
			v.add(text[i], i, i+1)
			i++
			continue
		}
		changed = true
		if text[i] == '\b' {
			v.drop()
		} else if text[i] == escapeByte && len(v.text) > 0 && tokenByte(v.text[len(v.text)-1]) && i+size < len(text) &&
			tokenByte(text[i+size]) {
			glued = true
		}
		i += size
	}
	return v, changed, glued
}

// shownApart does the same as shown, but puts a space in place of each sequence.
func shownApart(text string) reading {
	v := newReading(len(text))
	for i := 0; i < len(text); {
		size := unseen(text[i:])
		if size == 0 {
			v.add(text[i], i, i+1)
			i++
			continue
		}
		if text[i] == escapeByte {
			v.add(' ', i, i+size)
		}
		i += size
	}
	return v
}

// hasUnseen reports whether a text may have invisible bytes, so that most texts need no reading.
func hasUnseen(text string) bool {
	for _, mark := range [...]string{"\x1b", "\x00", "\b", "^[[", "^@", "\u200b", "\u200c", "\u200d", "\u2060", "\ufeff",
		"\u00ad"} {
		if strings.Contains(text, mark) {
			return true
		}
	}
	return false
}

// `unseen` returns the length of the invisible bytes at the start of a text; 0 if there are none.
func unseen(text string) int {
	switch text[0] {
	case escapeByte:
		return sequence(text, 1)
	case 0, '\b':
		return 1
	case '^': // as cat -v prints it
		if strings.HasPrefix(text, "^[[") {
			return sequence(text, 2)
		}
		if strings.HasPrefix(text, "^@") {
			return 2
		}
	case 0xc2:
		if strings.HasPrefix(text, "\u00ad") {
			return 2
		}
	case 0xe2:
		if strings.HasPrefix(text, "\u200b") || strings.HasPrefix(text, "\u200c") || strings.HasPrefix(text, "\u200d") ||
			strings.HasPrefix(text, "\u2060") {
			return 3
		}
	case 0xef:
		if strings.HasPrefix(text, "\ufeff") {
			return 3
		}
	}
	return 0
}

// longestSequence limits the length of a terminal sequence, in bytes.
const longestSequence = 1 << 10

// sequence returns the length of a terminal sequence (ECMA-48) whose introducer has the given length.
func sequence(text string, at int) int {
	text = text[:min(len(text), longestSequence)]
	if at == len(text) {
		return at
	}
	switch text[at] {
	case '[':
		for i := at + 1; i < len(text); i++ {
			if c := text[i]; c < 0x20 || c > 0x3f {
				if c >= 0x40 && c < 0x7f {
					i++
				}
				return i
			}
		}
		return len(text)
	case ']', 'P', '_', '^': // up to BEL or ESC \
		if end := strings.IndexAny(text[at:], "\a\x1b\n"); end >= 0 {
			end += at
			switch {
			case text[end] == '\a':
				return end + 1
			case strings.HasPrefix(text[end:], "\x1b\\"):
				return end + 2
			}
		}
		return at + 1
	case '(', ')', '#', '%':
		return min(len(text), at+2)
	}
	if c := text[at]; c >= 0x30 && c < 0x7f {
		return at + 1
	}
	return at
}
