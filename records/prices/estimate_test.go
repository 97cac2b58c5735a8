package prices_test

import (
	"testing"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/prices"
)

const tiers = `{"schema": "git-trace.prices/1", "as_of": "2026-11-20", "models": [
	{"prefix": "a/flat", "input": 1, "output": 2, "cache_read": 3, "cache_write": 4},
	{"prefix": "a/flat-x", "unpriced": true},
	{"prefix": "a/long", "input": 1, "output": 1}, {"prefix": "a/long", "over": 200, "input": 10, "output": 10}
]}`

func TestARecordWithoutACostHasThatOfItsTokens(t *testing.T) {
	t.Parallel()
	table, err := prices.Read([]byte(tiers))
	if err != nil {
		t.Fatal(err)
	}
	const m = 1_000_000
	use := func(model string, in, out, read, write int64) prices.Use {
		return prices.Use{Model: model, TokenUsage: tokens(in, out, read, write)}
	}
	for name, test := range map[string]struct {
		total records.TokenUsage
		uses  []prices.Use
		usd   float64
		known bool
	}{
		"four buckets, four prices":              {tokens(m, m, m, m), []prices.Use{use("a/flat", m, m, m, m)}, 10, true},
		"two models":                             {tokens(2*m, 0, 0, 0), []prices.Use{use("a/flat", m, 0, 0, 0), use("a/long", 100, 0, 0, 0), use("a/long", m-100, 0, 0, 0)}, 1 + 0.0001 + 10*0.9999, true},
		"the sum is smaller than what is in it":  {tokens(1, 0, 0, 0), []prices.Use{use("a/flat", m, 0, 0, 0)}, 1, true},
		"what the sum has more is the one model": {tokens(2*m, 0, 0, 0), []prices.Use{use("a/flat", m, 0, 0, 0)}, 2, true},
		"of two models nobody knows which":       {tokens(3*m, 0, 0, 0), []prices.Use{use("a/flat", m, 0, 0, 0), use("a/flat-2", m, 0, 0, 0)}, 0, false},
		"answers tell of no model":               {tokens(m, 0, 0, 0), []prices.Use{use("", m, 0, 0, 0)}, 0, false},
		"a model without a price":                {tokens(m, 0, 0, 0), []prices.Use{use("a/flat-x", m, 0, 0, 0)}, 0, false},
		"each answer has the price of its length": {
			tokens(m+100, 0, 0, 0), []prices.Use{use("a/long", m, 0, 0, 0), use("a/long", 100, 0, 0, 0)}, 10.0001, true,
		},
		"of what is left the length is not known": {tokens(2*m, 0, 0, 0), []prices.Use{use("a/long", m, 0, 0, 0)}, 0, false},
		"a sum alone": {tokens(m, 0, 0, 0), nil, 0, false},
		"no tokens":   {},
	} {
		usd, known := table.Estimate(test.total, test.uses)
		if known != test.known || prices.Round(usd) != prices.Round(test.usd) && known {
			t.Errorf("%s: %v %v, not %v %v", name, usd, known, test.usd, test.known)
		}
	}
}

func tokens(in, out, read, write int64) records.TokenUsage {
	return records.TokenUsage{InputTokens: in, OutputTokens: out, CacheReadTokens: read, CacheWriteTokens: write}
}
