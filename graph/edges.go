package graph

import "strings"

// edges holds the lines that `git log --graph` draws to the left of one commit.
type edges struct {
	commit string   // left of the commit: "| * "
	beside []string // left of the following lines that differ from pad: "|\ "
	pad    string   // left of all further lines: "| | "
	after  []string // lines without text that git draws before the next commit
}

// newEdges makes the edges of a commit from the edges that git drew: left of the commit's line, and left of the filler
// lines below it.
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

// `at` returns the edges left of line n of a commit. Line 0 is the commit's line.
func (e *edges) at(n int) string {
	switch {
	case n == 0:
		return e.commit
	case n <= len(e.beside):
		return e.beside[n-1]
	}
	return e.pad
}

// `quiet` reports whether all edges are vertical.
func quiet(drawn string) bool { return strings.Trim(drawn, "| ") == "" }

// settle returns the edges for the line after a line in which edges change columns, if all edges are vertical there. An
// edge drawn as / moves one column to the left, an edge drawn as \ one column to the right.
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
