package backward

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/linediff"
)

// Work selects the work to undo. Empty fields do not restrict it.
type Work struct {
	Trace  events.TraceID
	Prompt int
	Calls  []string // only these calls; all if empty
	Patch  events.PatchID
	Commit refs.OID // only lines in this commit; without a conversation, the lines of all agents
}

// Log gives access to recorded events. The log's index implements it.
type Log interface {
	Told(id events.TraceID) ([]events.Event, error)
	ToolCall(id string) ([]events.Event, error)
	Patch(id events.PatchID) (events.Event, bool, error)
	ByPath(path string) ([]events.Event, error)
	Wrote(e *events.Event) (bool, error)
	ByCommit(commit refs.OID) ([]events.Event, error)
	OwnWriter() (string, error)
}

// Step is one change of a file, from a content to the next.
type Step struct {
	Path    string
	OldPath string   // the former name if the work renamed the file; otherwise empty
	Before  refs.OID // zero if the step created the file
	After   refs.OID // zero if the step deleted the file
	Mode    uint32   // the new mode; 0 if unchanged
	Own     bool     // a part of the step belongs to the work
	Call    string   // the call of the work; empty for a commit
	Mine    []linediff.Hunk

	interval int64
}

// Find lists all changes of the files that the work changed, from its first change on, including changes of others. The
// result `seen` is false if hooks of this clone did not see the work. Then [Committed] may find its lines in commits.
func Find(log Log, work Work) (steps []Step, seen bool, err error) {
	told, err := toldOf(log, work)
	if err != nil {
		return nil, false, err
	}
	first := map[string]int64{} // number of the work's first event, by path
	for i := range told {
		e := &told[i]
		if e.Type != events.PatchRecorded {
			continue
		}
		d := events.DataOf[events.PatchData](*e)
		wrote, err := log.Wrote(e)
		if err != nil {
			return nil, false, err
		}
		if wrote && work.holds(e, &d) {
			seen = true
			if seq, known := first[d.Path]; !known || e.Seq < seq {
				first[d.Path] = e.Seq
			}
		}
	}
	all, err := changesOf(log, first)
	if err != nil {
		return nil, false, err
	}
	revised := map[events.PatchID]bool{} // patches to which an agent's own record later gave another owner
	for i := range all {
		revised[events.DataOf[events.PatchData](all[i]).Revises] = true
	}
	for i := range all {
		d := events.DataOf[events.PatchData](all[i])
		if d.Revises == "" || work.holds(&all[i], &d) {
			steps = take(steps, &all[i], &d, work.holds(&all[i], &d) && !revised[d.Patch])
		}
	}
	return steps, seen, nil
}

// changesOf returns the patches of each path from a given event on. It follows renames.
func changesOf(log Log, first map[string]int64) ([]events.Event, error) {
	var out []events.Event
	queue := slices.Sorted(maps.Keys(first))
	for len(queue) > 0 {
		path := queue[0]
		queue = queue[1:]
		named, err := log.ByPath(events.RawPath(path))
		if err != nil {
			return nil, err
		}
		for i := range named {
			e := &named[i]
			if e.Type != events.PatchRecorded || e.Seq < first[path] {
				continue
			}
			wrote, err := log.Wrote(e)
			if err != nil {
				return nil, err
			}
			d := events.DataOf[events.PatchData](*e)
			if _, known := first[d.Path]; wrote && !known && d.OldPath == path {
				first[d.Path] = e.Seq
				queue = append(queue, d.Path)
			}
			if wrote && d.Path == path {
				out = append(out, *e)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b events.Event) int { return cmp.Compare(a.Seq, b.Seq) })
	return out, nil
}

// `holds` reports whether a patch belongs to the work.
func (w *Work) holds(e *events.Event, d *events.PatchData) bool {
	return d.Owner == events.OwnerAI && (w.Trace == "" || e.Trace == w.Trace) &&
		(w.Prompt == 0 || d.Prompt == w.Prompt) && (len(w.Calls) == 0 || slices.Contains(w.Calls, e.ToolCall)) &&
		(w.Patch == "" || d.Patch == w.Patch)
}

func toldOf(log Log, work Work) ([]events.Event, error) {
	switch {
	case work.Patch != "":
		e, found, err := log.Patch(work.Patch)
		if err != nil || !found {
			return nil, err
		}
		return []events.Event{e}, nil
	case work.Trace != "":
		return log.Told(work.Trace)
	}
	var out []events.Event
	for _, call := range work.Calls {
		told, err := log.ToolCall(call)
		if err != nil {
			return nil, err
		}
		out = append(out, told...)
	}
	return out, nil
}

// take adds a patch to the step that it belongs to, or begins the next step.
func take(steps []Step, e *events.Event, d *events.PatchData, own bool) []Step {
	path, old := events.RawPath(d.Path), events.RawPath(d.OldPath)
	at := slices.IndexFunc(steps, func(s Step) bool {
		return s.Path == path && s.Before == d.Before && s.After == d.After && s.interval == d.Interval
	})
	if at < 0 {
		at = len(steps)
		steps = append(steps, Step{Path: path, Before: d.Before, After: d.After, interval: d.Interval})
	}
	s := &steps[at]
	if old != "" && old != path {
		s.OldPath = old
	}
	if mode, err := strconv.ParseUint(d.Mode, 8, 32); err == nil {
		s.Mode = uint32(mode)
	}
	if !own {
		return steps
	}
	s.Own, s.Call = true, e.ToolCall
	if d.OldCount+d.NewCount > 0 {
		s.Mine = append(s.Mine, counted(d))
	}
	return steps
}

// `counted` returns the lines of a patch (numbers from 1) as a hunk (numbers from 0).
func counted(d *events.PatchData) linediff.Hunk {
	h := linediff.Hunk{OldStart: d.OldStart, OldCount: d.OldCount, NewStart: d.NewStart, NewCount: d.NewCount}
	if h.OldCount > 0 {
		h.OldStart--
	}
	if h.NewCount > 0 {
		h.NewStart--
	}
	return h
}
