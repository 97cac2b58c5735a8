package backfill

import (
	"slices"
	"strings"
	"testing"
	"time"
)

const shop = `package shop

import (
	"fmt"
	"os"
)

// Total sums the prices of a basket.
func Total(prices []int) int {
	sum := startingValue(prices)
	for _, price := range prices {
		sum += price
	}
	return sum
}
`

const average = `
// Average is the middle of the prices of a basket.
func Average(prices []int) int {
	if len(prices) == noPricesAtAll {
		return priceOfAnEmptyBasket
	}
	return Total(prices) / len(prices)
}
`

// The numbers are those of a list of twelve things that were wrong with backfill.

func TestOneSessionInTwoWorkTreesOfTheRepository3(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("total.go", shop)
	w.commit("base")
	w.git("worktree", "add", "-q", "../other")
	other := strings.TrimSuffix(w.dir, "shop") + "other"
	s, second := w.session("s"), w.session("second")
	w.replaced(s, "total.go", "startingValue", "beginningOfTheSum")
	w.later(time.Minute)
	s.Edits = append(s.Edits, Edit{Path: other + "/total.go", Time: w.clock, Replaces: []Replacement{{Old: "sum += price\n", New: "sum += discounted(price)\n"}}})
	w.later(time.Minute)
	s.Edits = append(s.Edits, Edit{Path: other + "/total.go", Time: w.clock, Replaces: []Replacement{{Old: "fmt", New: "io/formatted"}}})
	w.replaced(second, "total.go", "+= discounted(price)\n", "+= roundedToCents(discounted(price))\n")
	w.put("total.go", strings.NewReplacer("startingValue", "beginningOfTheSum", "+= price\n", "+= roundedToCents(discounted(price))\n").Replace(shop))
	w.commit("here")
	if got := w.links(); !slices.Equal(got, []string{"here s", "here second"}) {
		t.Errorf("got %q", got)
	}
}
