package patch

import (
	"unicode/utf8"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// Piece is a part of a line.
type Piece struct {
	Text    string
	Changed bool
}

const (
	longestLine = 1000 // length in characters; longer lines are shown without marked words
	leastAlike  = 0.4  // share of common characters; texts with less count as different lines
)

// Words splits the two forms of a line into common and changed pieces. Lines with too little in common are one piece
// each.
func Words(before, after string) [2][]Piece {
	whole := [2][]Piece{{{Text: before}}, {{Text: after}}}
	most := max(utf8.RuneCountInString(before), utf8.RuneCountInString(after))
	if before == after || most > longestLine || !utf8.ValidString(before) || !utf8.ValidString(after) {
		return whole
	}
	d := diffmatchpatch.New()
	d.DiffTimeout = 0 // no time limit, so that every machine gives the same result
	var out [2][]Piece
	same := 0
	for _, part := range d.DiffCleanupSemantic(d.DiffMain(before, after, false)) {
		switch part.Type {
		case diffmatchpatch.DiffDelete:
			out[0] = append(out[0], Piece{part.Text, true})
		case diffmatchpatch.DiffInsert:
			out[1] = append(out[1], Piece{part.Text, true})
		case diffmatchpatch.DiffEqual:
			same += utf8.RuneCountInString(part.Text)
			out[0], out[1] = append(out[0], Piece{Text: part.Text}), append(out[1], Piece{Text: part.Text})
		}
	}
	if float64(same) < leastAlike*float64(most) {
		return whole
	}
	return out
}
