package records

import (
	"encoding/json"
	"math"
	"time"
)

// The sources of a cost.
const (
	CostByPrices = "prices" // computed from the tokens and a table of prices
	CostByClient = "client" // the client's own figure
)

// The metadata members with the cost.
const (
	MetaPricesAsOf = "prices_as_of"    // the day of the prices for estimated_cost_usd
	MetaClientCost = "client_cost_usd" // the client's figure for the cost of the conversation
)

// mostCost is the highest plausible cost of a conversation, in US dollars.
const mostCost = 1e6

// Cost returns the cost of the conversation in US dollars and its source: the table of prices or, if that has no cost,
// the client. The two costs are never added up. The result `usd` is nil if both are missing, or if a foreign record has
// an impossible cost. The result `asOf` is the day of the prices (2006-01-02); "" if unknown.
func (r *Record) Cost() (usd *float64, by, asOf string) {
	if known := r.Metrics.EstimatedCostUSD; known != nil && possibleCost(float64(*known)) {
		var day string
		if json.Unmarshal(r.Metadata[MetaPricesAsOf], &day) == nil {
			if _, err := time.Parse(time.DateOnly, day); err == nil {
				asOf = day
			}
		}
		return new(float64(*known)), CostByPrices, asOf
	}
	var client float64
	if json.Unmarshal(r.Metadata[MetaClientCost], &client) == nil && client > 0 && possibleCost(client) {
		return &client, CostByClient, ""
	}
	return nil, "", ""
}

func possibleCost(usd float64) bool { return usd >= 0 && usd <= mostCost && !math.IsNaN(usd) }
