package main

import (
	"fmt"
	"io"
	"time"
)

// progress tells on a terminal how far something has come, in a line that is gone in the end.
type progress struct {
	w     io.Writer // nil where nobody looks
	what  string
	next  time.Time
	shown bool
}

// progressDelay is how long something may take without a word.
const progressDelay = time.Second

// progress begins to tell how far something is, if standard error is a terminal.
func (a *app) progress(what string) *progress {
	p := &progress{what: what, next: time.Now().Add(progressDelay)}
	if _, terminal := terminalOf(a.std.err); terminal {
		p.w = a.std.err
	}
	return p
}

// at tells how many of how many are done.
func (p *progress) at(done, total int) {
	p.tell(int64(done), int64(total), fmt.Sprintf(" (%d/%d)", done, total))
}

// bytes tells how many bytes of how many are done.
func (p *progress) bytes(done, total int64) { p.tell(done, total, "") }

func (p *progress) tell(done, total int64, more string) {
	if p.w == nil || total <= 0 || time.Now().Before(p.next) {
		return
	}
	p.next, p.shown = time.Now().Add(progressDelay/10), true
	fmt.Fprintf(p.w, "\r%s: %3d%%%s", p.what, min(done*100/total, 100), more)
}

// clear takes the line away.
func (p *progress) clear() {
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
