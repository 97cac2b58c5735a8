package trails

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/route"
)

// An agent's own record of a conversation may have calls that no hook reported: calls of a client without hooks for its
// tools, of a sub-agent, or from before the installation of the hooks. Their lines count as a person's, because no
// other writer is known. The record makes that evidence invalid:
//
//   - lines that such a call declares belong to it, if the interval in which the call ran has them;
//   - other lines that changed while such a call could write have no owner;
//   - contents and commits that came later get the same owners (retell.go).
//
// All of it is added to the log with the method session_file. Existing events are not changed.

// `Told` describes an ended call, according to the agent's own record.
type Told struct {
	Trace    events.TraceID
	Agent    string
	Session  string
	Subagent string
	Call     string // the agent's id
	Tool     string
	Model    string
	Prompt   int // number of the prompt from the record; the number that hooks counted has precedence
	// Began is the time of the answer that made the call; Ended is the time of its result or of the next entry.
	Began, Ended time.Time
	Edits        []ToldEdit
	// Anything means that the call may have written more than its edits.
	Anything bool
}

// ToldEdit is an edit of a file by a call.
type ToldEdit struct {
	Path string // absolute
	// Make repeats the edit; `ok` is false if that is impossible.
	Make  func(before []byte) (after []byte, ok bool)
	Lines []string // the lines that it reports
	// Wrote reports whether the edit wrote a line of Make's result; nil if the record does not have that fact.
	Wrote func(line int) bool
}

// lateHook is the longest time from a call's date in the record to its hooks.
const lateHook = time.Minute

// sameClock is the number of events that are read in any case: the clock of a session file may be wrong.
const sameClock = 2000

// ErrUnwatched reports a work tree without a snapshot.
var ErrUnwatched = errors.New("the work tree has no snapshot yet")

// Testify reads calls from agents' own records. It returns the calls that no hook reported and that are new to the log.
// Without such calls, it takes no lock and writes nothing. After ErrUnwatched, the caller passes the calls again later.
func (e *Engine) Testify(ctx context.Context, at time.Time, calls []*Told) (unheard []*Told, err error) {
	if len(calls) == 0 {
		return nil, nil
	}
	t := &testimony{repo: e.repo, calls: calls}
	if err := t.listen(ctx, e.log); err != nil || len(t.unheard()) == 0 {
		return nil, err
	}
	err = e.advance(ctx, at, nil, func(s *step, h *heard) error {
		h.env = events.Draft{Method: []events.Method{events.SessionFile}}
		t := &testimony{repo: e.repo, calls: calls, step: s, by: h}
		if err := t.listen(ctx, e.log); err != nil {
			return err
		}
		unheard = t.unheard()
		switch {
		case len(unheard) == 0:
			return nil
		case s.tree.state.Interval == 0:
			return ErrUnwatched
		}
		return t.take(unheard)
	})
	return unheard, err
}

// testimony compares the calls of records with the log.
type testimony struct {
	step  *step
	by    *heard
	repo  *refs.Repo
	calls []*Told

	heard   map[string]bool         // calls in the log: files of resumed sessions copy calls
	foreign map[events.TraceID]bool // hooks have other ids for their calls than the record, or none
	prompts map[events.TraceID][]promptAt
	looks   []time.Time // full snapshots, the oldest first
	changes []*interval // changes of paths, the oldest first
	anchors map[refs.OID][]events.Event
	commits []refs.OID // the oldest first
	origin  *firstLook // the first look at the work tree, if the read part of the log has it
}

// firstLook is the first look at a work tree: its changes have no owner.
type firstLook struct {
	events.SnapshotData
	at time.Time
}

type promptAt struct {
	index int
	at    time.Time
}

// interval holds the patches of a path between two contents.
type interval struct {
	path          string
	before, after refs.OID
	number        int64
	at            time.Time
	patches       []events.PatchData
}

// listen reads the log from before the first of the calls.
func (t *testimony) listen(ctx context.Context, log Log) error {
	first := slices.MinFunc(t.calls, func(a, b *Told) int { return a.Began.Compare(b.Began) }).Began.Add(-lateHook)
	t.heard, t.foreign = map[string]bool{}, map[events.TraceID]bool{}
	t.prompts, t.anchors = map[events.TraceID][]promptAt{}, map[refs.OID][]events.Event{}
	t.looks, t.changes, t.commits = nil, nil, nil
	var list []events.Event
	for e, err := range log.Walk(ctx, events.Range{Order: events.NewestFirst}) {
		if err != nil {
			return err
		}
		list = append(list, e)
		if e.Time.Before(first) && len(list) >= sameClock {
			break
		}
	}
	hooked := map[events.TraceID]map[string]bool{}
	for _, e := range slices.Backward(list) {
		t.hear(&e, hooked)
	}
	if t.step != nil { // boundaries that were put aside have been taken
		for i := range t.step.page.drafts {
			t.hear(drafted(&t.step.page.drafts[i]), hooked)
		}
		for _, w := range t.step.tree.state.Windows { // their events may wait in the spool
			t.heard[w.Call.ID] = true
		}
	}
	for trace, ids := range hooked {
		t.foreign[trace] = t.foreign[trace] || !slices.ContainsFunc(t.calls,
			func(c *Told) bool { return c.Trace == trace && ids[c.Call] })
	}
	return nil
}

// `drafted` returns an event that is about to be appended.
func drafted(d *events.Draft) *events.Event {
	return &events.Event{Time: d.Time, Type: d.Type, Trace: d.Trace, ToolCall: d.ToolCall, Worktree: d.Worktree,
		Method: d.Method, Limits: d.Limits, Data: d.Data}
}

// `hear` notes an event of the log.
func (t *testimony) hear(e *events.Event, hooked map[events.TraceID]map[string]bool) {
	told := e.Retold()
	here := e.Worktree == t.repo.WorktreeName()
	switch e.Type {
	case events.WindowOpened, events.WindowClosed, events.WindowAbandoned:
		t.heard[e.ToolCall] = true
		if hooked != nil && hooked[e.Trace] == nil {
			hooked[e.Trace] = map[string]bool{}
		}
		if hooked != nil {
			hooked[e.Trace][e.ToolCall] = true
		}
		t.foreign[e.Trace] = t.foreign[e.Trace] || slices.Contains(e.Limits, events.LimitIDMissing)
		if here && events.DataOf[events.WindowData](*e).Class != string(events.ToolEdits) {
			t.looks = append(t.looks, e.Time)
		}
	case events.PromptSubmitted:
		d := events.DataOf[events.PromptData](*e)
		t.prompts[e.Trace] = append(t.prompts[e.Trace], promptAt{d.Index, e.Time})
		if here && !e.Claimed() {
			t.looks = append(t.looks, e.Time)
		}
	case events.SnapshotTaken:
		d := events.DataOf[events.SnapshotData](*e)
		if here && d.Scope == "full" {
			t.looks = append(t.looks, e.Time)
		}
		if here && d.Role == "origin" && t.origin == nil && d.Interval == 1 {
			t.origin = &firstLook{d, e.Time}
		}
	case events.TurnEnded:
		if here {
			t.looks = append(t.looks, e.Time)
		}
	case events.CaptureIncomplete:
		for _, call := range events.DataOf[events.IncompleteData](*e).Calls {
			t.heard[call] = true
		}
	case events.PatchRecorded:
		if here && !told {
			t.hearPatch(e)
		}
	case events.CommitAnchored:
		if d := events.DataOf[events.CommitData](*e); !e.Claimed() {
			if t.anchors[d.Commit] == nil {
				t.commits = append(t.commits, d.Commit)
			}
			t.anchors[d.Commit] = slices.Insert(t.anchors[d.Commit], 0, *e)
		}
	}
}

func (t *testimony) hearPatch(e *events.Event) {
	p := events.DataOf[events.PatchData](*e)
	if p.After.IsZero() || p.NewCount == 0 {
		return
	}
	path := events.RawPath(p.Path)
	if n := len(t.changes); n > 0 {
		last := t.changes[n-1]
		if last.path == path && last.before == p.Before && last.after == p.After && last.number == p.Interval {
			last.patches = append(last.patches, p)
			return
		}
	}
	t.changes = append(t.changes, &interval{path: path, before: p.Before, after: p.After, number: p.Interval,
		at: e.Time, patches: []events.PatchData{p}})
}

// unheard returns the calls of records that are missing in the log, in the order of their beginnings. If hooks have no
// ids of their calls, or other ids than the record, the calls cannot be compared.
func (t *testimony) unheard() []*Told {
	var out []*Told
	for _, c := range t.calls {
		c.Edits = slices.DeleteFunc(c.Edits, func(e ToldEdit) bool { return len(route.Names(t.repo, e.Path)) == 0 })
		if !t.heard[c.Call] && !t.foreign[c.Trace] && (len(c.Edits) > 0 || c.Anything) {
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b *Told) int { return a.Began.Compare(b.Began) })
	return out
}

// take finds the lines that the calls wrote, and the lines that they may have written.
func (t *testimony) take(calls []*Told) error {
	if err := t.lookAfter(calls); err != nil {
		return err
	}
	paths := map[string][]*unheardEdit{}
	for _, c := range calls {
		t.number(c)
		for i := range c.Edits {
			for _, path := range route.Names(t.repo, c.Edits[i].Path) {
				paths[path] = append(paths[path], &unheardEdit{c, &c.Edits[i]})
			}
		}
	}
	retold := newRetelling(t)
	first, err := t.firstChanges(calls, paths)
	if err != nil {
		return err
	}
	for _, change := range append(first, t.changes...) {
		left, err := retold.interval(change, paths[change.path], t.strangers(change, calls))
		if err != nil {
			return err
		}
		paths[change.path] = left
	}
	if err := retold.anchorAnew(); err != nil {
		return err
	}
	return t.say(calls)
}

// lookAfter takes a snapshot if a call ended after the last look: its changes are not seen yet.
func (t *testimony) lookAfter(calls []*Told) error {
	last := calls[len(calls)-1]
	if n := len(t.looks); n > 0 && !last.Ended.After(t.looks[n-1]) {
		return nil
	}
	from := len(t.step.page.drafts)
	by := t.by.within()
	by.env.Method = []events.Method{events.Manual}
	err := t.step.lookAt(by, nil, "manual")
	for i := from; i < len(t.step.page.drafts); i++ {
		t.hear(drafted(&t.step.page.drafts[i]), nil)
	}
	return err
}

// firstChanges returns the changes of the first look in the paths of calls that had begun before it, as intervals since
// the checked-out commit.
func (t *testimony) firstChanges(calls []*Told, paths map[string][]*unheardEdit) (out []*interval, err error) {
	if t.origin == nil || !calls[0].Began.Before(t.origin.at) {
		return nil, nil
	}
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		if !paths[path][0].call.Began.Before(t.origin.at) {
			continue
		}
		after, before := t.entry(t.origin.Tree, path), t.entry(t.origin.Head, path)
		if after.IsZero() || after == before {
			continue
		}
		now, err := readText(t.step.tree.store.blob, after)
		if err != nil {
			return nil, err
		}
		if _, known := t.step.tree.store.known.Get(path, after); !known {
			t.step.tree.store.known.Put(path, after, t.step.tree.origins.vectorOf(path, now))
		}
		out = append(out, &interval{path: path, before: before, after: after, number: t.origin.Interval, at: t.origin.at,
			patches: []events.PatchData{{Owner: events.OwnerUnknown, NewStart: 1, NewCount: len(now.Lines)}}})
	}
	return out, nil
}

// entry returns the object at a path of a tree or a commit; the zero id if the path is missing.
func (t *testimony) entry(top refs.OID, path string) refs.OID {
	if top.IsZero() {
		return top
	}
	entry, err := t.step.tree.store.objects.EntryAt(top, path)
	if err != nil {
		return refs.OID{}
	}
	return entry.OID
}

// number gives a call the number of its prompt, as hooks have counted.
func (t *testimony) number(c *Told) {
	if sess := t.step.tree.state.Sessions[c.Trace]; sess != nil && len(t.prompts[c.Trace]) == 0 && sess.Prompts > 0 {
		c.Prompt = sess.Prompts
	}
	ended := c.Ended
	if ended.Nanosecond() == 0 { // the record has whole seconds
		ended = ended.Add(time.Second)
	}
	for _, p := range t.prompts[c.Trace] {
		if !p.at.After(c.Began.Add(time.Second)) && !p.at.After(ended) {
			c.Prompt = p.index
		}
	}
}

// strangers reports whether a call that may have written anything was running in an interval.
func (t *testimony) strangers(change *interval, calls []*Told) bool {
	var before time.Time // the look before it
	for _, look := range t.looks {
		if look.Before(change.at) {
			before = look
		}
	}
	return slices.ContainsFunc(calls, func(c *Told) bool {
		return c.Anything && c.Began.Before(change.at) && c.Ended.After(before)
	})
}

// say adds to the log, for each conversation, that hooks did not report these calls.
func (t *testimony) say(calls []*Told) error {
	of := map[events.TraceID][]*Told{}
	var order []*Told
	for _, c := range calls {
		if of[c.Trace] == nil {
			order = append(order, c)
		}
		of[c.Trace] = append(of[c.Trace], c)
	}
	for _, first := range order {
		due := events.IncompleteData{Boundary: "tool", Reason: ReasonCallsNotReported}
		older := events.IncompleteData{Boundary: "tool", Reason: "not_reported"} // than the recording
		for _, c := range of[first.Trace] {
			data := &due
			if t.origin != nil && !c.Ended.After(t.origin.at) {
				data = &older
			}
			if len(data.Calls) == 0 {
				data.Since = c.Began
			}
			data.Calls = append(data.Calls, c.Call)
		}
		for _, data := range []events.IncompleteData{older, due} {
			if len(data.Calls) == 0 {
				continue
			}
			err := t.step.write(t.by).draft(events.CaptureIncomplete, data, func(d *events.Draft) {
				d.Trace, d.Agent, d.Session = first.Trace, first.Agent, first.Session
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// ReasonCallsNotReported says that an agent's own record has calls that no hook reported.
const ReasonCallsNotReported = "calls_not_reported"
