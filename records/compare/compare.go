package compare

import (
	"slices"

	"github.com/git-trace/git-trace/records"
)

// Drift is a difference between two conversations.
type Drift struct {
	Kind   Kind    `json:"kind"`
	Prompt int     `json:"prompt"` // from 1; 0 before the first prompt
	A      *Action `json:"a"`      // nil where only the other one did something
	B      *Action `json:"b"`
}

// Kind is a kind of drift. The list is closed.
type Kind string

// The kinds.
const (
	Missing    Kind = "missing"     // only the first did it
	Extra      Kind = "extra"       // only the second did it
	OtherTool  Kind = "other_tool"  // another tool, in the same place
	OtherInput Kind = "other_input" // the same tool with something else to do
	OtherOrder Kind = "other_order" // both did it, at different times
	OtherKind  Kind = "other_kind"  // a call instead of a skill or a hook
	OtherFiles Kind = "other_files" // the calls of both declare different lines for these files
)

// Result is a comparison of conversation A with conversation B.
type Result struct {
	A       Figures  `json:"a"`
	B       Figures  `json:"b"`
	Actions int      `json:"actions"` // of A; its files count as one more, if either changed any
	Equal   int      `json:"equal"`   // those that B also has, in the same order
	Score   float64  `json:"score"`   // Equal by Actions, 0 to 1; 1 if both did nothing, 0 if only B did something
	Drifts  []Drift  `json:"drifts"`
	Files   []string `json:"files"` // whose declared lines differ, in order
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

// turn compares the actions of both for a prompt.
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

// gap compares actions between two equal ones: first actions of the same tool, then actions in the same place.
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

// moved joins the drifts of actions that both did at different times.
func (r *Result) moved() {
	waiting := map[string][]int{} // drifts of B's actions, by their keys
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

// mostCells bounds the table of a longest common sequence; longer lists are matched by the next equal action.
const mostCells = 16 << 20

// common returns the indices of the longest common subsequence of two lists of actions, in order.
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
