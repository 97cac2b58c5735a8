package records_test

import (
	"math"
	"testing"

	"github.com/git-trace/git-trace/records"
)

func TestAConversationHasOneCost(t *testing.T) {
	t.Parallel()
	cost := func(usd float64) *records.Float { return new(records.Float(usd)) }
	for name, test := range map[string]struct {
		estimated *records.Float
		meta      map[string]any
		want      float64
		by, asOf  string
	}{
		"by prices":                           {cost(2), map[string]any{"prices_as_of": "2026-10-16"}, 2, "prices", "2026-10-16"},
		"by prices, whatever the client says": {cost(2), map[string]any{"client_cost_usd": 3}, 2, "prices", ""},
		"by the client":                       {nil, map[string]any{"client_cost_usd": 3.5, "prices_as_of": "2026-10-16"}, 3.5, "client", ""},
		"nobody knows":                        {nil, nil, 0, "", ""},
		"a client that says nothing":          {nil, map[string]any{"client_cost_usd": 0}, 0, "", ""},
		"a client that says no number":        {nil, map[string]any{"client_cost_usd": "a lot"}, 0, "", ""},
		"a negative one of a stranger":        {cost(-2), map[string]any{"client_cost_usd": -3}, 0, "", ""},
		"one beyond belief":                   {cost(1e9), map[string]any{"client_cost_usd": 1e300}, 0, "", ""},
		"one that is no number":               {cost(math.NaN()), nil, 0, "", ""},
		"a day that is none":                  {cost(2), map[string]any{"prices_as_of": "\x1b[2J"}, 2, "prices", ""},
	} {
		r := &records.Record{Metrics: records.Metrics{EstimatedCostUSD: test.estimated}}
		for key, value := range test.meta {
			r.SetMeta(key, value)
		}
		usd, by, asOf := r.Cost()
		got := 0.0
		if usd != nil {
			got = *usd
		}
		if got != test.want || (usd != nil) != (by != "") || by != test.by || asOf != test.asOf {
			t.Errorf("%s: got %v by %q of %q", name, got, by, asOf)
		}
	}
}
