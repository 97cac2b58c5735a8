package figures

import (
	"slices"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/graph"
	"github.com/git-trace/git-trace/report/stats"
	"github.com/git-trace/git-trace/view"
)

// Accepted counts what happened to the lines that hooks saw agents write. A line that several commits add counts once.
type Accepted struct {
	Written   int `json:"written"`   // a line counts again if an agent wrote it again
	Committed int `json:"committed"` // number of these lines in counted commits
	Rewritten int `json:"rewritten"` // people's lines in these commits that replaced them
}

// origin identifies the part of a conversation that one model wrote.
type origin struct {
	trace events.TraceID
	model string
}

// `held` counts lines of conversations in commits, and people's lines that replaced them.
type held struct {
	lines    map[origin]int
	replaced map[events.PatchID]int
}

func (h *held) add(c *graph.Commit) {
	for i := range c.Contributors {
		who := &c.Contributors[i]
		if who.Trace != "" {
			h.lines[origin{who.Trace, who.Model}] += who.Lines
		}
		for patch, lines := range who.Replaced {
			h.replaced[patch] += lines
		}
	}
}

// ByWriter reports whether lines are grouped only by agent and model. With any other grouping, the group of an
// uncommitted line is unknown.
func (s *Sums) ByWriter() bool {
	return !slices.ContainsFunc(s.Grouped.By.Dimensions, func(d stats.Dimension) bool {
		return d != stats.Agent && d != stats.Model
	})
}

// accept adds the fate of lines to their groups.
func (s *Sums) accept(known *view.Reader) error {
	s.accepted = map[*stats.Group]*Accepted{}
	written := map[origin]int{}
	groups := map[origin]*stats.Group{}
	err := known.Outputs(func(o *view.Output) {
		from := origin{o.Trace, o.Model}
		if groups[from] == nil {
			groups[from] = s.Grouped.Of(s.keyOf(o), events.OwnerAI)
		}
		group := groups[from]
		if s.accepted[group] == nil {
			s.accepted[group] = &Accepted{}
		}
		written[from] += o.Lines
		s.accepted[group].Written += o.Lines
		s.accepted[group].Rewritten += s.held.replaced[o.Patch]
	})
	for from, lines := range written {
		s.accepted[groups[from]].Committed += min(lines, s.held.lines[from])
	}
	return err
}

func (s *Sums) keyOf(o *view.Output) (key stats.Key) {
	for _, d := range s.Grouped.By.Dimensions {
		text := o.Agent
		if d == stats.Model {
			text = o.Model
		}
		if text == "" {
			key = append(key, nil)
		} else {
			key = append(key, &text)
		}
	}
	return key
}
