package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/blame"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/view/lookup"
)

func eventsCommand() *command {
	return &command{
		Name: "events",
		Does: "the events of the log, oldest first",
		Form: "git trace events [--json] [--type <type>]… [--trace <id>]… [-n <number>]",
		About: "With --json each line is one envelope, byte for byte as it is stored. Otherwise each line is for\n" +
			"people, and its form may change.",
		Options: append(options("type", "trace"), limitFlag("events, the last ones"), jsonFlag(), colorFlag()),
		Examples: []example{
			{"git trace events -n 5", "the newest events of the log"},
			{"git trace events --json --type patch_recorded", "all events of one type, as JSON"},
		},
		Run:    (*app).events,
		Traits: alone | bounded | atOnce,
		Shows:  []string{"", "--json"},
		Unseen: "a line for each event; its numbers and times are other ones in each run",
	}
}

func (a *app) events(c *call, _ operands) error {
	repo, err := a.repo()
	if err != nil {
		return err
	}
	filter, err := a.eventFilter(c, repo)
	if err != nil {
		return err
	}
	all, err := events.OpenLog(repo).Copy(c.Context, refs.EventsRef)
	if err != nil {
		return exit.Fail(exit.Unchecked, err, "git trace verify names the damage")
	}
	defer all.Close()
	if c.Bool("json") {
		out := bufio.NewWriter(terminal.Quietly(a.std.out))
		err = eachEvent(c.Context, all, filter, func(line []byte) error {
			_, _ = out.Write(line)
			return out.WriteByte('\n')
		})
		err = errors.Join(err, out.Flush())
	} else {
		err = a.printEvents(c, repo, all, filter)
	}
	if err == nil && len(all.Notes) > 0 {
		return exit.Fail(exit.Finding, errors.New(strings.Join(all.Notes, "; ")), "git trace verify lists every fault")
	}
	return err
}

func (a *app) printEvents(c *call, repo *refs.Repo, all *events.Copy, filter *eventFilter) error {
	screen, err := a.screen(repo, c.String("color"))
	if err != nil {
		return err
	}
	short := func(id events.TraceID) string { return string(id)[:min(len(id), lookup.FewestDigits)] }
	printer := eventPrinter{screen: screen, short: short}
	out := bufio.NewWriter(screen.Out)
	err = eachEvent(c.Context, all, filter, func(line []byte) error {
		e, err := events.DecodeLine(line)
		if err != nil {
			return err
		}
		_, err = out.WriteString(printer.line(e) + "\n")
		return err
	})
	return errors.Join(err, out.Flush(), screen.Close())
}

// eventFilter chooses events.
type eventFilter struct {
	types  []string
	traces []string
	last   int // the number of newest events to show; negative for all
}

func eventTypes() string {
	var names []string
	for _, t := range events.Types() {
		names = append(names, string(t))
	}
	return strings.Join(names, ", ")
}

func (a *app) eventFilter(c *call, repo *refs.Repo) (*eventFilter, error) {
	f := &eventFilter{types: c.StringSlice("type"), last: c.Int("max-count")}
	for _, t := range f.types {
		if !events.Type(t).Known() {
			return nil, exit.NoSuch("event type", t, strings.Split(eventTypes(), ", "))
		}
	}
	prefixes := c.StringSlice("trace")
	if len(prefixes) > 0 {
		known, err := a.openConversations(c.Context, repo)
		if err != nil {
			return nil, err
		}
		defer known.Close()
		for _, prefix := range prefixes {
			id, err := known.FindTrace(prefix)
			if err != nil {
				return nil, lookup.ReportAmbiguous(a.std.err, err)
			}
			f.traces = append(f.traces, string(id))
		}
	}
	return f, nil
}

// `wants` checks the end of a line before it decodes the line. In a long log, that check excludes most lines.
func (f *eventFilter) wants(line []byte) bool {
	if len(f.types) == 0 && len(f.traces) == 0 {
		return true
	}
	if len(f.types) > 0 && !slices.Contains(f.types, lastText(line, `"type":"`)) {
		return false
	}
	if len(f.traces) > 0 && !slices.Contains(f.traces, lastText(line, `"trace":"`)) {
		return false
	}
	e, err := events.DecodeLine(line)
	return err == nil && (len(f.traces) == 0 || slices.Contains(f.traces, string(e.Trace))) &&
		(len(f.types) == 0 || slices.Contains(f.types, string(e.Type)))
}

// lastText returns the text of the last member with a name in a canonical line, up to the next quote. The last type and
// the last trace are the envelope's: only v, worktree and writer follow, and quotes inside a text are escaped.
func lastText(line []byte, member string) string {
	const usual = 400
	at := bytes.LastIndex(line[max(0, len(line)-usual):], []byte(member))
	if at >= 0 {
		at += max(0, len(line)-usual)
	} else if at = bytes.LastIndex(line, []byte(member)); at < 0 {
		return ""
	}
	text, _, _ := bytes.Cut(line[at+len(member):], []byte(`"`))
	return string(text)
}

// eachEvent yields the lines that the filter wants, in order. A line is valid until the next one.
func eachEvent(ctx context.Context, all *events.Copy, f *eventFilter, yield func([]byte) error) error {
	type place struct {
		offset int64
		length int
	}
	var kept []place // a ring with the last wanted lines
	seen := 0
	for line, err := range all.Lines() {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		switch {
		case !f.wants(line.Line):
		case f.last < 0:
			if err := yield(line.Line); err != nil {
				return err
			}
		case len(kept) < f.last:
			kept = append(kept, place{line.Offset, len(line.Line)})
		case f.last > 0:
			kept[seen%f.last] = place{line.Offset, len(line.Line)}
			seen++
		}
	}
	for i := range kept {
		p := kept[(seen+i)%len(kept)]
		line, err := all.Text().Line(p.offset, p.length)
		if err != nil {
			return err
		}
		if err := yield(line); err != nil {
			return err
		}
	}
	return nil
}

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
