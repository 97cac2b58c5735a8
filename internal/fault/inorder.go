package fault

import (
	"cmp"
	"iter"
	"runtime"
)

// InOrder does jobs on all processors, and passes the results to `take` in the order of the jobs. The first error ends
// it.
func InOrder[J, R any](jobs iter.Seq2[J, error], work func(J) (R, error), take func(R) error) error {
	type result struct {
		of  R
		err error
	}
	var pending []chan result
	var err error
	settle := func(left int) {
		for ; len(pending) > left; pending = pending[1:] {
			if done := <-pending[0]; err == nil {
				if err = done.err; err == nil {
					err = take(done.of)
				}
			}
		}
	}
	for job, unread := range jobs {
		if unread != nil {
			settle(0)
			return cmp.Or(err, unread)
		}
		done := make(chan result, 1)
		pending = append(pending, done)
		Go(func() {
			of, err := work(job)
			done <- result{of, err}
		})
		if settle(runtime.GOMAXPROCS(0)); err != nil {
			break
		}
	}
	settle(0)
	return err
}
