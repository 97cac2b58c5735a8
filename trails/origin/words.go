package origin

import "strings"

// maxParts limits the number of lines into which a line is wrapped.
const maxParts = 4

// words holds lines without white space and without the signs that a formatter changes.
type words struct {
	text string
	ends []int // line i is text[ends[i]:ends[i+1]]
}

func wordsIn(lines [][]byte) words {
	size := 0
	for _, line := range lines {
		size += len(line)
	}
	var text strings.Builder
	text.Grow(size)
	w := words{ends: make([]int, 1, len(lines)+1)}
	for _, line := range lines {
		for _, c := range line {
			if strings.IndexByte(" \t\r\n\v\f,;()[]{}'\"`", c) < 0 {
				text.WriteByte(c)
			}
		}
		w.ends = append(w.ends, text.Len())
	}
	w.text = text.String()
	return w
}

// row returns the words of n consecutive lines; none if one of them has no words.
func (w words) row(line, n int) string {
	if line+n >= len(w.ends) {
		return ""
	}
	for k := line; k < line+n; k++ {
		if w.ends[k] == w.ends[k+1] {
			return ""
		}
	}
	return w.text[w.ends[line]:w.ends[line+n]]
}
