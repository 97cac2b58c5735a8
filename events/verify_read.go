package events

import (
	"context"
	"fmt"
	"runtime"

	"github.com/git-trace/git-trace/internal/fault"
)

// read reads the whole log, the newest part first, and checks the parts on all processors.
func (v *verifier) read(ctx context.Context) error {
	p := v.startChecks()
	if v.own != nil {
		err := v.readFile(ctx, p)
		p.finish()
		return err
	}
	cut := ""
	if !v.report.Tip.IsZero() {
		cut = v.readSealed(p)
	}
	p.finish()
	if cut != "" {
		v.chain.cut(cut)
	}
	return ctx.Err()
}

// checks runs parts through checkPart on all processors and gives the results to the summary in order.
type checks struct {
	v     *verifier
	chunk []part
	size  int // bytes in chunk
	queue chan *checkJob
	done  chan struct{}
	slots chan struct{}
}

type checkJob struct {
	results chan []checkedPart
}

// checkChunk and checkBytes bound one job: large enough to be worth a goroutine, and small enough that a foreign log
// cannot fill the memory.
const (
	checkChunk = 32
	checkBytes = 1 << 20
)

func (v *verifier) startChecks() *checks {
	workers := runtime.GOMAXPROCS(0)
	c := &checks{v: v, queue: make(chan *checkJob, 2*workers), done: make(chan struct{}),
		slots: make(chan struct{}, workers)}
	fault.Go(func() {
		defer close(c.done)
		for job := range c.queue {
			for _, checked := range <-job.results {
				v.chain.add(checked)
			}
		}
	})
	return c
}

func (c *checks) submit(p part) {
	c.chunk = append(c.chunk, p)
	if c.size += p.size; len(c.chunk) == checkChunk || c.size > checkBytes {
		c.flush()
	}
}

func (c *checks) flush() {
	if len(c.chunk) == 0 {
		return
	}
	chunk := c.chunk
	c.chunk, c.size = make([]part, 0, checkChunk), 0
	job := &checkJob{results: make(chan []checkedPart, 1)}
	c.slots <- struct{}{}
	fault.Go(func() {
		defer func() { <-c.slots }()
		results := make([]checkedPart, len(chunk))
		var reader checkedReader
		for i := range chunk {
			results[i] = checkPart(&reader, chunk[i], c.v.chain.watched)
		}
		job.results <- results
	})
	c.queue <- job
}

// `finish` waits for all results.
func (c *checks) finish() {
	c.flush()
	close(c.queue)
	<-c.done
}

// describeCut describes the fault at which reading ended.
func describeCut(why string) string {
	return fmt.Sprintf("%s: nothing before it can be checked", why)
}
