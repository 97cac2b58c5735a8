package web

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/graph"
	"github.com/git-trace/git-trace/refs"
)

// Sizes of the drawing left of a commit, in pixels.
const (
	laneWide  = 14
	laneNode  = 21 // from the top of the row to the commit
	laneHigh  = 42 // below this height lines are straight, to the end of the row
	mostLanes = 12 // of a page; further lanes are not drawn
)

// lanes are the lines left of one commit. A lane keeps its place from a child to its parent.
type lanes struct {
	Node int   // the lane of the commit
	In   []int // lanes that end here: a child is above
	Out  []int // lanes that begin here: a parent is below
	Pass []int // lanes that only pass
	Wide int   // lanes of the whole page
}

// drawing are the lanes of a page, from its top to the row that is drawn.
type drawing struct {
	waits []refs.OID // the commit that each lane leads to; zero in a free one
	leads func(parent refs.OID) bool
}

// laned draws the lines of commits in the order of git log --graph: a commit is above its parents. With open, lines to
// parents on later pages reach the end of the page; otherwise they are left out.
func laned(commits []graph.CommitJSON, open bool) map[refs.OID]*lanes {
	rows := map[refs.OID]*lanes{}
	for i := range commits {
		rows[commits[i].Commit] = nil
	}
	d := drawing{leads: func(parent refs.OID) bool {
		_, here := rows[parent]
		return open || here
	}}
	for i := range commits {
		rows[commits[i].Commit] = d.row(&commits[i])
	}
	for _, l := range rows {
		l.Wide = min(len(d.waits), mostLanes)
	}
	return rows
}

func (d *drawing) row(c *graph.CommitJSON) *lanes {
	l := &lanes{}
	for at, id := range d.waits {
		switch {
		case id == c.Commit:
			l.In = append(l.In, at)
			d.waits[at] = refs.OID{}
		case !id.IsZero():
			l.Pass = append(l.Pass, at)
		}
	}
	if len(l.In) > 0 {
		l.Node = l.In[0]
	} else {
		l.Node = d.free()
	}
	for n, parent := range c.Parents {
		if !d.leads(parent) {
			continue
		}
		at := slices.Index(d.waits, parent)
		if at < 0 && n == 0 {
			at = l.Node
		} else if at < 0 {
			at = d.free()
		}
		d.waits[at] = parent
		if !slices.Contains(l.Out, at) {
			l.Out = append(l.Out, at)
		}
	}
	return l
}

// free returns a lane that nothing is in.
func (d *drawing) free() int {
	at := slices.Index(d.waits, refs.OID{})
	if at < 0 {
		at, d.waits = len(d.waits), append(d.waits, refs.OID{})
	}
	return at
}

func laneX(at int) int { return laneWide/2 + laneWide*at }

// Width returns the width of the drawing.
func (l *lanes) Width() int { return laneWide * l.Wide }

// X returns the distance of the commit from the left.
func (l *lanes) X() int { return laneX(l.Node) }

// Head returns the path of the lines beside the commit.
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

// Rest returns the path of the lines below it, of any height.
func (l *lanes) Rest() string {
	var b strings.Builder
	for _, at := range slices.Concat(l.Pass, l.Out) {
		fmt.Fprintf(&b, "M%d 0V1", laneX(at))
	}
	return b.String()
}
