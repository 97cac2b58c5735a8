package rawjson

import (
	"encoding/binary"
	mathbits "math/bits"
)

// Strings are scanned eight bytes at a time. These words repeat one byte.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// `below` sets the high bit of each byte of a word that is less than `bound`, which is at most 0x80. Above the first
// such byte, other high bits may be set too.
func below(word uint64, bound byte) uint64 { return (word - ones*uint64(bound)) &^ word & highs }

func equal(word uint64, c byte) uint64 { return below(word^ones*uint64(c), 1) }

// `marked` returns the index of the first byte in a word whose high bit is set.
func marked(word uint64) int { return mathbits.TrailingZeros64(word) / 8 }

// escapeAt returns the position of the first backslash, or the length of the text if there is none.
func escapeAt(text []byte, at int) int {
	for ; at+8 <= len(text); at += 8 {
		if found := equal(binary.LittleEndian.Uint64(text[at:]), '\\'); found != 0 {
			return at + marked(found)
		}
	}
	for at < len(text) && text[at] != '\\' {
		at++
	}
	return at
}

// specialAt returns the position of the first byte that must be escaped in an ASCII-only JSON string: a quote, a
// backslash, a control character, DEL, or a byte outside ASCII. If there is none, it returns the length of the text.
func specialAt(text []byte, at int) int {
	for ; at+8 <= len(text); at += 8 {
		word := binary.LittleEndian.Uint64(text[at:])
		if found := below(word, ' ') | equal(word, '"') | equal(word, '\\') | equal(word, 0x7f) | word&highs; found != 0 {
			return at + marked(found)
		}
	}
	for at < len(text) && ' ' <= text[at] && text[at] < 0x7f && text[at] != '"' && text[at] != '\\' {
		at++
	}
	return at
}
