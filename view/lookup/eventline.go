package lookup

import (
	"fmt"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/refs"
)

// Describe describes an event's data in a few words; "" for data of an unknown form.
func Describe(e events.Event) string {
	switch e.Type {
	case events.LogStarted:
		return events.DataOf[events.LogStartedData](e).Tool
	case events.SessionStarted, events.SessionEnded:
		d := events.DataOf[events.SessionData](e)
		return cells.Spaced(e.Agent, d.Source, d.Type, d.Model)
	case events.PromptSubmitted:
		return describePrompt(events.DataOf[events.PromptData](e))
	case events.WindowOpened, events.WindowClosed, events.WindowAbandoned:
		d := events.DataOf[events.WindowData](e)
		return cells.Spaced(d.Tool, d.Status, e.ToolCall, strings.Join(d.Paths, " "))
	case events.SnapshotTaken:
		d := events.DataOf[events.SnapshotData](e)
		return cells.Spaced(d.Role, d.Scope, numbers.Count(d.Changed, "path")+" changed")
	case events.PatchRecorded:
		d := events.DataOf[events.PatchData](e)
		return cells.Spaced(string(d.Owner), d.Path, fmt.Sprintf("+%d −%d", d.NewCount, d.OldCount), d.Tool)
	case events.TurnEnded:
		if d := events.DataOf[events.TurnData](e); d.Prompt > 0 {
			return fmt.Sprintf("#%d", d.Prompt)
		}
	case events.CaptureIncomplete:
		d := events.DataOf[events.IncompleteData](e)
		if d.Last > 0 {
			return cells.Spaced(d.Boundary, d.Reason, fmt.Sprintf("%d–%d", d.First, d.Last))
		}
		return cells.Spaced(d.Boundary, d.Reason, strings.Join(d.Paths, " "))
	case events.CommitAnchored:
		d := events.DataOf[events.CommitData](e)
		return cells.Spaced(shortOID(d.Commit), fmt.Sprintf("+%d: %d ai, %d people, %d unknown", d.Added, d.AI, d.Human,
			d.Unknown))
	case events.CommitRewritten:
		d := events.DataOf[events.RewriteData](e)
		return cells.Spaced(d.Kind, numbers.Count(len(d.Pairs), "commit"))
	case events.CheckpointSigned:
		d := events.DataOf[events.CheckpointData](e)
		return cells.Spaced(fmt.Sprintf("@%d", d.Seq), d.Kind, d.Key)
	case events.OutcomeNoted:
		d := events.DataOf[events.NoteData](e)
		return cells.Spaced(d.Outcome, d.Reward)
	case events.RecordStored, events.LogPurged:
	}
	return ""
}

func describePrompt(d events.PromptData) string {
	kind := ""
	if d.Kind != "user" {
		kind = d.Kind
	}
	return cells.Spaced(fmt.Sprintf("#%d", d.Index), numbers.Count(d.Chars, "character"), kind)
}

// shortOID abbreviates an object id to ten digits, without asking git.
func shortOID(oid refs.OID) string {
	const digits = 10
	text := oid.String()
	return text[:min(len(text), digits)]
}
