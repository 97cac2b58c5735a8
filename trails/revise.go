package trails

import (
	"fmt"
	"slices"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/ledger"
	"github.com/git-trace/git-trace/trails/vector"
)

// A call may turn out to have ended before the lines that it owns were changed. For example: a person refuses a
// command, edits and commits, and the agent records the refusal afterwards. For the commit's hook, the command was
// still running. Then the record is corrected: the contents get other owners, and the commit gets another anchor.

// revision takes from a call the lines that changed after its end.
type revision struct {
	trace     events.TraceID
	call      string
	class     events.ToolClass
	never     bool      // the call never ran
	ended     time.Time // the time of its end
	owners    *ledger.Owners
	windows   []*Window // the windows that the state still has; see window
	beside    bool      // other calls that may write anywhere were open meanwhile
	patches   map[events.PatchID]recordedPatch
	keys      map[ledger.OwnerKey]events.AnchorOwner
	looks     map[string][]time.Time // the times of the looks that found a change, by path
	commits   []refs.OID             // the newest first
	anchors   map[refs.OID][]events.Event
	decisions map[decisionKey]events.AnchorOwner
}

// recordedPatch is the place and time of a recorded patch.
type recordedPatch struct {
	path string
	at   time.Time
}

type decisionKey struct {
	patch events.PatchID
	time  int64
}

func newRevision(trace events.TraceID, call string, class events.ToolClass, never bool, ended time.Time,
	owners *ledger.Owners) *revision {
	return &revision{
		trace: trace, call: call, class: class, never: never, ended: ended, owners: owners,
		patches: map[events.PatchID]recordedPatch{}, keys: map[ledger.OwnerKey]events.AnchorOwner{},
		looks: map[string][]time.Time{}, anchors: map[refs.OID][]events.Event{},
		decisions: map[decisionKey]events.AnchorOwner{},
	}
}

// reviseLog is the largest number of events that are read from the log: a hook has no time for more.
const reviseLog = 5000

// revise corrects the records of a call whose end became known later.
func (rec *record) revise(w *Window, ended time.Time) error {
	if w.Wrote == 0 || w.Wrote >= rec.tree.interval || !w.Rejected && ended.IsZero() {
		return nil
	}
	r := newRevision(w.Call.Trace, w.Call.ID, w.Call.Class, w.Rejected, ended, rec.tree.store.owners)
	r.windows = rec.tree.state.Windows
	r.beside = slices.ContainsFunc(rec.tree.state.openWindows(),
		func(o *Window) bool { return o != w && o.Call.Class != events.ToolEdits })
	read := 0
	for e, err := range rec.engine.log.Walk(rec.tree.ctx, events.Range{Order: events.NewestFirst}) {
		if err != nil {
			return err
		}
		r.hear(&e)
		if read++; read == reviseLog || r.begins(&e, rec.tree.repo.WorktreeName()) {
			break
		}
	}
	r.apply(rec.tree.store.known)
	for _, commit := range slices.Backward(r.commits) {
		drafts, err := r.anchor(commit, rec.heard.env.Method)
		if err != nil {
			return err
		}
		rec.add(drafts)
	}
	return nil
}

// apply gives the recorded contents of the looked-at paths their corrected owners.
func (r *revision) apply(known *ledger.Known) {
	for path := range r.looks {
		known.Revise(path, func(_ refs.OID, v vector.Vector) vector.Vector { return v.Map(r.owner) })
	}
}

// `begins` reports whether an event is the call's beginning in a work tree's timeline.
func (r *revision) begins(e *events.Event, worktree string) bool {
	return e.Type == events.WindowOpened && e.Trace == r.trace && e.ToolCall == r.call && e.Worktree == worktree
}

// `hear` notes the patches and other events from the time in which the call was open.
func (r *revision) hear(e *events.Event) {
	switch e.Type {
	case events.PatchRecorded:
		p := events.DataOf[events.PatchData](*e)
		path := events.RawPath(p.Path)
		r.looks[path] = append(r.looks[path], e.Time)
		if p.OldPath != "" {
			r.looks[events.RawPath(p.OldPath)] = append(r.looks[events.RawPath(p.OldPath)], e.Time)
		}
		r.hearOwner(events.AnchorOwner{
			Kind: p.Owner, Patch: p.Patch, Trace: e.Trace, ToolCall: e.ToolCall, Candidates: p.Candidates, Limits: e.Limits,
		}, recordedPatch{path, e.Time})
	case events.CommitAnchored:
		if !e.Claimed() {
			r.hearAnchor(e)
		}
	case events.WindowOpened, events.WindowClosed, events.WindowAbandoned:
		d := events.DataOf[events.WindowData](*e)
		r.beside = r.beside || (e.Trace != r.trace || e.ToolCall != r.call) && d.Class != string(events.ToolEdits)
	}
}

func (r *revision) hearAnchor(e *events.Event) {
	d := events.DataOf[events.CommitData](*e)
	for _, f := range d.Files {
		path := events.RawPath(f.Path)
		r.looks[path] = append(r.looks[path], e.Time)
		for _, run := range f.Runs {
			if run.Owner >= 0 && run.Owner < len(d.Owners) {
				r.hearOwner(d.Owners[run.Owner], recordedPatch{path, e.Time})
			}
		}
	}
	if _, heard := r.anchors[d.Commit]; !heard {
		r.commits = append(r.commits, d.Commit)
	}
	r.anchors[d.Commit] = append(r.anchors[d.Commit], *e)
}

// hearOwner notes an owner that may be the call. In the log, a patch comes before the commits that hold it; a line that
// nobody saw before its commit is only in the commit's anchor.
func (r *revision) hearOwner(o events.AnchorOwner, at recordedPatch) {
	key, ok := ledger.OwnerKeyOf(o.Patch)
	if !ok || !r.names(&o) {
		return
	}
	r.keys[key] = o
	if was, heard := r.patches[o.Patch]; !heard || at.at.Before(was.at) {
		r.patches[o.Patch] = at
	}
}

// `names` reports whether an owner is the call, or has the call among its candidates.
func (r *revision) names(o *events.AnchorOwner) bool {
	if o.Kind != events.OwnerAI && o.Kind != events.OwnerMixed {
		return false
	}
	return o.Trace == r.trace && o.ToolCall == r.call || slices.ContainsFunc(o.Candidates, r.isCall)
}

func (r *revision) isCall(c events.CandidateData) bool {
	return c.Trace == r.trace && c.ToolCall == r.call
}

// `over` reports whether the call had ended before the change of a patch; the result `early` reports whether it had
// ended before the patch was recorded. Changes between the call's end and the last look before that are in doubt.
func (r *revision) over(p recordedPatch) (over, early bool) {
	if r.never {
		return true, true
	}
	if r.ended.IsZero() || p.at.IsZero() || !p.at.After(r.ended) {
		return false, false
	}
	for _, look := range r.looks[p.path] {
		over = over || look.After(r.ended) && look.Before(p.at)
	}
	return over, true
}

// owner returns the corrected owner of a line.
func (r *revision) owner(o vector.Owner) vector.Owner {
	key, _ := ledger.OwnerKeyOf(o.Patch)
	if described, known := r.keys[key]; known {
		described.Patch = o.Patch
		if now, changed := r.now(described, r.patches[o.Patch]); changed {
			o.Kind, o.Patch = now.Kind, now.Patch
		}
	}
	o.Previous = r.previous(o.Previous)
	if o.Kind == events.OwnerUnknown {
		return vector.Unknown
	}
	return o
}

// `previous` returns the agent's patch whose line was replaced, if the patch is still the agent's.
func (r *revision) previous(id events.PatchID) events.PatchID {
	key, _ := ledger.OwnerKeyOf(id)
	described, known := r.keys[key]
	if !known {
		return id
	}
	described.Patch = id
	now, changed := r.now(described, r.patches[id])
	switch {
	case !changed:
		return id
	case now.Kind == events.OwnerAI:
		return now.Patch
	}
	return ""
}

// `now` replaces an owner that names the call with the corrected owner.
func (r *revision) now(o events.AnchorOwner, p recordedPatch) (now events.AnchorOwner, changed bool) {
	over, early := r.over(p)
	if !early {
		return o, false
	}
	id := decisionKey{o.Patch, p.at.UnixNano()}
	if now, done := r.decisions[id]; done {
		return now, true
	}
	who := r.instead(&o, over)
	now = events.AnchorOwner{Kind: events.OwnerUnknown}
	if who.kind != events.OwnerUnknown {
		now = who.describe()
		now.Patch = ledger.WithOwner(o.Patch, who.key())
		r.owners.Put(who.key(), now)
	}
	r.decisions[id] = now
	return now, true
}

// `instead` returns the writer of a change that is not the call's after all: decideAmong chooses among the other
// candidates.
func (r *revision) instead(o *events.AnchorOwner, over bool) actor {
	var others []*Window
	for _, c := range o.Candidates {
		if !r.isCall(c) {
			others = append(others, r.window(c))
		}
	}
	switch {
	case len(others) == 1:
		return actor{kind: events.OwnerAI, window: others[0], limits: without(o.Limits, events.LimitConcurrentWriters)}
	case len(others) > 1:
		return byCandidates(others)
	case !over || r.class == events.ToolEdits && r.beside:
		return actor{kind: events.OwnerUnknown, limits: []events.Limit{events.LimitMissingAfter}}
	}
	return person
}

// window returns the window of a candidate: from the state, or a new one with the candidate's fields.
func (r *revision) window(c events.CandidateData) *Window {
	for _, w := range r.windows {
		if w.same(c.Trace, c.ToolCall) {
			return w
		}
	}
	return &Window{Call: Call{Trace: c.Trace, Agent: c.Agent, Session: c.Session, Subagent: c.Subagent, ID: c.ToolCall}}
}

// anchor makes the events that replace a commit's anchor; none if the anchor does not name the call, or is right.
func (r *revision) anchor(commit refs.OID, method []events.Method) ([]events.Draft, error) {
	parts := lastAnchor(r.anchors[commit])
	changed := false
	for i := range parts {
		changed = r.part(&parts[i]) || changed
	}
	if !changed {
		return nil, nil
	}
	return anewParts(parts, method)
}

// anewParts makes the events of an anchor that replaces the last one.
func anewParts(parts []events.CommitData, method []events.Method) ([]events.Draft, error) {
	var ai, human, unknown int
	for i := range parts {
		for _, f := range parts[i].Files {
			for _, run := range f.Runs {
				switch parts[i].Owners[run.Owner].Kind {
				case events.OwnerAI, events.OwnerMixed:
					ai += run.Count
				case events.OwnerHuman:
					human += run.Count
				case events.OwnerUnknown:
					unknown += run.Count
				}
			}
		}
	}
	var out []events.Draft
	for _, p := range parts {
		p.Revision++
		p.AI, p.Human, p.Unknown = ai, human, unknown
		raw, err := events.Encode(p)
		if err != nil {
			return nil, fmt.Errorf("encode anchor: %w", err)
		}
		out = append(out, events.Draft{Type: events.CommitAnchored, Method: method, Data: raw})
	}
	return out, nil
}

// lastAnchor joins the parts of the last complete anchor of a commit; the parameter `list` has the newest event first.
func lastAnchor(list []events.Event) []events.CommitData {
	var parts []events.CommitData
	for i := range list {
		d := events.DataOf[events.CommitData](list[i])
		if !sound(&d) {
			return nil
		}
		if d.Part == max(0, d.Parts-1) {
			parts = nil
		}
		parts = append(parts, d)
		if d.Part == 0 && len(parts) == max(1, d.Parts) {
			slices.Reverse(parts)
			return parts
		}
	}
	return nil
}

// `sound` reports whether every run of an anchor has a valid owner.
func sound(d *events.CommitData) bool {
	for _, f := range d.Files {
		for _, run := range f.Runs {
			if run.Owner < 0 || run.Owner >= len(d.Owners) {
				return false
			}
		}
	}
	return true
}

// part gives the call's lines in a part of an anchor to their new owners. The call stays in the list of owners, even
// without a run: so readers learn that this conversation has no line in the commit.
func (r *revision) part(d *events.CommitData) bool {
	changed := false
	owners := slices.Clone(d.Owners)
	for i := range owners {
		if previous := r.previous(owners[i].Previous); previous != owners[i].Previous {
			owners[i].Previous, changed = previous, true
		}
	}
	instead := map[int]int{}
	for i := range d.Files {
		d.Files[i].Runs = slices.Clone(d.Files[i].Runs)
		for k := range d.Files[i].Runs {
			run := &d.Files[i].Runs[k]
			at, done := instead[run.Owner]
			if !done {
				at = run.Owner
				if now, differs := r.nowAnchored(&owners[at]); differs {
					owners, at = append(owners, now), len(owners)
				}
				instead[run.Owner] = at
			}
			changed = changed || at != run.Owner
			run.Owner = at
		}
	}
	d.Owners = owners
	return changed
}

// nowAnchored replaces an owner in an anchor with the present owner.
func (r *revision) nowAnchored(o *events.AnchorOwner) (now events.AnchorOwner, changed bool) {
	if !r.names(o) {
		return *o, false
	}
	now, changed = r.now(*o, r.patches[o.Patch])
	now.Previous = o.Previous
	return now, changed
}
