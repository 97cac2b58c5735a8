package records

import (
	"runtime"

	"github.com/git-trace/git-trace/internal/fault"
	"github.com/git-trace/git-trace/records/rawjson"
)

// The limits of the steps whose canonical form is computed at once: the bytes of a batch, and the waiting batches for
// each processor.
const (
	batchBytes = 128 << 10
	batchAhead = 2
)

// batch is a run of consecutive steps as JSON; ends has the end of each in text. The canonical forms later replace the
// JSON.
type batch struct {
	text []byte
	room []byte // the memory for the canonical forms
	ends []int
	err  error
	done chan struct{}
}

// `canonical` yields the canonical form of each step, in order. All processors compute the forms, batch by batch.
func canonical(steps func(yield func(raw []byte) error) error, yield func(step []byte)) error {
	var begun []*batch
	var spare []*batch
	next := func() *batch {
		if n := len(spare); n > 0 {
			b := spare[n-1]
			spare = spare[:n-1]
			b.text, b.ends, b.err = b.text[:0], b.ends[:0], nil
			return b
		}
		return &batch{done: make(chan struct{}, 1)}
	}
	settle := func(left int) error {
		for len(begun) > left {
			b := begun[0]
			begun = begun[1:]
			if <-b.done; b.err != nil {
				return b.err
			}
			from := 0
			for _, end := range b.ends {
				yield(b.text[from:end])
				from = end
			}
			spare = append(spare, b)
		}
		return nil
	}
	now := next()
	err := steps(func(raw []byte) error {
		now.text = append(now.text, raw...)
		if now.ends = append(now.ends, len(now.text)); len(now.text) < batchBytes {
			return nil
		}
		begun = append(begun, now)
		fault.Go(now.canonical)
		now = next()
		return settle(batchAhead * runtime.GOMAXPROCS(0))
	})
	if err == nil {
		now.canonical()
		begun = append(begun, now)
		err = settle(0)
	}
	for _, b := range begun { // after an error
		<-b.done
	}
	return err
}

// `canonical` replaces the steps of the batch with their canonical forms.
func (b *batch) canonical() {
	out := b.room[:0]
	from := 0
	for i, end := range b.ends {
		if out, b.err = rawjson.AppendCanonical(out, b.text[from:end]); b.err != nil {
			break
		}
		from, b.ends[i] = end, len(out)
	}
	b.text, b.room = out, b.text
	b.done <- struct{}{}
}
