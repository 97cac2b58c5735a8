package backfill

import (
	"fmt"
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
	wrote := func(name string) {
		w.later(time.Minute)
		s := w.session(name)
		s.Edits = append(s.Edits, Edit{Path: w.dir + "/total.go", Time: w.clock, Hunks: []Hunk{{Lines: splitText(average)}}})
	}
	wrote("before")
	wrote("last")
	w.put("total.go", shop+average)
	w.commit("average")
	wrote("after")
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
		"the whole file":   {Edit{Whole: splitText(byHand)}, []string{"by hand s"}},
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

// An amended commit keeps the author's date, which is before that of the edits that it was amended with.
func TestAnAmendedCommitKeepsWhatTheAgentWroteByteForByte4(t *testing.T) {
	t.Parallel()
	for name, write := range map[string]func(w *world, s *Session){
		"a whole file": func(w *world, s *Session) { w.wrote(s, "total.go", shop+average) },
		"a replacement": func(w *world, s *Session) {
			w.replaced(s, "total.go", "\treturn sum\n}\n", "\treturn sum\n}\n"+average)
		},
		"in two edits": func(w *world, s *Session) {
			w.wrote(s, "total.go", shop+average[:60]+"\n")
			w.wrote(s, "total.go", shop+average)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.put("total.go", shop)
			w.commit("base")
			w.put("README", "by hand\n")
			w.commit("total")
			w.later(2 * time.Hour)
			s := w.session("s")
			write(w, s)
			w.put("total.go", shop+average)
			w.later(2 * time.Hour)
			w.git("commit", "-qa", "--amend", "--no-edit")
			lines := w.find()
			for line := range strings.Count(average, "\n") {
				place := fmt.Sprint("total total.go ", strings.Count(shop, "\n")+1+line)
				if text := splitText(average)[line]; text != "" && owner(lines, place) != "s exact_blob" {
					t.Errorf("%s (%s) is %q", place, text, owner(lines, place))
				}
			}
			if got := owner(lines, "total total.go 9"); got != "" {
				t.Errorf("a person's line is %q", got)
			}
		})
	}
}

// The replay knows the owner of each line of what the edits left behind, so nothing is left to judge where that was
// committed.
func TestACommittedBlobThatEditsLeftBehindIsTheirsLineByLine5(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("total.go", shop)
	w.commit("base")
	one, two := w.session("one"), w.session("two")
	w.replaced(one, "total.go", "\treturn sum\n", "\tif x {\n\t\treturn 0\n\t}\n\treturn sum\n")
	w.replaced(two, "total.go", "\t\treturn 0\n", "\t\ti++\n\t\treturn 0\n")
	w.replaced(one, "total.go", "\t\"os\"\n", "\t\"os\"\n\t\"io\"\n")
	w.put("total.go", strings.NewReplacer("\treturn sum\n", "\tif x {\n\t\ti++\n\t\treturn 0\n\t}\n\treturn sum\n", "\t\"os\"\n", "\t\"os\"\n\t\"io\"\n").Replace(shop))
	w.commit("small")
	want := []string{
		"small total.go 6 one exact_blob", "small total.go 15 one exact_blob", "small total.go 16 two exact_blob",
		"small total.go 17 one exact_blob", "small total.go 18 one exact_blob",
	}
	if got := w.find(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLinesThatOnlyMovedMakeNoLink6(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		after func(w *world)
		owner string // of the line of average.go or wherever it stands in the last commit
		place string
		links []string
	}{
		"a block that moved to another file": {func(w *world) {
			w.put("total.go", shop)
			w.put("average.go", "package shop\n"+average)
		}, "s moved_lines", "last average.go 5", []string{"first s"}},
		"a block that moved within the file": {func(w *world) {
			w.put("total.go", strings.Replace(shop, "// Total", strings.TrimPrefix(average, "\n")+"\n// Total", 1))
		}, "s moved_lines", "last total.go 10", []string{"first s"}},
		"one line that moved": {func(w *world) {
			line := "\t\treturn priceOfAnEmptyBasket\n"
			w.put("total.go", strings.Replace(strings.Replace(shop+average, line, "", 1), "\tsum :=", line+"\tsum :=", 1))
		}, "s moved_lines", "last total.go 10", []string{"first s"}},
		"lines that were indented anew": {func(w *world) {
			w.put("total.go", shop+strings.ReplaceAll(average, "\t", "    "))
		}, "s moved_lines", "last total.go 20", []string{"first s"}},
		"a line that comes back after weeks": {func(w *world) {
			line := "\t\treturn priceOfAnEmptyBasket\n"
			w.put("total.go", strings.Replace(shop+average, line, "", 1))
			w.commit("without")
			w.later(500 * time.Hour)
			w.put("total.go", strings.Replace(shop+strings.Replace(average, line, "", 1), "\tif len", line+"\tif len", 1))
		}, "s moved_lines", "last total.go 19", []string{"first s"}},
		"a whole change that is made again": {func(w *world) {
			w.put("total.go", shop)
			w.commit("without")
			w.later(500 * time.Hour)
			w.put("total.go", shop+average)
		}, "s exact_blob", "last total.go 18", []string{"first s", "last s"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.put("total.go", shop)
			w.commit("base")
			s := w.session("s")
			w.replaced(s, "total.go", "\treturn sum\n}\n", "\treturn sum\n}\n"+average)
			w.put("total.go", shop+average)
			w.commit("first")
			w.later(500 * time.Hour)
			c.after(w)
			w.commit("last")
			if got := owner(w.find(), c.place); got != c.owner {
				t.Errorf("%s is %q: %q", c.place, got, w.find())
			}
			if got := w.links(); !slices.Equal(got, c.links) {
				t.Errorf("got %q, want %q", got, c.links)
			}
		})
	}
}

// A session that moves a person's code has not written it.
func TestAPersonsBlockThatASessionMovedStaysTheirs6(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("total.go", shop+average)
	w.commit("base")
	s := w.session("s")
	w.wrote(s, "average.go", "package shop\n"+average)
	w.replaced(s, "total.go", average, "\n// Average stands in a file of its own.\n")
	w.put("average.go", "package shop\n"+average)
	w.put("total.go", shop+"\n// Average stands in a file of its own.\n")
	w.commit("moved")
	if got := w.find(); owner(got, "moved total.go 17") != "s exact_blob" || owner(got, "moved average.go 4") != "" || owner(got, "moved average.go 5") != "" {
		t.Errorf("got %q", got)
	}
}
