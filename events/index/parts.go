package index

import (
	"iter"
	"runtime"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/fault"
)

// partBytes is the number of bytes of a log that one processor reads at a time.
const partBytes = 8 << 20

// eachPart reads a stored text from an offset on, part by part, on all processors. It passes on the results in their
// order.
func eachPart[T any](
	t *events.Text, from, size int64, read func(lines iter.Seq2[events.CopyLine, error]) (T, error),
	take func(part T, end int64) error,
) error {
	type job struct {
		done chan struct{}
		buf  []byte
		part T
		end  int64
		err  error
	}
	if from >= t.Stored() {
		return nil
	}
	var pending []*job
	var free []byte // the lines of a part that was taken
	defer func() {
		for _, j := range pending { // after an error: a closed log must not be read
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
		free = j.buf
		return take(j.part, j.end)
	}
	for at := from; at < t.Stored(); at += size {
		j := &job{done: make(chan struct{}), buf: free, end: min(at+size, t.Stored())}
		pending, free = append(pending, j), nil
		fault.Go(func() {
			defer close(j.done)
			j.part, j.err = read(t.Part(&j.buf, at, j.end))
		})
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

// indexedPart indexes some events that follow each other.
func indexedPart(lines iter.Seq2[events.CopyLine, error]) (*recent, error) {
	r := newRecent()
	for line, err := range lines {
		if err != nil {
			return nil, err
		}
		if err := r.take(line); err != nil {
			return nil, err
		}
	}
	return r, nil
}
