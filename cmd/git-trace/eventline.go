package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/blame"
	"github.com/git-trace/git-trace/cells"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// eventPrinter writes an event on one line for people: number, time, type, conversation, and what happened.
type eventPrinter struct {
	screen *screen
	short  func(events.TraceID) string
}

func (p *eventPrinter) line(e events.Event) string {
	left := fmt.Sprintf("%6d  %s  %-18s ", e.Seq, e.Time.Local().Format("2006-01-02 15:04:05"), cells.Safe(string(e.Type)))
	who := ""
	if e.Trace != "" {
		who = cells.Safe(p.short(e.Trace)) + " "
	}
	what := cells.Safe(describeEvent(e))
	if p.screen.Terminal {
		what = cells.Cut(what, p.screen.Width-cells.Width(left)-cells.Width(who)-1)
	}
	if who != "" && p.screen.Color {
		who = "\x1b[38;5;" + strconv.Itoa(int(blame.TraceColor(e.Trace))) + "m" + who + "\x1b[m"
	}
	return strings.TrimRight(left+" "+who+what, " ")
}

// describeEvent says in a few words what an event's data says. Data of another form than expected say nothing.
func describeEvent(e events.Event) string {
	switch e.Type {
	case events.LogStarted:
		return dataOf[events.LogStartedData](e).Tool
	case events.SessionStarted, events.SessionEnded:
		d := dataOf[events.SessionData](e)
		return words(e.Agent, d.Source, d.Type, d.Model)
	case events.PromptSubmitted:
		return describePrompt(dataOf[events.PromptData](e))
	case events.WindowOpened, events.WindowClosed, events.WindowAbandoned:
		d := dataOf[events.WindowData](e)
		return words(d.Tool, d.Status, e.ToolCall, strings.Join(d.Paths, " "))
	case events.SnapshotTaken:
		d := dataOf[events.SnapshotData](e)
		return words(d.Role, d.Scope, plural(d.Changed, "path")+" changed")
	case events.PatchRecorded:
		d := dataOf[events.PatchData](e)
		return words(string(d.Owner), d.Path, fmt.Sprintf("+%d −%d", d.NewCount, d.OldCount), d.Tool)
	case events.TurnEnded:
		if d := dataOf[events.TurnData](e); d.Prompt > 0 {
			return fmt.Sprintf("#%d", d.Prompt)
		}
	case events.CaptureIncomplete:
		d := dataOf[events.IncompleteData](e)
		return words(d.Boundary, d.Reason, strings.Join(d.Paths, " "))
	case events.CommitAnchored:
		d := dataOf[events.CommitData](e)
		return words(shortOID(d.Commit), fmt.Sprintf("+%d: %d ai, %d people, %d unknown", d.Added, d.AI, d.Human, d.Unknown))
	case events.CommitRewritten:
		d := dataOf[events.RewriteData](e)
		return words(d.Kind, plural(len(d.Pairs), "commit"))
	case events.CheckpointSigned:
		d := dataOf[events.CheckpointData](e)
		return words(fmt.Sprintf("@%d", d.Seq), d.Kind, d.Key)
	case events.RecordStored, events.LogPurged:
	}
	return ""
}

// dataOf reads the data of an event; the zero value when they have another form.
func dataOf[T any](e events.Event) T {
	var data T
	if json.Unmarshal(e.Data, &data) != nil {
		var none T
		return none
	}
	return data
}

func describePrompt(d events.PromptData) string {
	kind := ""
	if d.Kind != "user" {
		kind = d.Kind
	}
	return words(fmt.Sprintf("#%d", d.Index), plural(d.Chars, "character"), kind)
}

// shortOID abbreviates an object id where git is not asked how short it may be.
func shortOID(oid refs.OID) string {
	const digits = 10
	text := oid.String()
	return text[:min(len(text), digits)]
}
