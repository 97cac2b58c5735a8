// Command bench measures every operation whose speed git-trace promises. It compares it with plain git on the same
// machine at the same time, and reports whether the promise is kept:
//
//	go run ./internal/testing/bench            all of it; some minutes and two gigabytes of a temporary directory
//	go run ./internal/testing/bench --quick    smaller repositories and logs; a minute
//	go run ./internal/testing/bench --json     the same as JSON
//	go run ./internal/testing/bench --only blame
//
// It builds the release binary, and generates the same repositories and logs in each run. The compared programs run in
// turn, round after round, so that a disturbance affects both. The figure is the ratio of the medians. Absolute times
// say more about the machine than about the program.
//
// docs/performance.md shows a run.
package main
