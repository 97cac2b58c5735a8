// Command bench measures every path whose speed git-trace promises. It does so beside plain git on the same machine in
// the same minute, and says whether the promise is kept:
//
//	go run ./internal/testing/bench            all of it; some minutes and two gigabytes of a temporary directory
//	go run ./internal/testing/bench --quick    smaller repositories and logs; a minute
//	go run ./internal/testing/bench --json     the same as JSON
//	go run ./internal/testing/bench --only blame
//
// It builds the release binary and generates the repositories and logs, always the same ones. The compared programs run
// in turn, round after round, in one process, so that a noisy moment hits both sides; the figure is the ratio of the
// medians. Absolute times say more about the machine than about the program.
//
// docs/performance.md shows a run.
package main
