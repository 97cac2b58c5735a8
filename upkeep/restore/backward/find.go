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

// Work names the work to be undone. Empty fields do not matter.
type Work struct {
	Trace  events.TraceID
	Prompt int
	Calls  []string // none for all
	Patch  events.PatchID
	Commit refs.OID // only its lines in this commit; without a conversation, of all agents
}

// Log gives access to recorded events. The index of the log satisfies it.
type Log interface {
	Told(id events.TraceID) ([]events.Event, error)
	ToolCall(id string) ([]events.Event, error)
	Patch(id events.PatchID) (events.Event, bool, error)
	ByPath(path string) ([]events.Event, error)
	Wrote(e *events.Event) (bool, error)
	ByCommit(commit refs.OID) ([]events.Event, error)
	OwnWriter() (string, error)
}

// Step is the change of one file from one content to the next.
type Step struct {
	Path    string
	OldPath string   // of a file that the work renamed, else empty
	Before  refs.OID // none for a file that it created
	After   refs.OID // none for a file that it deleted
	Mode    uint32   // that the file got; 0 where it did not change
	Own     bool     // the work has a part in it
	Call    string   // a call of the work; empty for a commit
	Mine    []linediff.Hunk

	interval int64
}

// Find lists the changes of the files that a work changed, from its first one on, with the changes of others. seen is
// false if hooks of this clone did not see the work: then [Committed] may know its lines in commits.
func Find(log Log, work Work) (steps []Step, seen bool, err error) {
	told, err := toldOf(log, work)
	if err != nil {
		return nil, false, err
	}
	first := map[string]int64{} // the number of the first event, by path
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
	revised := map[events.PatchID]bool{} // lines that have another owner since, by an agent's own record
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

// changesOf returns the patches of paths from a number on, with the later names of their files.
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

// holds reports whether a patch belongs to the work.
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

// take adds a patch to the step that it is part of, or begins the next one.
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

// counted returns the lines of a patch, which count from 1, as a hunk, whose lines count from 0.
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
