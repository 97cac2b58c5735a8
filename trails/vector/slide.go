package vector

import (
	"bytes"

	"github.com/git-trace/git-trace/trails/linediff"
)

// A range of added or deleted lines can slide. A range that is one line further down is equally correct if the line
// that leaves the range equals the line that enters it. The same is true for a range further up. An example: after a,
// b, a, b, the added lines may be the last two, or the two in the middle.

// slideRoom returns the limits between which a range can slide, within `limit`.
func slideRoom(lines [][]byte, r, limit linediff.Range) linediff.Range {
	room := r
	for up := r.End; room.Start > limit.Start && bytes.Equal(lines[room.Start-1], lines[up-1]); up-- {
		room.Start--
	}
	for down := r.Start; room.End < limit.End && bytes.Equal(lines[room.End], lines[down]); down++ {
		room.End++
	}
	return room
}

// bestSlide returns the place in `room` at which a range has the greatest value. If several are equal, it returns the
// nearest to the present place, then the upper one.
func bestSlide(r, room linediff.Range, value func(linediff.Range) int) linediff.Range {
	best, most := r, value(r)
	for distance := 1; r.Start-distance >= room.Start || r.End+distance <= room.End; distance++ {
		for _, at := range []linediff.Range{
			{Start: r.Start - distance, End: r.End - distance},
			{Start: r.Start + distance, End: r.End + distance},
		} {
			if at.Start < room.Start || at.End > room.End {
				continue
			}
			if v := value(at); v > most {
				best, most = at, v
			}
		}
	}
	return best
}
