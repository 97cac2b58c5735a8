package testimony

import (
	"context"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/view"
	"github.com/git-trace/git-trace/view/transcripts"
)

// ConversationDrafts returns the events of a conversation that are not in the log yet.
func ConversationDrafts(told map[string]bool, trace events.TraceID, t *transcripts.Transcript) ([]events.Draft, error) {
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

// `Told` returns the parts of a conversation that earlier backfills wrote to the log. `hooked` is true if hooks saw the
// conversation: then the hooks' numbers of prompts count.
func Told(log *view.Log, trace events.TraceID) (told map[string]bool, hooked bool, err error) {
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

// AppendDrafts appends events in batches of the size that a log accepts.
func AppendDrafts(ctx context.Context, log *events.Log, drafts []events.Draft) error {
	const most, bytes = 500, 8 << 20
	for len(drafts) > 0 {
		n, size := 0, 0
		for n < len(drafts) && n < most && (n == 0 || size+len(drafts[n].Data) < bytes) {
			size += len(drafts[n].Data)
			n++
		}
		within, cancel := context.WithTimeout(ctx, time.Minute)
		_, err := log.Append(within, drafts[:n])
		cancel()
		if err != nil {
			return err
		}
		drafts = drafts[n:]
	}
	return nil
}
