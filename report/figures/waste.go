package figures

import (
	"context"

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
