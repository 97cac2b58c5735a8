package redact

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"sync"

	"github.com/git-trace/git-trace/internal/fault"
	"github.com/git-trace/git-trace/records"
)

// Abreast redacts the steps of conversations in parallel, with one goroutine for each processor. The result of a step
// depends only on the step, and the steps keep their order. So the record is the same as with one redactor. Several
// goroutines may use an Abreast.
type Abreast struct{ twins sync.Pool }

// Abreast returns a parallel form of the redactor.
func (r *Redactor) Abreast() *Abreast {
	return &Abreast{twins: sync.Pool{New: func() any { return r.Twin() }}}
}

// twin returns a redactor for use by one goroutine, which puts it back into the pool afterwards.
func (a *Abreast) twin() *Redactor {
	r := a.twins.Get().(*Redactor) // the pool has only values of this type
	clear(r.seen)
	return r
}

// Sink returns a sink that works like the sink of a redactor. It accepts steps before the earlier ones are redacted: a
// later call can return the error of an earlier step.
func (a *Abreast) Sink(ctx context.Context, dir string) *Sink {
	s := a.twin().Sink(ctx, dir)
	s.ahead = &ahead{Abreast: a}
	return s
}

// The limits of the work that a sink has begun and not finished: the number of steps, and the bytes of their texts.
const (
	mostAhead      = 64
	mostAheadBytes = 4 << 20
)

// `ahead` holds the unfinished work of a sink, the oldest piece first.
type ahead struct {
	*Abreast
	begun []begun
	bytes int
	todo  chan func(*Redactor) // nil until the first piece of work
}

// begun is a piece of work whose result is not stored yet.
type begun struct {
	ended chan ended
	bytes int
}

// `ended` holds the result of a piece of work: the function `keep` stores it.
type ended struct {
	keep func() error
	seen map[string]string // the secrets found, each with its rule
	err  error
}

// begin queues a piece of work for the goroutines. The returned functions are called in the order in which the pieces
// were queued.
func (a *ahead) begin(bytes int, work func(*Redactor) (keep func() error, err error)) {
	if a.todo == nil {
		todo := make(chan func(*Redactor), mostAhead)
		for range runtime.GOMAXPROCS(0) {
			fault.Go(func() { a.work(todo) })
		}
		a.todo = todo
	}
	one := begun{make(chan ended, 1), bytes}
	a.begun, a.bytes = append(a.begun, one), a.bytes+bytes
	a.todo <- func(r *Redactor) {
		var out ended
		out.keep, out.err = safely(r, work)
		if len(r.seen) > 0 {
			out.seen = maps.Clone(r.seen)
			clear(r.seen)
		}
		one.ended <- out
	}
}

// work runs pieces of work until the channel is closed.
func (a *Abreast) work(todo <-chan func(*Redactor)) {
	r := a.twin()
	for one := range todo {
		one(r)
	}
	a.twins.Put(r)
}

// end makes the goroutines stop.
func (a *ahead) end() {
	if a != nil && a.todo != nil {
		close(a.todo)
		a.todo = nil
	}
}

// `safely` runs a piece of work and turns a panic into an error.
func safely(r *Redactor, work func(*Redactor) (func() error, error)) (keep func() error, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", ErrPanic, p)
		}
	}()
	return work(r)
}

// `settle` waits for unfinished work, the oldest first, until at most `left` pieces remain and their texts fit the
// limit.
func (s *Sink) settle(left int) error {
	a := s.ahead
	if a == nil {
		return nil
	}
	for len(a.begun) > left || a.bytes > mostAheadBytes {
		one := <-a.begun[0].ended
		a.bytes -= a.begun[0].bytes
		a.begun = a.begun[1:]
		if one.err != nil {
			return one.err
		}
		maps.Copy(s.redactor.seen, one.seen)
		if err := one.keep(); err != nil {
			return err
		}
	}
	return nil
}

// `run` runs a piece of work at once, or queues it if the sink works in parallel.
func (s *Sink) run(bytes int, work func(*Redactor) (keep func() error, err error)) error {
	if s.ahead != nil {
		s.ahead.begin(bytes, work)
		return s.settle(mostAhead)
	}
	keep, err := work(s.redactor)
	if err != nil {
		return err
	}
	return keep()
}

// weight returns the approximate number of bytes of text in a step.
func weight(step *records.Step) int {
	n := 0
	add := func(text *string) {
		if text != nil {
			n += len(*text)
		}
	}
	add(step.Content)
	add(step.ReasoningContent)
	for i := range step.ToolCalls {
		n += len(step.ToolCalls[i].Input)
	}
	for i := range step.Observations {
		add(step.Observations[i].Content)
	}
	for i := range step.Snippets {
		add(step.Snippets[i].Text)
	}
	return n
}
