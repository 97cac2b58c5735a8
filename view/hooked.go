package view

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/purged"
)

// mostHookInput limits the size of a call's input that is repeated with the call's boundary.
const mostHookInput = 4 << 10

// Hooked adds the findings of git-trace's hooks to a record's metadata, in the form of opentraces: before and after
// each call, and at the end of each turn. It keeps another program's findings about a call.
func (r *Reader) Hooked(record *records.Record) error {
	told, err := r.log.ByTrace(events.TraceID(record.TraceID))
	if err != nil {
		return err
	}
	h := hooked{before: map[string]records.HookSaw{}, after: map[string]records.HookSaw{}}
	for i := range told {
		h.hear(&told[i])
	}
	maps.DeleteFunc(h.after, func(_ string, one records.HookSaw) bool { return one.Timestamp == "" }) // not ended
	for call, one := range h.after {
		if one.Path, err = r.prompts.Redacted(one.Path); err != nil {
			return err
		}
		h.after[call] = one
	}
	for i := range record.Steps {
		for _, call := range record.Steps[i].ToolCalls {
			if purged.Taken(call.Input) {
				delete(h.before, call.ToolCallID)
				delete(h.after, call.ToolCallID)
			}
			if saw, known := h.before[call.ToolCallID]; known && len(call.Input) <= mostHookInput {
				saw.Input = call.Input
				h.before[call.ToolCallID] = saw
			}
		}
	}
	if err := addTold(record, records.MetaHookBefore, h.before); err != nil {
		return err
	}
	if err := addTold(record, records.MetaHookAfter, h.after); err != nil {
		return err
	}
	if len(h.stops) > 0 && record.Metadata[records.MetaHookStop] == nil {
		record.SetMeta(records.MetaHookStop, h.stops)
	}
	return nil
}

// addTold adds members to an object of the metadata, and keeps existing members.
func addTold(record *records.Record, name string, saw map[string]records.HookSaw) error {
	if len(saw) == 0 {
		return nil
	}
	all := map[string]json.RawMessage{}
	if raw := record.Metadata[name]; raw != nil {
		if err := json.Unmarshal(raw, &all); err != nil {
			return nil //nolint:nilerr // of a form that is not opentraces'
		}
	}
	for call, one := range saw {
		if all[call] != nil {
			continue
		}
		raw, err := json.Marshal(one)
		if err != nil {
			return fmt.Errorf("find the boundaries of a call: %w", err)
		}
		all[call] = raw
	}
	record.SetMeta(name, all)
	return nil
}

// hooked collects boundaries from the log.
type hooked struct {
	before, after map[string]records.HookSaw
	stops         []records.HookSaw
}

func (h *hooked) hear(e *events.Event) {
	switch e.Type {
	case events.WindowOpened:
		d := events.DataOf[events.WindowData](*e)
		if _, twice := h.before[e.ToolCall]; !twice {
			h.before[e.ToolCall] = saw(e, d.Tool, d)
		}
	case events.WindowClosed:
		d := events.DataOf[events.WindowData](*e)
		one := saw(e, d.Tool, d)
		if was, known := h.after[e.ToolCall]; known { // its patches come before the end of the call
			one.Path, one.Start, one.End, one.Status = was.Path, was.Start, was.End, ""
		}
		h.after[e.ToolCall] = one
	case events.PatchRecorded:
		if !e.Retold() {
			h.wrote(e)
		}
	case events.TurnEnded:
		d := events.DataOf[events.TurnData](*e)
		stop := saw(e, "", events.WindowData{Tree: d.Tree, Head: d.Head})
		stop.Session, stop.Status = e.Session, ""
		h.stops = append(h.stops, stop)
	}
}

// `wrote` notes the lines that a call wrote in the first file that it changed.
func (h *hooked) wrote(e *events.Event) {
	p := events.DataOf[events.PatchData](*e)
	path := events.RawPath(p.Path)
	one := h.after[e.ToolCall]
	if e.ToolCall == "" || p.NewCount == 0 || one.Path != "" && one.Path != path {
		return
	}
	one.Path, one.Status = path, ""
	one.Start = min(cmp.Or(one.Start, p.NewStart), p.NewStart)
	one.End = max(one.End, p.NewStart+p.NewCount-1)
	h.after[e.ToolCall] = one
}

// `saw` returns a boundary in opentraces' form. The path of a work tree is private, so a linked one is named by its id.
func saw(e *events.Event, tool string, d events.WindowData) records.HookSaw {
	out := records.HookSaw{
		Timestamp: e.Time.UTC().Format(time.RFC3339Nano), Tool: tool, Status: "hook_only", Limitations: limitsOf(e.Limits),
	}
	if tree := records.NewHookObject(d.Tree); tree != nil {
		root := "."
		if e.Worktree != "" {
			root = "worktrees/" + e.Worktree
		}
		out.Trail = &records.HookTrail{Root: root, Tree: tree, Head: records.NewHookObject(d.Head)}
	}
	return out
}

// limitsOf returns the limitations under opentraces' names, which are a closed list.
func limitsOf(limits []events.Limit) (out []string) {
	for _, limit := range limits {
		name := ""
		switch limit {
		case events.LimitConcurrentWriters, events.LimitBackgroundProcess:
			name = string(limit)
		case events.LimitPayloadMismatch:
			name = "hook_" + string(limit)
		case events.LimitMissingBefore, events.LimitMissingAfter:
			name = "incomplete_step_window_capture"
		}
		if name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}
