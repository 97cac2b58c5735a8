package fault

import (
	"iter"
	"runtime"
)

// InOrder does jobs on all processors, and passes the results to `take` in the order of the jobs. The first error of
// take ends it.
func InOrder[J, R any](jobs iter.Seq[J], work func(J) R, take func(R) error) error {
	var pending []chan R
	var err error
	settle := func(left int) {
		for ; len(pending) > left; pending = pending[1:] {
			if done := <-pending[0]; err == nil {
				err = take(done)
			}
		}
	}
	for job := range jobs {
		done := make(chan R, 1)
		pending = append(pending, done)
		Go(func() { done <- work(job) })
		if settle(runtime.GOMAXPROCS(0)); err != nil {
			break
		}
	}
	settle(0)
	return err
}
