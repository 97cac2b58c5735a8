package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// verdict is the result for a mutant.
type verdict struct {
	Key     string  `json:"key"`
	Package string  `json:"package"`
	File    string  `json:"file"`
	Line    int     `json:"line"`
	Status  string  `json:"status"`
	By      string  `json:"by,omitempty"`      // the test that noticed it
	Tests   int     `json:"tests"`             // number of tests that reach it
	Untried int     `json:"untried,omitempty"` // number of those that did not run, for lack of time
	Seconds float64 `json:"seconds"`
}

const (
	killed    = "killed"
	survived  = "survived"
	unreached = "unreached" // survived, because no test reaches it
)

// `judge` runs the tests that reach a mutant until one fails: the cheapest of its package first, then those of other
// packages. A test must fail twice, because one failure may be chance.
func (w *world) judge(ctx context.Context, m *mutant, units []*unit, budget time.Duration) (verdict, error) {
	v := verdict{Key: m.key, Package: m.pkg, File: m.file, Line: m.line, Status: unreached, Tests: len(units)}
	if len(units) == 0 {
		return v, nil
	}
	began := time.Now()
	defer func() { v.Seconds = time.Since(began).Seconds() }()
	place, err := os.MkdirTemp(filepath.Join(w.dir, "work"), "w")
	if err != nil {
		return v, err
	}
	defer takeAway(place)
	v.Status = survived
	woken := map[string]string{}
	for _, batch := range batches(m.pkg, units) {
		var takes time.Duration
		for _, u := range batch {
			takes += u.Took
		}
		if budget < takes {
			v.Untried += len(batch)
			continue
		}
		budget -= takes
		pkg := batch[0].Package
		program := woken[pkg]
		if program == "" {
			program = filepath.Join(place, filepath.Base(w.programs[pkg]))
			if err := awaken(w.programs[pkg], program, m.id, ""); err != nil {
				return v, err
			}
			woken[pkg] = program
		}
		limit := 5*takes + 10*time.Second
		r := runTests(ctx, w.root, place, program, pkg, batch, limit)
		if r.outcome == failed {
			r = runTests(ctx, w.root, place, program, pkg, batch, limit)
		}
		if ctx.Err() != nil {
			return v, ctx.Err()
		}
		if r.outcome != passed {
			v.Status, v.By = killed, pkg+" "+r.failed
			if r.outcome == timedOut {
				v.By += fmt.Sprintf(" (no end after %.0f s)", limit.Seconds())
			}
			break
		}
	}
	v.Seconds = time.Since(began).Seconds()
	return v, nil
}

// batches sorts tests, and groups those that run in one process: small groups first, then larger ones.
func batches(own string, units []*unit) [][]*unit {
	sorted := slices.Clone(units)
	slices.SortStableFunc(sorted, func(a, b *unit) int {
		return cmp.Or(cmp.Compare(far(own, a), far(own, b)), cmp.Compare(a.Package, b.Package),
			cmp.Compare(isScript(a), isScript(b)), cmp.Compare(a.Took, b.Took))
	})
	var out [][]*unit
	var sum, most time.Duration
	for _, u := range sorted {
		last := len(out) - 1
		if last >= 0 && out[last][0].Package == u.Package && isScript(out[last][0]) == isScript(u) && sum+u.Took <= most {
			out[last], sum = append(out[last], u), sum+u.Took
			continue
		}
		if last >= 0 && out[last][0].Package == u.Package {
			most *= 2
		} else {
			most = 2 * time.Second
		}
		out, sum = append(out, []*unit{u}), u.Took
	}
	return out
}

// `far` returns the distance of a test's package; nearer ones run first.
func far(own string, u *unit) int {
	switch u.Package {
	case own:
		return 0
	case scriptPackage:
		return 2
	}
	return 1
}

func isScript(u *unit) int {
	if u.Package == scriptPackage && len(u.Name) > len(scriptTest) && u.Name[:len(scriptTest)+1] == scriptTest+"/" {
		return 0
	}
	return 1
}
