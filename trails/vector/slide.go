package vector

import (
	"bytes"

	"github.com/git-trace/git-trace/trails/linediff"
)

// A range of lines that were added or deleted can slide. It is as true one line further down if the line left equals
// the line taken, and likewise up. An example: after a, b, a, b, the last two lines may be the added ones, or the two
// in the middle.

// slideRoom returns the limits between which a range can slide, inside limit.
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

// bestSlide finds the place in its room that gives a range the greatest value: among equals the nearest to the present
// place, then the upper one.
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
