package main

import (
	"fmt"
	"strings"

	"github.com/git-trace/git-trace/blame"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/view/lookup"
)

// eventPrinter writes an event on one line for people: number, time, type, conversation, and a description.
type eventPrinter struct {
	screen *terminal.Screen
	short  func(events.TraceID) string
}

func (p *eventPrinter) line(e events.Event) string {
	left := fmt.Sprintf("%6d  %s  %-18s ", e.Seq, e.Time.Local().Format("2006-01-02 15:04:05"), cells.Safe(string(e.Type)))
	who := ""
	if e.Trace != "" {
		who = cells.Safe(p.short(e.Trace)) + " "
	}
	what := cells.Safe(lookup.Describe(e))
	if p.screen.Terminal {
		what = cells.Cut(what, p.screen.Width-cells.Width(left)-cells.Width(who)-1)
	}
	if who != "" && p.screen.Color {
		who = cells.Pen{On: true}.Paint(cells.Shade(blame.TraceColor(e.Trace)), who)
	}
	return strings.TrimRight(left+" "+who+what, " ")
}
