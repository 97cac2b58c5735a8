package diff

import (
	"cmp"
	"slices"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/numbers"
)

// Counts holds the number of lines by owner: AI, Human and Unknown add up to all lines. Older is the part of Unknown
// that is in commits older than the recording.
type Counts struct {
	Lines   int `json:"lines"`
	AI      int `json:"ai"` // includes lines that an agent and a person both wrote
	Mixed   int `json:"mixed"`
	Human   int `json:"human"`
	Unknown int `json:"unknown"`
	Older   int `json:"older"`
}

// Owned returns the lines by owner.
func (c Counts) Owned() numbers.Owned {
	return numbers.Owned{AI: c.AI, Human: c.Human, Unknown: c.Unknown, Older: c.Older}
}

// Add counts a line.
func (c *Counts) Add(kind events.OwnerKind) {
	c.Lines++
	switch kind {
	case events.OwnerMixed:
		c.Mixed++
		c.AI++
	case events.OwnerAI:
		c.AI++
	case events.OwnerHuman:
		c.Human++
	case events.OwnerOlder:
		c.Older++
		c.Unknown++
	case events.OwnerUnknown:
		c.Unknown++
	}
}

// Sum holds the figures of one writer in a diff.
type Sum struct {
	Writer
	Added, Removed int
}

// Sums holds the figures of all writers, and the totals. Removed is nil unless the owners of removed lines were
// requested. Went always counts the removed lines.
type Sums struct {
	Added   Counts
	Removed *Counts
	Went    int
	Writers []Sum // conversations, the one with the most lines first, then people, then unknown lines
}

// Sums counts the lines by writer.
func (d *Diff) Sums() Sums {
	var out Sums
	at := map[Writer]int{}
	take := func(l *Line) *Sum {
		o := l.Owner.Owner
		w := writerOf(o.Kind, o.Trace, o.Agent, o.Model)
		i, seen := at[w.key()]
		if !seen {
			i = len(out.Writers)
			at[w.key()] = i
			out.Writers = append(out.Writers, Sum{Writer: w})
		}
		return &out.Writers[i]
	}
	for _, f := range d.Files {
		f.each(Added, func(l *Line) {
			out.Added.Add(l.Owner.Owner.Kind)
			take(l).Added++
		})
		f.each(Removed, func(l *Line) {
			if out.Went++; l.Owner == nil {
				return
			}
			if out.Removed == nil {
				out.Removed = &Counts{}
			}
			out.Removed.Add(l.Owner.Owner.Kind)
			take(l).Removed++
		})
	}
	rank := map[events.OwnerKind]int{events.OwnerAI: 0, events.OwnerHuman: 1, events.OwnerOlder: 2, events.OwnerUnknown: 3}
	slices.SortStableFunc(out.Writers, func(a, b Sum) int {
		return cmp.Or(cmp.Compare(rank[a.Kind], rank[b.Kind]), cmp.Compare(b.Added+b.Removed, a.Added+a.Removed),
			cmp.Compare(a.Trace, b.Trace))
	})
	return out
}
