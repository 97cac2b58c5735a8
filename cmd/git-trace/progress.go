package main

import (
	"fmt"
	"io"
	"os"
	"time"
)

// progressBar tells on a terminal how far something is.
type progressBar struct {
	out  io.Writer // nil where nobody looks
	what string
	next time.Time
	told bool
}

// progress begins to tell how far something is, if standard error is a terminal.
func (a *app) progress(what string) *progressBar {
	p := &progressBar{what: what, next: time.Now().Add(time.Second)}
	if file, ok := a.std.err.(*os.File); ok {
		if _, terminal := terminalOf(file); terminal {
			p.out = a.std.err
		}
	}
	return p
}

// at tells how many of how many are done, a few times a second.
func (p *progressBar) at(done, total int) {
	if p.out == nil || time.Now().Before(p.next) {
		return
	}
	p.next, p.told = time.Now().Add(time.Second/5), true
	fmt.Fprintf(p.out, "\r%s: %d%% (%d/%d)", p.what, 100*done/max(total, 1), done, total)
}

// end ends the line.
func (p *progressBar) end() {
	if p.told {
		fmt.Fprintln(p.out)
	}
}
