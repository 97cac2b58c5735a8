package index

import (
	"runtime"

	"github.com/git-trace/git-trace/events"
)

// partBytes is how much of a log one processor reads at a time.
const partBytes = 8 << 20

// eachPart reads what is stored of a log from an offset on, part by part, on all processors. It hands on what the parts
// gave in their order.
func eachPart[T any](
	c *events.Copy, from, size int64, read func(c *events.Copy, start, end int64) (T, error),
	take func(part T, end int64) error,
) error {
	type job struct {
		done chan struct{}
		part T
		end  int64
		err  error
	}
	if from >= c.Stored() {
		return nil
	}
	if _, err := c.Line(from, 0); err != nil { // opens the file, which the parts share
		return err
	}
	var pending []*job
	defer func() {
		for _, j := range pending { // after an error: nobody reads in a log that was closed
			<-j.done
		}
	}()
	first := func() error {
		j := pending[0]
		pending = pending[1:]
		<-j.done
		if j.err != nil {
			return j.err
		}
		return take(j.part, j.end)
	}
	for at := from; at < c.Stored(); at += size {
		j := &job{done: make(chan struct{}), end: min(at+size, c.Stored())}
		pending = append(pending, j)
		go func() {
			defer close(j.done)
			j.part, j.err = read(c, at, j.end)
		}()
		if len(pending) <= runtime.GOMAXPROCS(0) {
			continue
		}
		if err := first(); err != nil {
			return err
		}
	}
	for len(pending) > 0 {
		if err := first(); err != nil {
			return err
		}
	}
	return nil
}

// indexedPart indexes the events whose lines begin in a part of what is stored.
func indexedPart(c *events.Copy, start, end int64) (*recent, error) {
	r := newRecent()
	for line, err := range c.Part(start, end) {
		if err != nil {
			return nil, err
		}
		if err := r.take(line); err != nil {
			return nil, err
		}
	}
	r.close()
	return r, nil
}
