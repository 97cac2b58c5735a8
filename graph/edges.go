package graph

import "strings"

// edges are the lines that `git log --graph` draws left of one commit.
type edges struct {
	commit string   // left of the commit itself: "| * "
	beside []string // left of the later lines, where they differ from pad: "|\ "
	pad    string   // left of any further line: "| | "
	after  []string // lines without text that git draws before the next commit
}

// newEdges sorts git's drawing left of the lines of one commit: first the commit's, then the fillers'.
func newEdges(commit string, fillers []string) edges {
	e := edges{commit: commit, beside: fillers, pad: settle(commit)}
	if n := len(fillers); n > 0 {
		e.pad = settle(fillers[n-1])
	}
	for n := len(e.beside); n > 0 && quiet(e.beside[n-1]); n-- {
		e.beside = e.beside[:n-1]
	}
	return e
}

// at returns the drawing left of line n beside a commit; line 0 is the commit's line.
func (e *edges) at(n int) string {
	switch {
	case n == 0:
		return e.commit
	case n <= len(e.beside):
		return e.beside[n-1]
	}
	return e.pad
}

// quiet reports whether edges only go straight down.
func quiet(drawn string) bool { return strings.Trim(drawn, "| ") == "" }

// settle returns the edges of the line after one in which edges change columns, if they then go straight down: an edge
// drawn / moves one column to the left, an edge drawn \ one to the right.
func settle(drawn string) string {
	if quiet(drawn) {
		return drawn
	}
	out := []byte(strings.Repeat(" ", len(drawn)))
	for i := range len(drawn) {
		switch drawn[i] {
		case '|', '*':
			out[i] = '|'
		case '/':
			if i > 0 {
				out[i-1] = '|'
			}
		case '\\':
			if i+1 < len(out) {
				out[i+1] = '|'
			}
		}
	}
	return string(out)
}
