package vector

import (
	"github.com/git-trace/git-trace/trails/linediff"
)

// AlignAdded gives the owners of the lines that git says were added, in git's line numbers.
//
// git and the vector can disagree about which of several equal lines is the added one. Take a file to which an agent
// added the function g:
//
//	1  func f() {     person
//	2  }              person
//	3                 agent      git: added
//	4  func g() {     agent      git: added
//	5  }              agent      git: added
//
// With other text around it, git may as well report lines 2–4: taking away "}", "", "func g() {" from there gives the
// same file. Read literally, the vector would then own one added line to the person, and the agent would own line 5,
// which git calls old. Therefore each added range is slid, up and down as far as its boundary lines are equal and no
// other range is met, to where it covers the most lines whose owner isNew; of equals the nearest to git's. Each of
// git's lines then takes the owner of the equal line of that range: lines 2, 3, 4 those of 5, 3, 4.
//
// Lines of the range whose owner is not new keep it: they were moved, or changed in white space only. Added must be in
// order and must not overlap; what lies outside the lines is cut off.
func AlignAdded(lines [][]byte, added []linediff.Range, v Vector, isNew func(Owner) bool) []Run {
	var runs []Run
	before := linediff.Range{}
	for i, r := range added {
		r = clip(r, linediff.Range{Start: before.End, End: len(lines)})
		limit := linediff.Range{Start: before.End, End: len(lines)}
		if i+1 < len(added) {
			limit.End = max(r.End, min(len(lines), added[i+1].Start))
		}
		before = r
		if r.Len() == 0 {
			continue
		}
		var b Builder
		for _, line := range rotation(lines, r, limit, v, isNew) {
			b.Add(v.At(line), 1)
		}
		for _, run := range b.runs {
			runs = append(runs, Run{r.Start + run.Start, run.Count, run.Owner})
		}
	}
	return runs
}

// rotation lists, for each line of an added range, the line of the best range that stands for it.
func rotation(lines [][]byte, r, limit linediff.Range, v Vector, isNew func(Owner) bool) []int {
	room := slideRoom(lines, r, limit)
	fresh := make([]int, room.Len()+1) // how many lines of the room before each one have a new owner
	for i := range room.Len() {
		fresh[i+1] = fresh[i]
		if isNew(v.At(room.Start + i)) {
			fresh[i+1]++
		}
	}
	best := bestSlide(r, room, func(at linediff.Range) int {
		return fresh[at.End-room.Start] - fresh[at.Start-room.Start]
	})
	stand := make([]int, r.Len())
	for i := range stand {
		// In the room, a line equals every line that is a whole number of range lengths away.
		turn := (r.Start + i - best.Start) % r.Len()
		if turn < 0 {
			turn += r.Len()
		}
		stand[i] = best.Start + turn
	}
	return stand
}

func clip(r, limit linediff.Range) linediff.Range {
	r.Start = min(max(r.Start, limit.Start), limit.End)
	r.End = min(max(r.End, r.Start), limit.End)
	return r
}
