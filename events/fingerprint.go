package events

import (
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/zeebo/blake3"
)

// FingerprintChars is the length of one line's fingerprint as stored.
const FingerprintChars = 8

// Fingerprint identifies the content of one line without its white space: the first 48 bits of the BLAKE3 of the line
// without Unicode white space. A blank line has the zero fingerprint, which matches nothing. Forty-eight bits
// distinguish the lines of a repository. They are one evidence among others, and never a proof alone.
type Fingerprint [6]byte

// FingerprintOf computes the fingerprint of a line, with or without its line ending.
func FingerprintOf(line []byte) Fingerprint {
	var room [512]byte
	return printOf(appendInk(room[:0], line))
}

// printOf returns the fingerprint of a line without its white space.
func printOf(ink []byte) Fingerprint {
	var f Fingerprint
	if len(ink) > 0 {
		sum := blake3.Sum256(ink)
		copy(f[:], sum[:])
	}
	return f
}

// Blank reports whether the line was empty or had only white space.
func (f Fingerprint) Blank() bool { return f == Fingerprint{} }

// appendInk appends a line without its white space. Bytes that are not UTF-8 count as ink.
func appendInk(dst, line []byte) []byte {
	dst = slices.Grow(dst, len(line))
	room, n := dst[len(dst):len(dst)+len(line)], 0
	for i := 0; i < len(line); {
		c := line[i]
		if c < utf8.RuneSelf {
			if c != ' ' && (c < '\t' || c > '\r') {
				room[n] = c
				n++
			}
			i++
			continue
		}
		r, size := utf8.DecodeRune(line[i:])
		if !unicode.IsSpace(r) {
			n += copy(room[n:], line[i:i+size])
		}
		i += size
	}
	return dst[:len(dst)+n]
}

// EncodeFingerprints writes FingerprintChars base64url characters a line.
func EncodeFingerprints(lines []Fingerprint) string {
	out := make([]byte, 0, len(lines)*FingerprintChars)
	for i := range lines {
		out = base64.RawURLEncoding.AppendEncode(out, lines[i][:])
	}
	return string(out)
}

// DecodeFingerprints is the reverse of EncodeFingerprints.
func DecodeFingerprints(text string) ([]Fingerprint, error) {
	if len(text)%FingerprintChars != 0 {
		return nil, errors.New("decode fingerprints: length is not a multiple of 8")
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("decode fingerprints: %w", err)
	}
	if len(raw)*4 != len(text)*3 {
		return nil, errors.New("decode fingerprints: line break in the text")
	}
	lines := make([]Fingerprint, len(text)/FingerprintChars)
	for i := range lines {
		copy(lines[i][:], raw[i*len(lines[i]):])
	}
	return lines, nil
}
