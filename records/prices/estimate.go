package prices

import (
	"strings"

	"github.com/git-trace/git-trace/records"
)

// Use is the use of a model, in one answer or several.
type Use struct {
	Model string
	records.TokenUsage
}

func Answers(r *records.Record) []Use {
	var out []Use
	for i := range r.Steps {
		if s := &r.Steps[i]; s.TokenUsage != (records.TokenUsage{}) {
			use := Use{TokenUsage: s.TokenUsage}
			if s.Model != nil {
				use.Model = *s.Model
			}
			out = append(out, use)
		}
	}
	return out
}

// Tiered reports whether the price of a model depends on the length of a prompt. Then only single answers have a price.
func (t *Table) Tiered(model string) bool {
	for i := range t.Models {
		if t.Models[i].Over > 0 && strings.HasPrefix(model, t.Models[i].Prefix) {
			return true
		}
	}
	return false
}

// Estimate returns the cost of uses that should add up to a total. If they add up to less and there is only one model,
// the rest is counted for that model. The result `known` is false if a price is missing, or if the model of some tokens
// is unknown. It is unknown how long cached tokens are kept, so the lower price is used.
func (t *Table) Estimate(total records.TokenUsage, uses []Use) (usd float64, known bool) {
	var sum records.TokenUsage
	for _, use := range uses {
		cost, priced := t.Cost(use.Model, Usage{TokenUsage: use.TokenUsage})
		if !priced {
			return 0, false
		}
		usd += cost
		sum.Add(use.TokenUsage)
	}
	rest := records.TokenUsage{
		InputTokens: max(total.InputTokens-sum.InputTokens, 0), OutputTokens: max(total.OutputTokens-sum.OutputTokens, 0),
		CacheReadTokens:  max(total.CacheReadTokens-sum.CacheReadTokens, 0),
		CacheWriteTokens: max(total.CacheWriteTokens-sum.CacheWriteTokens, 0),
	}
	if rest != (records.TokenUsage{}) {
		for i := range uses {
			if uses[i].Model != uses[0].Model {
				return 0, false
			}
		}
		if len(uses) == 0 || t.Tiered(uses[0].Model) {
			return 0, false
		}
		cost, priced := t.Cost(uses[0].Model, Usage{TokenUsage: rest})
		if !priced {
			return 0, false
		}
		usd += cost
	}
	return Round(usd), usd > 0
}
