package figures

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/records/waste"
	"github.com/git-trace/git-trace/view"
)

// Waste sums up unnecessary text in the contexts of conversations. A cost is null if one of its prices is unknown.
type Waste struct {
	Conversations int         `json:"conversations"` // conversations with waste
	Kinds         []WasteKind `json:"kinds"`
	Tokens        int64       `json:"tokens"` // estimated
	CostUSD       *float64    `json:"cost_usd"`
}

// WasteKind is the total of one kind of waste.
type WasteKind struct {
	Kind    waste.Kind `json:"kind"`
	Count   int        `json:"count"`
	Tokens  int64      `json:"tokens"`
	CostUSD *float64   `json:"cost_usd"`
}

// AddWaste adds the waste of the counted conversations. It reads their records.
func (s *Sums) AddWaste(ctx context.Context, known *view.Reader, whole bool) error {
	counted, err := s.counted(known, whole)
	if err != nil {
		return err
	}
	w := &Waste{Kinds: []WasteKind{}, CostUSD: new(float64)}
	for _, kind := range []waste.Kind{waste.Large, waste.ReadAgain, waste.SearchAgain, waste.FailedAgain} {
		w.Kinds = append(w.Kinds, WasteKind{Kind: kind, CostUSD: new(float64)})
	}
	for i := range counted {
		if counted[i].Usage == nil {
			continue
		}
		stored, err := known.Record(ctx, counted[i].Trace)
		if err != nil {
			return err
		}
		if found := known.Waste(stored.Record); found != nil && len(found.Findings) > 0 {
			w.add(found)
		}
	}
	s.Waste = w
	return nil
}

func (w *Waste) add(found *waste.Result) {
	w.Conversations++
	w.Tokens += found.Tokens
	w.CostUSD = plus(w.CostUSD, found.CostUSD)
	for i := range found.Findings {
		one := &found.Findings[i]
		for k := range w.Kinds {
			if sum := &w.Kinds[k]; sum.Kind == one.Kind {
				sum.Count, sum.Tokens, sum.CostUSD = sum.Count+1, sum.Tokens+one.Tokens, plus(sum.CostUSD, one.CostUSD)
			}
		}
	}
}

// plus adds two costs; the sum is nil if one of them is nil.
func plus(a, b *float64) *float64 {
	if a == nil || b == nil {
		return nil
	}
	return new(*a + *b)
}

// AmountText returns a number of estimated tokens, with their cost if it is known.
func AmountText(tokens int64, usd *float64) string {
	cost := ""
	if usd != nil {
		cost = numbers.Dollars(*usd)
	}
	return cells.Dotted("about "+numbers.Count(int(tokens), "token"), cost)
}

// WastesText sums up the waste of conversations; "" unless it was requested.
func WastesText(w *Waste) string {
	if w == nil {
		return ""
	}
	count := 0
	var kinds []string
	for _, k := range w.Kinds {
		if count += k.Count; k.Count > 0 {
			kinds = append(kinds, fmt.Sprintf("%d %s", k.Count, k.Kind.Words()))
		}
	}
	if count == 0 {
		return "waste: none was found\n"
	}
	return fmt.Sprintf("waste: %s in %s: %s\n", cells.Dotted(numbers.Count(count, "result"), AmountText(w.Tokens,
		w.CostUSD)),
		numbers.Count(w.Conversations, "conversation"), strings.Join(kinds, ", "))
}
