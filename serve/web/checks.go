package web

import (
	"context"
	"sync"
	"time"

	"github.com/git-trace/git-trace/internal/fault"
	"github.com/git-trace/git-trace/report/answers"
)

// checked is the answer about the log, and when it was given.
type checked struct {
	answers.Verify
	At time.Time `json:"-"`
}

// verifying checks the log.
var verifying = []string{"verify", "--json"}

// checkEvery is the time for which a check of the log stands on the overview. That of a long log takes longer than
// the page may.
const checkEvery = 30 * time.Second

// checkAfter is the time for which a check waits: whoever opened the overview opens other pages first.
const checkAfter = 2 * time.Second

// checks keeps the last check of the log.
type checks struct {
	mu      sync.Mutex
	last    *checked
	running bool
}

// check returns the last check, nil if there was none yet. An old check is made again behind the page.
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
