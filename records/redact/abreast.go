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

// Abreast redacts the steps of conversations on all processors. The result of a step depends on the step alone, and
// steps keep their order: so the record is the same as with one redactor. It may be used by several goroutines.
type Abreast struct{ twins sync.Pool }

// Abreast returns a form of the redactor that works on all processors.
func (r *Redactor) Abreast() *Abreast {
	return &Abreast{twins: sync.Pool{New: func() any { return r.Twin() }}}
}

// twin returns a redactor for one goroutine, until the goroutine puts it back.
func (a *Abreast) twin() *Redactor {
	r := a.twins.Get().(*Redactor) // the pool has only this type
	clear(r.seen)
	return r
}

// Sink returns a sink like a redactor's. It takes the next step before it has redacted the last ones: the error of
// a step can come with a later one.
func (a *Abreast) Sink(ctx context.Context, dir string) *Sink {
	s := a.twin().Sink(ctx, dir)
	s.ahead = &ahead{Abreast: a}
	return s
}

// Bounds of the begun work of a sink: the number of steps, and the bytes of their texts.
const (
	mostAhead      = 64
	mostAheadBytes = 4 << 20
)

// ahead is the begun work of a sink, the oldest first.
type ahead struct {
	*Abreast
	begun []begun
	bytes int
	todo  chan func(*Redactor) // nil before the first
}

// begun is a piece of work whose result is not kept.
type begun struct {
	ended chan ended
	bytes int
}

// ended is the result of a piece of work.
type ended struct {
	keep func() error
	seen map[string]string // secrets, with their rules
	err  error
}

// begin gives a piece of work to a processor. The returned functions are called in the order of the pieces.
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

// work does all pieces of work.
func (a *Abreast) work(todo <-chan func(*Redactor)) {
	r := a.twin()
	for one := range todo {
		one(r)
	}
	a.twins.Put(r)
}

// end lets the goroutines end.
func (a *ahead) end() {
	if a != nil && a.todo != nil {
		close(a.todo)
		a.todo = nil
	}
}

// safely does a piece of work, and turns a panic into an error.
func safely(r *Redactor, work func(*Redactor) (func() error, error)) (keep func() error, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", ErrPanic, p)
		}
	}()
	return work(r)
}

// settle waits for begun work, the oldest first, until at most left pieces remain.
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

// run does a piece of work: now, or while the next ones come.
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

// weight is the approximate number of bytes of text in a step.
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
