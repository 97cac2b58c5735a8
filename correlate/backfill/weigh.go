package backfill

import (
	"unicode/utf8"

	"github.com/git-trace/git-trace/events"
)

// print is the fingerprint of a line. It covers the words of the line, or its other characters if it has no words.
type print = events.Fingerprint

// Bounds for the ink of a line: its length without white space.
const (
	commonInk = 1  // ink of a line that occurs everywhere
	fewInk    = 3  // a line with less is not evidence
	someInk   = 8  // a line with less is weak evidence
	muchInk   = 16 // a line with this much is evidence alone
)

// weights measure how distinctive lines are. A line that occurs everywhere has no weight.
type weights struct {
	// ink of the lines that sessions wrote; commonInk for a line with only common words
	ink    map[print]uint8
	places map[print]map[int32]bool // paths, up to a bound, at which the history or sessions have the line
	count  map[print]int32          // number of times that the history adds it
}

func newWeights() *weights {
	return &weights{ink: map[print]uint8{}, places: map[print]map[int32]bool{}, count: map[print]int32{}}
}

// Bounds above which a line is common.
const (
	fewPlaces, manyPlaces = 3, 8
	fewTimes, manyTimes   = 6, 24
)

// `write` records that a session wrote a line in a file.
func (w *weights) write(p print, line []byte, place int32) {
	if p.Blank() {
		return
	}
	if _, known := w.ink[p]; !known {
		n := 0
		for i := 0; i < len(line) && n < 255; {
			r, size := utf8.DecodeRune(line[i:])
			if r > ' ' {
				n++
			}
			i += size
		}
		switch {
		case n < fewInk:
			n = 0
		case isCommon(string(line)):
			n = commonInk
		}
		w.ink[p] = uint8(n)
	}
	w.stand(p, place)
}

// stand notes that the history or a session has a line in a file.
func (w *weights) stand(p print, place int32) {
	set := w.places[p]
	if set == nil {
		set = map[int32]bool{}
		w.places[p] = set
	}
	if len(set) <= manyPlaces {
		set[place] = true
	}
}

// `add` notes that the history adds a line at a place. Lines that no session wrote are skipped.
func (w *weights) add(p print, place int32) {
	if _, written := w.ink[p]; written {
		w.count[p]++
		w.stand(p, place)
	}
}

// `of` returns the weight of a line, from 0 to 1.
func (w *weights) of(p print) float64 {
	ink := w.ink[p]
	places, times := len(w.places[p]), w.count[p]
	switch {
	case ink == commonInk && places <= manyPlaces && times <= manyTimes:
		return 0.1
	case ink < fewInk || places > manyPlaces || times > manyTimes:
		return 0
	case ink < someInk:
		return 0.25
	case places > fewPlaces || times > fewTimes:
		return 0.3
	}
	return 1
}

// `speaks` reports whether a line that a session wrote has a distinctive word.
func (w *weights) speaks(p print) bool { return w.ink[p] >= fewInk }

// `alone` reports whether a single line is enough evidence.
func (w *weights) alone(p print) bool {
	return w.ink[p] >= muchInk && len(w.places[p]) <= 1 && w.count[p] <= 2
}
