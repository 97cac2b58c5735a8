package web

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/graph"
	"github.com/git-trace/git-trace/refs"
)

// Sizes of the drawing on the left of a commit, in pixels.
const (
	laneWide  = 14
	laneNode  = 21 // distance from the top of the row to the commit's dot
	laneHigh  = 42 // below this height, lines are straight down to the end of the row
	mostLanes = 12 // lanes on one page; further lanes are not drawn
)

// lanes holds the vertical lines on the left of one commit. A lane keeps its column from a child to its parent.
type lanes struct {
	Node int   // the lane of the commit
	In   []int // lanes that come from children above
	Out  []int // lanes that go to parents below
	Pass []int // lanes that pass by
	Wide int   // number of lanes on the page
}

// drawing holds the lanes of a page, drawn down to the present row.
type drawing struct {
	waits []refs.OID // the commit to which each lane leads; zero for a free lane
	leads func(parent refs.OID) bool
}

// `laned` draws the lanes of commits in the order of git log --graph, where commits come before their parents. If
// `open` is true, lanes to parents on later pages reach the end of the page. Otherwise these lanes are left out.
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

// free returns a free lane.
func (d *drawing) free() int {
	at := slices.Index(d.waits, refs.OID{})
	if at < 0 {
		at, d.waits = len(d.waits), append(d.waits, refs.OID{})
	}
	return at
}

func laneX(at int) int { return laneWide/2 + laneWide*at }

// Width returns the width of the drawing in pixels.
func (l *lanes) Width() int { return laneWide * l.Wide }

// X returns the distance of the commit's dot from the left in pixels.
func (l *lanes) X() int { return laneX(l.Node) }

// Head returns the SVG path of the lines beside the commit.
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

// Rest returns the SVG path of the lines below, which can be stretched to any height.
func (l *lanes) Rest() string {
	var b strings.Builder
	for _, at := range slices.Concat(l.Pass, l.Out) {
		fmt.Fprintf(&b, "M%d 0V1", laneX(at))
	}
	return b.String()
}
