package correlate

import (
	"unicode"
	"unicode/utf8"
)

// The numbers of letters and digits that make lines evidence if only their text is known.
const (
	MinSpecific = 12 // letters and digits of a line, or of lines in a row, in a file of the same name
	MinMoved    = 40 // letters and digits of lines in a row in another file
	MinRow      = 3  // number of lines that such a row needs
)

// Letters counts the letters and digits of a line.
func Letters(line []byte) int {
	n := 0
	for len(line) > 0 {
		r, size := utf8.DecodeRune(line)
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
		line = line[size:]
	}
	return n
}

// LettersIn counts the letters and digits of several lines.
func LettersIn(lines [][]byte) int {
	n := 0
	for _, line := range lines {
		n += Letters(line)
	}
	return n
}
