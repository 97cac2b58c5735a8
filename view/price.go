package view

import (
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/prices"
	"github.com/git-trace/git-trace/records/search"
	"github.com/git-trace/git-trace/records/waste"
)

// estimate computes a missing cost of a use from the table. It reads the record only if its answers have different
// prices.
func (r *Reader) estimate(d *search.Digest, u *Usage) {
	total := records.TokenUsage{InputTokens: u.Input, OutputTokens: u.Output, CacheReadTokens: u.CacheRead,
		CacheWriteTokens: u.CacheWrite}
	if u.CostUSD != nil || r.prices == nil || total == (records.TokenUsage{}) {
		return
	}
	table := r.prices()
	if table == nil {
		return
	}
	var uses []prices.Use
	single := false
	for _, m := range d.Models {
		if m.Input+m.Output+m.CacheRead+m.CacheWrite == 0 && len(d.Models) > 1 {
			continue
		}
		single = single || table.Tiered(m.Model)
		uses = append(uses, prices.Use{Model: m.Model, TokenUsage: records.TokenUsage{InputTokens: m.Input,
			OutputTokens: m.Output, CacheReadTokens: m.CacheRead, CacheWriteTokens: m.CacheWrite}})
	}
	usd, known := table.Estimate(total, uses)
	if known && single {
		record, err := r.Record(r.ctx, d.Trace)
		if err != nil || record.Record == nil {
			return
		}
		usd, known = table.Estimate(total, prices.Answers(record.Record))
	}
	if known {
		u.CostUSD, u.CostBy, u.PricesAsOf = &usd, records.CostByPrices, table.AsOf
	}
}

// AnswerCost is the cost of one answer of a record, by the table of prices.
type AnswerCost struct {
	Step    int     `json:"step"` // step of the record
	CostUSD float64 `json:"cost_usd"`
}

// Waste finds needless text in the context of a conversation; nil without a record.
func (r *Reader) Waste(record *records.Record) *waste.Result {
	if record == nil {
		return nil
	}
	var table *prices.Table
	if r.prices != nil {
		table = r.prices()
	}
	return waste.Of(record, func(model string, usage records.TokenUsage) (float64, bool) {
		if table == nil {
			return 0, false
		}
		usd, known := table.Cost(model, prices.Usage{TokenUsage: usage})
		return prices.Round(usd), known
	})
}

// AnswerCosts returns the costs of the answers of a record whose tokens and price are known. Their sum may differ from
// the client's own sum.
func (r *Reader) AnswerCosts(record *records.Record) []AnswerCost {
	out := []AnswerCost{}
	if record == nil || r.prices == nil {
		return out
	}
	table := r.prices()
	if table == nil {
		return out
	}
	for i := range record.Steps {
		s := &record.Steps[i]
		if s.Model == nil || s.TokenUsage == (records.TokenUsage{}) {
			continue
		}
		if usd, known := table.Cost(*s.Model, prices.Usage{TokenUsage: s.TokenUsage}); known && usd > 0 {
			out = append(out, AnswerCost{s.StepIndex, prices.Round(usd)})
		}
	}
	return out
}
