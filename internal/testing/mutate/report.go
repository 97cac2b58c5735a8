package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
)

// tally counts the mutants of a package.
type tally struct{ all, killed, equivalent int }

func (t tally) ratio() float64 {
	if t.all == t.equivalent {
		return 100
	}
	return 100 * float64(t.killed) / float64(t.all-t.equivalent)
}

// `report` prints a table of packages, and the survivors. It returns the ratio for all packages.
func report(out io.Writer, verdicts []verdict, accepted map[string]acceptance) float64 {
	per := map[string]*tally{}
	var sum tally
	var left []verdict
	for _, v := range verdicts {
		t := per[v.Package]
		if t == nil {
			t = &tally{}
			per[v.Package] = t
		}
		for _, t := range []*tally{t, &sum} {
			t.all++
			if v.Status == killed {
				t.killed++
			} else if accepted[v.Key].equivalent {
				t.equivalent++
			}
		}
		if v.Status != killed {
			left = append(left, v)
		}
	}
	names := make([]string, 0, len(per))
	for name := range per {
		names = append(names, name)
	}
	slices.Sort(names)
	table := tabwriter.NewWriter(out, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "mutants\tkilled\tequivalent\tof 100\t  package\t")
	for _, name := range names {
		t := per[name]
		fmt.Fprintf(table, "%d\t%d\t%d\t%.1f\t  %s\t\n", t.all, t.killed, t.equivalent, t.ratio(), name)
	}
	fmt.Fprintf(table, "%d\t%d\t%d\t%.1f\t  all\t\n", sum.all, sum.killed, sum.equivalent, sum.ratio())
	_ = table.Flush()

	slices.SortFunc(left, func(a, b verdict) int {
		return cmp.Or(cmp.Compare(a.File, b.File),
			cmp.Compare(a.Line, b.Line))
	})
	for _, v := range left {
		fmt.Fprintf(out, "\n%s:%d: %s, %d tests reach it", v.File, v.Line, v.Status, v.Tests)
		if v.Untried > 0 {
			fmt.Fprintf(out, ", %d of them too long for the budget", v.Untried)
		}
		fmt.Fprintf(out, "\n  %s\n", v.Key)
		if a, ok := accepted[v.Key]; ok {
			fmt.Fprintf(out, "  %s\n", a.reason)
		}
	}
	return sum.ratio()
}
