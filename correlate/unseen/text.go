package unseen

import (
	"unicode"
	"unicode/utf8"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/index"
)

// The number of letters and digits that lines need to be evidence.
const (
	minSpecific = 12 // a line, or lines in a row, in the file that a patch was about
	minMoved    = 40 // lines in a row in another file,
	minRow      = 3  // and so many of them
)

// maxMentions bounds the events that are read for one content, change or line. A line that more patches wrote is
// common.
const maxMentions = 64

// latest returns the last elements of a list, newest first.
func latest(list []index.Mention, most int) []index.Mention {
	var out []index.Mention
	for i := len(list) - 1; i >= 0 && len(out) < most; i-- {
		out = append(out, list[i])
	}
	return out
}

// letters counts the letters and digits of a line.
func letters(line []byte) int {
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

// tells reports whether a line is long enough to be evidence.
func tells(line []byte) bool { return letters(line) >= minSpecific }

func lettersIn(lines [][]byte) int {
	n := 0
	for _, l := range lines {
		n += letters(l)
	}
	return n
}

// data decodes the data of an event; false if it is invalid.
func data[T any](e *events.Event) (T, bool) {
	var d T
	err := events.ReadData(e.Data, &d)
	return d, err == nil
}
