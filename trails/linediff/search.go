package linediff

import "math"

// The search is the linear-space form of E. Myers, "An O(ND) Difference Algorithm and Its Variations" (1986). It walks
// from both corners of the edit graph at the same time, until both fronts meet. Then it repeats this in the two boxes
// before and after the meeting point. The limits on the cost are git's, so the hunks are equal to git's even if the
// search gives up.
const (
	minCostLimit  = 256 // minimum cost at which a search may give up
	longSnake     = 20  // so many consecutive equal lines are a good meeting point
	snakeMinCost  = 256 // from this cost on, such a run may end the search
	snakeProgress = 4   // … if the distance reached is this many times the cost
)

// box is a part of the edit graph: lines a0 ≤ x < a1 of one sequence and b0 ≤ y < b1 of the other.
type box struct {
	a0, a1, b0, b1 int
}

// meeting is the point that divides a box. The fields before and after say whether the box on each side still needs a
// full search. If the search has walked through a box, that box is known to be cheap.
type meeting struct {
	x, y          int
	before, after bool
}

type search struct {
	a, b         *text
	aLine, bLine []int32
	aIDs, bIDs   []int32
	// forward and backward hold the furthest x reached on each diagonal x-y. The field `zero` is the index of diagonal 0.
	forward, backward []int
	zero              int
	costLimit         int
	capped            bool
}

func newSearch(a, b *text, aSeq, bSeq sequence) *search {
	diagonals := len(aSeq.ids) + len(bSeq.ids) + 3
	return &search{
		a: a, b: b,
		aLine: aSeq.line, bLine: bSeq.line,
		aIDs: aSeq.ids, bIDs: bSeq.ids,
		forward: make([]int, diagonals), backward: make([]int, diagonals),
		zero:      len(bSeq.ids) + 1,
		costLimit: max(roughRoot(diagonals), minCostLimit),
	}
}

// `compare` marks the lines of the box that are not kept. If `full` is set, the cost has no limit.
func (s *search) compare(r box, full bool) {
	for r.a0 < r.a1 && r.b0 < r.b1 && s.aIDs[r.a0] == s.bIDs[r.b0] {
		r.a0++
		r.b0++
	}
	for r.a0 < r.a1 && r.b0 < r.b1 && s.aIDs[r.a1-1] == s.bIDs[r.b1-1] {
		r.a1--
		r.b1--
	}
	if r.a0 == r.a1 || r.b0 == r.b1 {
		for _, line := range s.aLine[r.a0:r.a1] {
			s.a.mark(int(line), true)
		}
		for _, line := range s.bLine[r.b0:r.b1] {
			s.b.mark(int(line), true)
		}
		return
	}
	m := s.meet(r, full)
	s.compare(box{r.a0, m.x, r.b0, m.y}, m.before)
	s.compare(box{m.x, r.a1, m.y, r.b1}, m.after)
}

// front is the range of diagonals that one walk has reached.
type front struct {
	low, high int
}

// widen extends the front by one diagonal on each side. At the border of the box it removes one instead, so that the
// front has every second diagonal. The diagonals just outside get the value `outside`, so the walk needs no check for
// them.
func (f *front) widen(reach []int, zero, lowest, highest, outside int) {
	if f.low > lowest {
		f.low--
		reach[zero+f.low-1] = outside
	} else {
		f.low++
	}
	if f.high < highest {
		f.high++
		reach[zero+f.high+1] = outside
	} else {
		f.high--
	}
}

// meet finds the point that divides a box. Both sides of the box have lines, and its corners do not match.
func (s *search) meet(r box, full bool) meeting {
	lowest, highest := r.a0-r.b1, r.a1-r.b0
	ahead := front{r.a0 - r.b0, r.a0 - r.b0}
	astern := front{r.a1 - r.b1, r.a1 - r.b1}
	odd := (ahead.low-astern.low)%2 != 0
	zero := s.zero
	s.forward[zero+ahead.low] = r.a0
	s.backward[zero+astern.low] = r.a1

	for cost := 1; ; cost++ {
		found := false

		ahead.widen(s.forward, zero, lowest, highest, -1)
		for d := ahead.high; d >= ahead.low; d -= 2 {
			x := max(s.forward[zero+d-1]+1, s.forward[zero+d+1])
			start := x
			for x < r.a1 && x-d < r.b1 && s.aIDs[x] == s.bIDs[x-d] {
				x++
			}
			found = found || x-start > longSnake
			s.forward[zero+d] = x
			if odd && astern.low <= d && d <= astern.high && s.backward[zero+d] <= x {
				return meeting{x, x - d, true, true}
			}
		}

		astern.widen(s.backward, zero, lowest, highest, math.MaxInt)
		for d := astern.high; d >= astern.low; d -= 2 {
			x := min(s.backward[zero+d-1], s.backward[zero+d+1]-1)
			start := x
			for x > r.a0 && x-d > r.b0 && s.aIDs[x-1] == s.bIDs[x-d-1] {
				x--
			}
			found = found || start-x > longSnake
			s.backward[zero+d] = x
			if !odd && ahead.low <= d && d <= ahead.high && x <= s.forward[zero+d] {
				return meeting{x, x - d, true, true}
			}
		}

		if full {
			continue
		}
		if found && cost > snakeMinCost {
			if m, ok := s.promising(r, ahead, astern, cost); ok {
				s.capped = true
				return m
			}
		}
		if cost >= s.costLimit {
			s.capped = true
			return s.furthest(r, ahead, astern)
		}
	}
}

// promising searches for a diagonal that ends in a long run of equal lines, and whose progress is much larger than the
// cost. Progress is the distance along the graph, minus the distance from the corner's own diagonal.
func (s *search) promising(r box, ahead, astern front, cost int) (meeting, bool) {
	best, at := 0, meeting{}
	for d := ahead.high; d >= ahead.low; d -= 2 {
		x := s.forward[s.zero+d]
		y := x - d
		gain := (x - r.a0) + (y - r.b0) - distance(d, r.a0-r.b0)
		if gain > snakeProgress*cost && gain > best &&
			r.a0+longSnake <= x && x < r.a1 && r.b0+longSnake <= y && y < r.b1 && s.snake(x-longSnake, y-longSnake) {
			best, at = gain, meeting{x, y, true, false}
		}
	}
	if best > 0 {
		return at, true
	}
	for d := astern.high; d >= astern.low; d -= 2 {
		x := s.backward[s.zero+d]
		y := x - d
		gain := (r.a1 - x) + (r.b1 - y) - distance(d, r.a1-r.b1)
		if gain > snakeProgress*cost && gain > best &&
			r.a0 < x && x <= r.a1-longSnake && r.b0 < y && y <= r.b1-longSnake && s.snake(x, y) {
			best, at = gain, meeting{x, y, false, true}
		}
	}
	return at, best > 0
}

// snake reports whether the longSnake lines from (x, y) are equal.
func (s *search) snake(x, y int) bool {
	for k := range longSnake {
		if s.aIDs[x+k] != s.bIDs[y+k] {
			return false
		}
	}
	return true
}

// `furthest` ends the search early: it divides the box at the point that is furthest from its own corner.
func (s *search) furthest(r box, ahead, astern front) meeting {
	forward, fx := -1, 0
	for d := ahead.high; d >= ahead.low; d -= 2 {
		x := min(s.forward[s.zero+d], r.a1, r.b1+d)
		if sum := 2*x - d; sum > forward {
			forward, fx = sum, x
		}
	}
	backward, bx := math.MaxInt, 0
	for d := astern.high; d >= astern.low; d -= 2 {
		x := max(s.backward[s.zero+d], r.a0, r.b0+d)
		if sum := 2*x - d; sum < backward {
			backward, bx = sum, x
		}
	}
	if (r.a1+r.b1)-backward < forward-(r.a0+r.b0) {
		return meeting{fx, forward - fx, true, false}
	}
	return meeting{bx, backward - bx, false, true}
}

func distance(a, b int) int {
	if a < b {
		return b - a
	}
	return a - b
}
