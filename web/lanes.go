package web

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/graph"
	"github.com/git-trace/git-trace/refs"
)

// commitRow is a commit as a list shows it.
type commitRow struct {
	graph.CommitJSON
	Lanes *lanes // nil where the list draws none
}

// Sizes of what is drawn left of a commit, in pixels.
const (
	laneWide  = 14
	laneNode  = 21 // from the top of the row to the commit
	laneHigh  = 42 // below it lines are straight, as far as the row goes
	mostLanes = 12 // of a page; what lies beyond is not drawn
)

// lanes are the lines left of one commit. A lane keeps its place from a child to its parent.
type lanes struct {
	Node int   // the lane of the commit
	In   []int // lanes that end here: a child is above
	Out  []int // lanes that begin here: a parent is below
	Pass []int // lanes that only pass
	Wide int   // lanes of the whole page
}

// laned draws the lines of commits that are in the order of git log --graph: a commit stands above its parents. Where
// open is set, lines to parents that are not on the page are drawn to its end; else they are left out.
func laned(commits []graph.CommitJSON, open bool) []commitRow {
	here := map[refs.OID]bool{}
	for i := range commits {
		here[commits[i].Commit] = true
	}
	rows := make([]commitRow, len(commits))
	var waits []refs.OID // the commit that each lane leads to; zero in a free one
	begin := func(id refs.OID) int {
		at := slices.Index(waits, refs.OID{})
		if at < 0 {
			at, waits = len(waits), append(waits, id)
		}
		waits[at] = id
		return at
	}
	wide := 0
	for i := range commits {
		l := &lanes{}
		for at, id := range waits {
			switch {
			case id == commits[i].Commit:
				l.In = append(l.In, at)
			case !id.IsZero():
				l.Pass = append(l.Pass, at)
			}
		}
		if len(l.In) > 0 {
			l.Node = l.In[0]
		} else {
			l.Node = begin(commits[i].Commit)
		}
		for _, at := range append(slices.Clone(l.In), l.Node) {
			waits[at] = refs.OID{}
		}
		for n, parent := range commits[i].Parents {
			at := slices.Index(waits, parent)
			switch {
			case !here[parent] && !open:
				continue
			case at < 0 && n == 0:
				at = l.Node
				waits[at] = parent
			case at < 0:
				at = begin(parent)
			}
			if !slices.Contains(l.Out, at) {
				l.Out = append(l.Out, at)
			}
		}
		wide = max(wide, len(waits))
		rows[i] = commitRow{commits[i], l}
	}
	for i := range rows {
		rows[i].Lanes.Wide = min(wide, mostLanes)
	}
	return rows
}

// unlaned are the same commits without lines.
func unlaned(commits []graph.CommitJSON) []commitRow {
	rows := make([]commitRow, len(commits))
	for i := range commits {
		rows[i].CommitJSON = commits[i]
	}
	return rows
}

func laneX(at int) int { return laneWide/2 + laneWide*at }

// Width is that of the drawing.
func (l *lanes) Width() int { return laneWide * l.Wide }

// X is where the commit stands from the left.
func (l *lanes) X() int { return laneX(l.Node) }

// Head is the path of the lines beside the commit.
func (l *lanes) Head() string {
	var b strings.Builder
	x := laneX(l.Node)
	for _, at := range l.In {
		fmt.Fprintf(&b, "M%[1]d 0C%[1]d %[2]d %[3]d %[2]d %[3]d %[4]d", laneX(at), laneNode/2, x, laneNode)
	}
	for _, at := range l.Out {
		const bent = laneNode + laneNode/2
		fmt.Fprintf(&b, "M%[1]d %[2]dC%[1]d %[3]d %[4]d %[3]d %[4]d %[5]d", x, laneNode, bent, laneX(at), laneHigh)
	}
	for _, at := range l.Pass {
		fmt.Fprintf(&b, "M%d 0V%d", laneX(at), laneHigh)
	}
	return b.String()
}

// Rest is the path of the lines below it, of any height.
func (l *lanes) Rest() string {
	var b strings.Builder
	for _, at := range slices.Concat(l.Pass, l.Out) {
		fmt.Fprintf(&b, "M%d 0V1", laneX(at))
	}
	return b.String()
}
