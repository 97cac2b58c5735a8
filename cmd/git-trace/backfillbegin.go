package main

import (
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/git-trace/git-trace/correlate/backfill"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/view"
	"github.com/git-trace/git-trace/view/transcripts"
)

// begin returns the missing events of a conversation: its times, its model, its prompts. After a killed run some of
// them are in the log already.
func (b *filler) begin(log *view.Log, l backfill.Link) ([]events.Draft, error) {
	t := b.keeper.byTrace[l.Trace]
	if b.linked[l.Trace] || t == nil {
		return nil, nil
	}
	told, hooked, err := told(log, l.Trace)
	if err != nil || hooked {
		return nil, err
	}
	b.keeper.number(l.Trace)
	return conversationDrafts(told, l.Trace, t)
}

// conversationDrafts returns the events of a conversation that are not in the log yet.
func conversationDrafts(told map[string]bool, trace events.TraceID, t *transcripts.Transcript) ([]events.Draft, error) {
	var out []events.Draft
	draft := func(at time.Time, typ events.Type, number int, data any) error {
		if told[tellKey(typ, number)] {
			return nil
		}
		raw, err := events.Encode(data)
		out = append(out, events.Draft{
			Time: at.UTC(), Type: typ, Trace: trace, Agent: t.Agent.Name, Session: t.Session.ID,
			Method: []events.Method{events.Backfill}, Data: raw,
		})
		return err
	}
	if err := draft(t.First, events.SessionStarted, 0, events.SessionData{Source: "backfill",
		Model: t.Model}); err != nil {
		return nil, err
	}
	const most = 1000
	for i, p := range t.Prompts[:min(len(t.Prompts), most)] {
		at := p.At
		if at.IsZero() {
			at = t.First
		}
		data := events.PromptData{Index: i + 1, Chars: utf8.RuneCountInString(p.Text), Kind: "user"}
		if err := draft(at, events.PromptSubmitted, i+1, data); err != nil {
			return nil, err
		}
	}
	err := draft(t.Last, events.SessionEnded, 0, events.SessionData{Source: "backfill"})
	return out, err
}

// told returns the parts of a conversation that earlier backfills wrote to the log. hooked is true if hooks saw the
// conversation: then the hooks' numbers of prompts count.
func told(log *view.Log, trace events.TraceID) (told map[string]bool, hooked bool, err error) {
	known, err := log.ByTrace(trace)
	if err != nil {
		return nil, false, err
	}
	told = map[string]bool{}
	for _, e := range known {
		switch {
		case e.Type == events.RecordStored, e.Type == events.CommitAnchored:
			continue // a backfill also writes both types
		case e.Type == events.CaptureIncomplete:
			continue // says that no hook reports the conversation, or its calls
		case slices.Contains(e.Method, events.SessionFile):
			continue // comes from other evidence than hooks
		case len(e.Method) != 1 || e.Method[0] != events.Backfill:
			return nil, true, nil
		case e.Type == events.PromptSubmitted:
			told[tellKey(e.Type, events.DataOf[events.PromptData](e).Index)] = true
		default:
			told[tellKey(e.Type, 0)] = true
		}
	}
	return told, false, nil
}

func tellKey(typ events.Type, number int) string { return fmt.Sprint(typ, number) }
