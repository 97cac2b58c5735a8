package figures

import (
	"testing"

	"github.com/git-trace/git-trace/view"
)

// A group has the tokens of all its conversations with a record, and the cost of those whose cost is known.
func TestChargesOfAGroup(t *testing.T) {
	t.Parallel()
	cost := 0.5
	var c charges
	c.add(&view.Usage{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4})
	if c.usd != nil {
		t.Errorf("nothing is known of the cost, and it is %v", *c.usd)
	}
	c.add(&view.Usage{Input: 10, Output: 20, CacheRead: 30, CacheWrite: 40, CostUSD: &cost})
	c.add(&view.Usage{CostUSD: &cost})
	if c.tokens != (Tokens{11, 22, 33, 44}) || c.usd == nil || *c.usd != 1 || cost != 0.5 {
		t.Errorf("%+v, %v", c.tokens, c.usd)
	}
}
