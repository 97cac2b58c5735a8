package exchange

import (
	"context"
	"runtime"

	"github.com/git-trace/git-trace/internal/fault"
	"github.com/git-trace/git-trace/records"
)

// abreast converts several records in parallel, one a processor, and returns the results in order.
type abreast struct {
	ctx    context.Context
	as     Outgoing // the form of the output
	lanes  chan struct{}
	order  chan chan *became // the results of the records in work, the oldest first
	ended  chan error
	failed chan struct{} // closed after a failure
}

// became is the result of the conversion of a record.
type became struct {
	number int
	record *records.Record
	text   heldOutput
	err    error
}

// goAbreast starts the conversion. It passes the results to take, in order. The first error ends the conversion.
func goAbreast(ctx context.Context, as Outgoing, take func(*became) error) *abreast {
	n := runtime.GOMAXPROCS(0)
	a := &abreast{ctx: ctx, as: as, lanes: make(chan struct{}, n), order: make(chan chan *became, n),
		ended: make(chan error, 1), failed: make(chan struct{})}
	fault.Go(func() {
		var err error
		for one := range a.order {
			done := <-one
			<-a.lanes
			if err == nil {
				if err = take(done); err != nil {
					close(a.failed)
				}
			}
			done.text.close()
		}
		a.ended <- err
	})
	return a
}

// record starts the conversion of the next record, and does not wait for its end.
func (a *abreast) record(number int, r *records.Record) error {
	select {
	case <-a.failed:
		return errStopped
	case a.lanes <- struct{}{}:
	}
	one := make(chan *became, 1)
	a.order <- one
	fault.Go(func() {
		done := &became{number: number, record: r}
		out := a.as
		out.Out = &done.text
		done.err = out.record(a.ctx, r)
		one <- done
	})
	return nil
}

// `end` waits for the last record, and returns the first error.
func (a *abreast) end() error {
	close(a.order)
	return <-a.ended
}
