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

func TestAFailedReplacementDoesNotMakeAStranger9(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("total.go", shop)
	w.commit("base")
	s := w.session("s", "/home/alice/src/shop")
	w.replaced(s, "total.go", "what a person had typed and did not keep", "something else") // what was there is not known
	w.wrote(s, "average.go", "package shop\n"+average)
	w.put("average.go", "package shop\n"+average)
	w.commit("average")
	if got := w.links(); !slices.Equal(got, []string{"average s"}) {
		t.Errorf("got %q", got)
	}
}

func TestAnEditBeforeTheCommitComesBeforeOneAfterIt7(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("total.go", shop)
	w.commit("base")
	before, last, after := w.session("before"), w.session("last"), w.session("after")
	w.replaced(before, "total.go", "return sum\n}\n", "return sum\n}\n"+average)
	w.replaced(last, "total.go", "return sum\n}\n", "return sum\n}\n"+average)
	w.put("total.go", shop+average)
	w.commit("average")
	w.replaced(after, "total.go", "return sum\n}\n", "return sum\n}\n"+average)
	if got := w.links(); !slices.Equal(got, []string{"average last"}) {
		t.Errorf("got %q", got)
	}
}

func TestAPersonsLinesInRebasedHistoryStayTheirs1(t *testing.T) {
	t.Parallel()
	twoLines := []string{"\tpricesOfYesterday := remembered(prices)", "\tpricesOfTomorrow := forecast(prices)"}
	byHand := strings.Replace(shop, "\tfor _", strings.Join(twoLines, "\n")+"\n\tfor _", 1)
	for name, c := range map[string]struct {
		edit Edit
		want []string
	}{
		"lines that a later conversation wrote among others": {Edit{Hunks: []Hunk{{Lines: append([]string{"\tfirst := firstOf(prices)"}, twoLines...)}}}, nil},
		"a whole block":    {Edit{Hunks: []Hunk{{Lines: twoLines}}}, []string{"by hand s"}},
		"after both dates": {Edit{Hunks: []Hunk{{Lines: twoLines}}, Time: time.Date(2026, 3, 9, 9, 0, 0, 0, time.UTC)}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.put("total.go", shop)
			w.commit("base")
			authored := w.clock.Add(time.Hour)
			w.later(24 * time.Hour)
			s := w.session("s")
			c.edit.Path = w.dir + "/total.go"
			if c.edit.Time.IsZero() {
				c.edit.Time = w.clock
			}
			s.Edits = append(s.Edits, c.edit)
			w.later(24 * time.Hour)
			w.put("total.go", byHand)
			w.gitAt(authored, "commit", "-qam", "by hand")
			w.later(30 * 24 * time.Hour)
			w.commit("the end")
			if got := w.links(); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestACommitOfTheSessionItself8(t *testing.T) {
	t.Parallel()
	for name, own := range map[string]bool{"made by the session": true, "made by somebody": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.put("total.go", shop)
			w.commit("base")
			s, other := w.session("s"), w.session("other")
			change := func(text string) string { return strings.Replace(text, "sum += price\n", "sum += 2 * price\n", 1) }
			w.replaced(s, "total.go", "what a person typed\n\t\tsum += price", "what a person typed\n\t\tsum += 2 * price")
			w.replaced(other, "total.go", "what a person typed\n\t\tsum += price", "what a person typed\n\t\tsum += 2 * price")
			w.put("total.go", strings.Replace(change(shop), "2 * price\n", "2 * price\n\t\tcountThePrices++\n", 1))
			id := w.commit("small")
			if own {
				s.Made = []string{id[:9]}
			}
			got := w.links()
			if want := map[bool][]string{true: {"small s"}, false: nil}[own]; !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestCopiesOfACommitDoNotMakeItsLinesCommon10(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("total.go", shop)
	w.commit("base")
	s := w.session("s")
	w.replaced(s, "total.go", "return sum\n", "extra := overheadOf(prices)\n\treturn extra.addedTo(sum)\n")
	w.put("total.go", strings.Replace(shop, "return sum\n", "thisIsByHand(prices)\n\textra := overheadOf(prices)\n\treturn extra.addedTo(sum)\n", 1))
	w.commit("overhead")
	w.git("branch", "topic")
	for i := range 10 { // a branch that was rebased now and then, each time kept
		name := "copy" + string(rune('a'+i))
		w.later(time.Hour)
		w.git("switch", "-qc", name, "main~1")
		w.put(name, name+"\n")
		w.commit(name)
		w.git("cherry-pick", "topic")
	}
	if got := w.links("--branches"); len(got) != 11 || got[0] != "overhead s" {
		t.Errorf("got %q", got)
	}
}
