package main

import "fmt"

// scenarios lists all measurements in order.
func scenarios(o options) []scenario {
	trees, logs := []int{1000, 10_000, 100_000}, []int{fewEvents, 10_000, 100_000}
	log, commitTree, rebased, stored := 100_000, 20_000, 200, 10_000
	seals, beside := 1000, 200_000
	past, conversations := 1062, 248
	if o.quick {
		trees, logs, log, commitTree, rebased, stored = trees[:2], logs[:2], 10_000, 5000, 50, 1000
		past, conversations, seals, beside = 300, 70, 200, 10_000
	}
	all := []scenario{startup()}
	for _, files := range trees {
		all = append(all, toolHooks(files))
	}
	all = append(all, watching(beside), newFiles(500), newFiles(2000), appending(), sealing(log, seals),
		committing(commitTree), rebasing(rebased))
	all = append(all, blaming(o.quick)...)
	all = append(all, diffing(), restoring(), counting(past, conversations), reading(log), indexing(log),
		conversing(stored), growing(logs))
	all = append(all, converting(), sharing())
	all = append(all, serving(stored, log)...)
	if !o.quick {
		all = append(all, gathering(gatherers, gatheredEach))
	}
	if o.million {
		all = append(all, indexing(1_000_000), verifying(1_000_000))
	}
	return all
}

// size writes 10000 as 10k.
func size(n int) string {
	switch {
	case n >= 1_000_000:
		return fmt.Sprintf("%dM", n/1_000_000)
	case n >= 1000:
		return fmt.Sprintf("%dk", n/1000)
	}
	return fmt.Sprint(n)
}

// startup measures the start of a process.
func startup() scenario {
	return scenario{
		name: "start-up",
		rows: []row{{"git-trace --version", "ours", "git --version", ratio, 2.6}},
		prepare: func(b *bench) (func(int, *recorder) error, error) {
			return func(i int, r *recorder) error {
				return inTurn(i,
					func() error { return r.run("ours", b.trace(b.root, "--version")) },
					func() error { return r.run("git --version", b.git(b.root, "--version")) },
				)
			}, nil
		},
	}
}
