package compare

import (
	"slices"

	"github.com/git-trace/git-trace/records"
)

// Drift is a difference between two conversations.
type Drift struct {
	Kind   Kind    `json:"kind"`
	Prompt int     `json:"prompt"` // number of the prompt, from 1; 0 before the first prompt
	A      *Action `json:"a"`      // nil if only the other conversation did something
	B      *Action `json:"b"`
}

// Kind is a kind of drift. There are no other kinds than these.
type Kind string

// The kinds of drift.
const (
	Missing    Kind = "missing"     // only A did the action
	Extra      Kind = "extra"       // only B did the action
	OtherTool  Kind = "other_tool"  // another tool at the same point
	OtherInput Kind = "other_input" // the same tool with another input
	OtherOrder Kind = "other_order" // A and B did the action, at different points
	OtherKind  Kind = "other_kind"  // a call instead of a skill or a hook
	OtherFiles Kind = "other_files" // the calls of A and B declare different lines for these files
)

// Result is a comparison of conversation A with conversation B.
type Result struct {
	A       Figures  `json:"a"`
	B       Figures  `json:"b"`
	Actions int      `json:"actions"` // A's actions; its files count as one more if A or B changed any
	Equal   int      `json:"equal"`   // the actions that B also has, in the same order
	Score   float64  `json:"score"`   // Equal divided by Actions, 0 to 1; 1 if both did nothing, 0 if only B did something
	Drifts  []Drift  `json:"drifts"`
	Files   []string `json:"files"` // the files whose declared lines differ, sorted
}

// Of compares two conversations.
func Of(a, b *records.Record) *Result {
	rootA, rootB := roots(a, b)
	first, second := readActions(a, rootA), readActions(b, rootB)
	out := &Result{A: figures(a, first), B: figures(b, second), Drifts: []Drift{}, Files: []string{}}
	for prompt := range max(len(first), len(second)) {
		out.turn(prompt, at(first, prompt), at(second, prompt))
	}
	out.moved()
	out.files(flat(first), flat(second))
	switch {
	case out.Actions > 0:
		out.Score = float64(out.Equal) / float64(out.Actions)
	case len(flat(second)) == 0:
		out.Score = 1
	}
	return out
}

func at(list [][]*Action, i int) []*Action {
	if i < len(list) {
		return list[i]
	}
	return nil
}

func flat(list [][]*Action) []*Action { return slices.Concat(list...) }

// turn compares the actions of both conversations for one prompt.
func (r *Result) turn(prompt int, a, b []*Action) {
	r.Actions += len(a)
	pairs := append(common(a, b), [2]int{len(a), len(b)})
	i, j := 0, 0
	for k, pair := range pairs {
		r.gap(prompt, a[i:pair[0]], b[j:pair[1]])
		if i, j = pair[0]+1, pair[1]+1; k < len(pairs)-1 {
			r.Equal++
		}
	}
}

// gap compares the actions of both conversations between two equal ones: it first pairs actions of the same tool, then
// the others in order.
func (r *Result) gap(prompt int, a, b []*Action) {
	taken := make([]bool, len(b))
	var rest []*Action
	from := 0
	for _, one := range a {
		k := from
		for k < len(b) && (b[k].Of != one.Of || b[k].tool != one.tool) {
			k++
		}
		if k == len(b) {
			rest = append(rest, one)
			continue
		}
		taken[k], from = true, k+1
		r.Drifts = append(r.Drifts, Drift{OtherInput, prompt, one, b[k]})
	}
	for k, other := range b {
		switch {
		case taken[k]:
		case len(rest) == 0:
			r.Drifts = append(r.Drifts, Drift{Extra, prompt, nil, other})
		default:
			kind := OtherTool
			if rest[0].Of != other.Of {
				kind = OtherKind
			}
			r.Drifts = append(r.Drifts, Drift{kind, prompt, rest[0], other})
			rest = rest[1:]
		}
	}
	for _, one := range rest {
		r.Drifts = append(r.Drifts, Drift{Missing, prompt, one, nil})
	}
}

// `moved` merges the two drifts of an action that both conversations have, at different points.
func (r *Result) moved() {
	waiting := map[string][]int{} // by key: the drifts with an action of B
	for i := range r.Drifts {
		if b := r.Drifts[i].B; b != nil {
			waiting[b.key] = append(waiting[b.key], i)
		}
	}
	var joined []Drift
	for i := range r.Drifts {
		d := &r.Drifts[i]
		if d.A == nil || len(waiting[d.A.key]) == 0 {
			continue
		}
		other := &r.Drifts[waiting[d.A.key][0]]
		waiting[d.A.key] = waiting[d.A.key][1:]
		joined = append(joined, Drift{OtherOrder, d.Prompt, d.A, other.B})
		d.A, other.B = nil, nil
	}
	kept := r.Drifts[:0]
	for _, d := range r.Drifts {
		switch {
		case d.A == nil && d.B == nil:
			continue
		case d.A == nil:
			d.Kind = Extra
		case d.B == nil:
			d.Kind = Missing
		}
		kept = append(kept, d)
	}
	kept = append(kept, joined...)
	r.Drifts = kept
	slices.SortStableFunc(r.Drifts, func(a, b Drift) int { return a.Prompt - b.Prompt })
}

// mostCells limits the table for the longest common subsequence; longer lists are matched greedily.
const mostCells = 16 << 20

// `common` returns the index pairs of the longest common subsequence of two lists of actions, in order.
func common(a, b []*Action) [][2]int {
	if len(a)*len(b) > mostCells {
		return greedy(a, b)
	}
	width := len(b) + 1
	best := make([]int32, (len(a)+1)*width)
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i].key == b[j].key {
				best[i*width+j] = best[(i+1)*width+j+1] + 1
			} else {
				best[i*width+j] = max(best[(i+1)*width+j], best[i*width+j+1])
			}
		}
	}
	var out [][2]int
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i].key == b[j].key:
			out = append(out, [2]int{i, j})
			i, j = i+1, j+1
		case best[(i+1)*width+j] >= best[i*width+j+1]:
			i++
		default:
			j++
		}
	}
	return out
}

func greedy(a, b []*Action) [][2]int {
	places := map[string][]int{}
	for j, one := range b {
		places[one.key] = append(places[one.key], j)
	}
	var out [][2]int
	next := 0
	for i, one := range a {
		list := places[one.key]
		for len(list) > 0 && list[0] < next {
			list = list[1:]
		}
		if places[one.key] = list; len(list) > 0 {
			out = append(out, [2]int{i, list[0]})
			next = list[0] + 1
		}
	}
	return out
}
