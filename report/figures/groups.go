package figures

import (
	"slices"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/report/stats"
	"github.com/git-trace/git-trace/view"
)

// Counted is a group of lines in JSON.
type Counted struct {
	Key         map[stats.Dimension]*string `json:"key"`
	Contributor *events.OwnerKind           `json:"contributor"` // null if the lines may have any owner
	stats.Lines
	Percent       int           `json:"percent"` // share of all lines; the groups add up to 100
	Conversations int           `json:"conversations"`
	Tokens        *Tokens       `json:"tokens"`   // null if unknown, or if groups like this have none
	CostUSD       *float64      `json:"cost_usd"` // null if unknown, or if groups like this have none
	Accepted      *Accepted     `json:"accepted"` // null if unknown, or if groups like this have none
	Survival      []AliveAtAges `json:"survival"` // null unless requested

	Group *stats.Group `json:"-"`
}

// AliveAtAges counts, for each age, the lines that reached it, and how many of them were alive.
type AliveAtAges struct {
	Days    int `json:"days"`
	Written int `json:"written"`
	Alive   int `json:"alive"`
}

// charges holds the tokens and costs of a group's conversations.
type charges struct {
	tokens Tokens
	usd    *float64 // nil if no cost is known
}

func (c *charges) add(u *view.Usage) {
	c.tokens.add(Tokens{u.Input, u.Output, u.CacheRead, u.CacheWrite})
	if u.CostUSD != nil {
		sum := *u.CostUSD
		if c.usd != nil {
			sum += *c.usd
		}
		c.usd = &sum
	}
}

// Charges reports whether each conversation belongs to one group, with all its cost.
func (s *Sums) Charges() bool {
	return !slices.ContainsFunc(s.Grouped.By.Dimensions, func(d stats.Dimension) bool {
		return !d.Owns() && !d.Times()
	})
}

// charge adds a conversation and its cost to its group. A conversation with several models has no group.
func (s *Sums) charge(c *view.Conversation) {
	if !s.Charges() {
		return
	}
	var key stats.Key
	kind := events.OwnerKind("")
	for _, d := range s.Grouped.By.Dimensions {
		text := ""
		switch d {
		case stats.Agent:
			text, kind = c.Agent, events.OwnerAI
		case stats.Model:
			if kind = events.OwnerAI; len(c.Models) == 1 {
				text = c.Models[0]
			}
		case stats.Day:
			text = stats.DayOf(c.Last)
		case stats.Week:
			text = stats.WeekOf(c.Last)
		case stats.Month:
			text = stats.MonthOf(c.Last)
		case stats.Hour:
			text = stats.HourOf(c.Last)
		}
		if text == "" {
			key = append(key, nil)
		} else {
			key = append(key, &text)
		}
	}
	group := s.Grouped.Of(key, kind)
	group.Traces[c.Trace] = true
	if c.Usage == nil {
		return
	}
	if s.charged == nil {
		s.charged = map[*stats.Group]*charges{}
	}
	if s.charged[group] == nil {
		s.charged[group] = &charges{}
	}
	s.charged[group].add(c.Usage)
}

// group makes the groups for the output.
func (s *Sums) group() {
	s.Grouped.Sort()
	s.By = s.Grouped.By.Dimensions
	parts := make([]int, len(s.Grouped.List))
	for i, g := range s.Grouped.List {
		parts[i] = g.Lines.Added
	}
	percents := numbers.Shares(parts, s.Lines.Added)
	for i, g := range s.Grouped.List {
		one := Counted{Key: map[stats.Dimension]*string{}, Lines: g.Lines, Percent: percents[i],
			Conversations: len(g.Traces), Group: g}
		for k, d := range s.By {
			one.Key[d] = g.Key[k]
		}
		if g.Kind != "" {
			kind := g.Kind.Stored()
			one.Contributor = &kind
		}
		if spent := s.charged[g]; spent != nil {
			one.Tokens, one.CostUSD = &spent.tokens, spent.usd
		}
		one.Accepted = s.accepted[g]
		if s.Survival {
			for k, days := range stats.Ages {
				one.Survival = append(one.Survival, AliveAtAges{days, g.Alive[k].Written, g.Alive[k].Alive})
			}
		}
		s.Groups = append(s.Groups, one)
	}
}
