package web

import (
	"context"
	"sync"
	"time"

	"github.com/git-trace/git-trace/internal/fault"
	"github.com/git-trace/git-trace/report/answers"
)

// checked is the result of a check of the log, with its time.
type checked struct {
	answers.Verify
	At time.Time `json:"-"`
}

// verifying is the command that checks the log.
var verifying = []string{"verify", "--json"}

// checkEvery is the time for which the overview shows the result of a check. Checking a long log takes longer than a
// page may take.
const checkEvery = 30 * time.Second

// checkAfter delays a check, because the user often opens another page right after the overview.
const checkAfter = 2 * time.Second

// checks keeps the result of the last check.
type checks struct {
	mu      sync.Mutex
	last    *checked
	running bool
}

// check returns the last result; nil before the first. If the result is old, it starts a new check in the background.
func (s *Site) check(ctx context.Context) *checked {
	c := s.checks
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running || c.last != nil && time.Since(c.last.At) < checkEvery {
		return c.last
	}
	c.running = true
	fault.Go(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), mostTime)
		defer cancel()
		time.Sleep(checkAfter)
		now := &checked{At: time.Now()}
		err := s.answers.into(ctx, now, verifying...)
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.running = false; err != nil {
			now = &checked{At: now.At}
		}
		c.last = now
	})
	return c.last
}
