package rawjson

import (
	"unicode/utf16"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// AppendString writes text as a JSON string: UTF-8 unchanged, with the shortest form of each required escape. Invalid
// UTF-8 becomes U+FFFD.
func AppendString(dst []byte, text string) []byte {
	raw := []byte(text)
	dst = append(dst, '"')
	from := 0
	for i := specialAt(raw, 0); i < len(raw); i = specialAt(raw, i) {
		c := raw[i]
		if c < utf8.RuneSelf {
			if i++; c != 0x7f {
				dst = appendControl(append(dst, raw[from:i-1]...), c)
				from = i
			}
			continue
		}
		for i < len(raw) && raw[i] >= utf8.RuneSelf {
			r, size := utf8.DecodeRune(raw[i:])
			if r == utf8.RuneError && size == 1 {
				dst = append(append(dst, raw[from:i]...), "\uFFFD"...)
				from = i + 1
			}
			i += size
		}
	}
	return append(append(dst, raw[from:]...), '"')
}

// appendControl writes the escape of an ASCII character.
func appendControl(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\t':
		return append(dst, '\\', 't')
	case '\r':
		return append(dst, '\\', 'r')
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xf])
}

// appendASCII writes text as a JSON string and escapes everything except printable ASCII.
func appendASCII(dst []byte, text string) []byte {
	dst = append(dst, '"')
	from := 0
	for i, r := range text {
		if ' ' <= r && r <= '~' && r != '"' && r != '\\' {
			continue
		}
		dst = append(dst, text[from:i]...)
		switch {
		case r < utf8.RuneSelf:
			dst = appendControl(dst, byte(r))
			from = i + 1
		case r < 0x10000:
			dst = appendUnit(dst, r)
			_, size := utf8.DecodeRuneInString(text[i:]) // 1 for a byte that is not UTF-8
			from = i + size
		default:
			high, low := utf16.EncodeRune(r)
			dst = appendUnit(appendUnit(dst, high), low)
			from = i + 4
		}
	}
	return append(append(dst, text[from:]...), '"')
}

func appendUnit(dst []byte, unit rune) []byte {
	return append(dst, '\\', 'u', hexDigits[unit>>12&0xf], hexDigits[unit>>8&0xf], hexDigits[unit>>4&0xf],
		hexDigits[unit&0xf])
}
