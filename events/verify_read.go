package events

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/git-trace/git-trace/fault"
	"github.com/git-trace/git-trace/refs"
)

// read goes through all commits from the tip to the root and has them checked on all processors. Git lists and reads
// them in bulk as long as its list agrees with what the commits themselves say; where it does not, or where git gives
// up, the next commit is asked for by its name.
func (v *verifier) read(ctx context.Context) error {
	p := v.startChecks()
	if v.own != nil {
		err := v.readFile(ctx, p)
		p.finish()
		return err
	}
	if isSeal, err := v.log.isSeal(v.report.Tip); err == nil && isSeal {
		cut := v.readSealed(p)
		p.finish()
		if cut != "" {
			v.chain.cut(v.report.Tip, cut)
		}
		return ctx.Err()
	}
	r := verifyReader{v: v, next: v.report.Tip, checks: p}
	err := r.run(ctx)
	p.finish()
	if err == nil {
		err = ctx.Err()
	}
	if err == nil && r.cut != "" {
		v.chain.cut(r.next, r.cut)
	}
	return err
}

type verifyReader struct {
	v       *verifier
	checks  *checks
	next    refs.OID
	strange int    // commits in a row that are no batch
	cut     string // why reading ended before the root

	// A commit that was changed in place can name a later one as its parent. Brent's way finds such a circle.
	hare, power int
	tortoise    refs.OID
}

var errDiverged = errors.New("git lists another commit")

func (r *verifyReader) run(ctx context.Context) error {
	for !r.next.IsZero() && r.cut == "" {
		before := r.next
		err := r.v.log.listed(ctx, r.next, refs.OID{}, listing{env: r.env()}, func(c rawCommit) error {
			if c.oid != r.next {
				return errDiverged
			}
			return r.take(c)
		})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil && r.next.IsZero() || r.cut != "" {
			return nil
		}
		if r.next != before {
			continue // the list broke off, but it got somewhere
		}
		c, err := r.single(ctx)
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			r.cut = err.Error()
			return nil
		}
		_ = r.take(c)
	}
	return nil
}

// env lets git look into the side store while a gc may have taken from the main one what Heal will put back.
func (r *verifyReader) env() []string {
	if r.v.report.Ref == refs.EventsRef && r.v.log.gcRuns() {
		return r.v.log.repo.SideReadEnv()
	}
	return nil
}

// take hands a commit on and moves to its parent.
func (r *verifyReader) take(c rawCommit) error {
	r.checks.submit(c)
	r.v.unsound.meet(c.oid)
	if looksLikeBatch(c.raw) {
		r.strange = 0
	} else if r.strange++; r.strange > maxStrange {
		r.cut = "what lies before is no event log"
		return errStopped
	}
	if r.hare == r.power {
		r.tortoise, r.hare, r.power = c.oid, 0, max(1, 2*r.power)
	}
	r.hare++
	if r.next = firstParent(c.raw); r.next == r.tortoise {
		r.cut = "the commits go round in a circle"
		return errStopped
	}
	return nil
}

// single reads the next commit on its own.
func (r *verifyReader) single(ctx context.Context) (rawCommit, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends a git that has more to say than is wanted
	cmd := r.v.log.repo.Command(ctx, "cat-file", "--batch")
	cmd.Env = append(cmd.Env, r.env()...)
	cmd.Stdin = strings.NewReader(r.next.String() + "\n")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return rawCommit{}, err
	}
	var found []rawCommit
	err = eachObject(out, func(c rawCommit) error {
		found = append(found, c)
		return nil
	})
	if err != nil {
		cancel()
	}
	_ = cmd.Wait() // a failure shows in what was read
	switch {
	case errors.Is(err, refs.ErrMissing), err == nil && len(found) != 1:
		return rawCommit{}, errors.New("missing or damaged")
	case err != nil:
		return rawCommit{}, err
	}
	found[0].oid = r.next
	return found[0], nil
}

// firstParent reads the second header line of a commit, whatever the rest is.
func firstParent(raw []byte) refs.OID {
	_, rest, _ := bytes.Cut(raw, []byte("\n"))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	digits, ok := bytes.CutPrefix(line, []byte("parent "))
	if !ok {
		return refs.OID{}
	}
	oid, err := refs.ParseOID(string(digits))
	if err != nil {
		return refs.OID{}
	}
	return oid
}

func looksLikeBatch(raw []byte) bool {
	_, message, _ := bytes.Cut(raw, []byte("\n\n"))
	return bytes.HasPrefix(message, []byte(batchSubject))
}

// checks runs the commits through checkCommit on all processors and gives the results to the summary in order.
type checks struct {
	v     *verifier
	chunk []rawCommit
	size  int // bytes in chunk
	queue chan *checkJob
	done  chan struct{}
	slots chan struct{}
}

type checkJob struct {
	results chan []checkedCommit
}

// checkChunk and checkBytes are how much one job holds: enough to make handing over cheap, not enough to fill the
// memory with what a foreign log may contain.
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
			for _, commit := range <-job.results {
				v.chain.add(commit)
			}
		}
	})
	return c
}

func (c *checks) submit(commit rawCommit) {
	c.chunk = append(c.chunk, commit)
	if c.size += len(commit.raw); len(c.chunk) == checkChunk || c.size > checkBytes {
		c.flush()
	}
}

func (c *checks) flush() {
	if len(c.chunk) == 0 {
		return
	}
	chunk := c.chunk
	c.chunk, c.size = make([]rawCommit, 0, checkChunk), 0
	job := &checkJob{results: make(chan []checkedCommit, 1)}
	c.slots <- struct{}{}
	fault.Go(func() {
		defer func() { <-c.slots }()
		results := make([]checkedCommit, len(chunk))
		var reader checkedReader
		for i := range chunk {
			if chunk[i].part != nil {
				results[i] = checkPart(&reader, *chunk[i].part, c.v.chain.watched)
			} else {
				results[i] = checkCommit(&reader, c.v.log.repo.Format, chunk[i], c.v.chain.watched)
			}
		}
		job.results <- results
	})
	c.queue <- job
}

// finish waits for all results.
func (c *checks) finish() {
	c.flush()
	close(c.queue)
	<-c.done
}

// describeCut words the fault at which reading ended.
func describeCut(why string) string {
	return fmt.Sprintf("%s: nothing before it can be checked", why)
}
