package trails

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/trails/ledger"
	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/trails/origin"
	"github.com/git-trace/git-trace/trails/vector"
)

// A judge decides who can have written a change, from the open windows, the facts about their processes, and the report
// of the boundary.
type judge struct {
	tree   *workTree
	seen   *witness
	heard  *heard
	beside func(agent string) bool // see Engine
}

// `told` reports whether a tool reported a path before and after its edit.
func (j *judge) told(path string) bool {
	tool, _ := j.heard.reported(path)
	return tool != nil
}

// A decision returns the writer of a changed line. Equal answers are the same pointer.
type decision func(line []byte) *actor

// `always` returns the decision that does not depend on the line.
func always(a actor) decision { return func([]byte) *actor { return &a } }

// decide decides between the windows that could have written the path since its last snapshot. It leaves out the
// windows in the parameter `except`, whose share of the change is known.
func (j *judge) decide(path string, except ...*Window) decision {
	return j.decideSince(path, j.tree.seen(path), except...)
}

// decideSince does the same as decide, for changes since the given interval.
func (j *judge) decideSince(path string, seen int64, except ...*Window) decision {
	ws := slices.DeleteFunc(writers(j.tree.state.Windows, path, seen), func(w *Window) bool {
		return slices.Contains(except, w) || j.idleThen(w, path)
	})
	if len(ws) == 0 && (j.heard.unreported || j.tree.names.wasForeign(path)) {
		return always(nobody)
	}
	able := slices.DeleteFunc(slices.Clone(ws), func(w *Window) bool { return j.silent(w, path) })
	if len(able) == 0 && len(ws) > 0 {
		return always(actor{kind: events.OwnerHuman, limits: []events.Limit{events.LimitProcessSilent}})
	}
	wrote := j.wroteEnough(able, path)
	if len(wrote) == 0 && len(able) > 0 {
		return always(actor{kind: events.OwnerUnknown, limits: []events.Limit{events.LimitProcessSilent}})
	}
	return j.weigh(wrote, path, seen, j.heard.unfinished(j.tree.state))
}

// weigh does the same as decideAmong, and adds a doubt if the beginning or the end of a call is not proved.
func (j *judge) weigh(ws []*Window, path string, seen int64, unfinished []*Window) decision {
	by := decideAmong(ws, path, unfinished)
	var sure []*Window
	var why []events.Limit
	for _, w := range ws {
		if limit := j.doubts(w, path); limit == "" {
			sure = append(sure, w)
		} else {
			why = unionLimits(why, []events.Limit{limit})
		}
	}
	switch {
	case j.tree.inDoubt(path, seen):
		return doubted(by, path, j.tree.state.lostWhy()...)
	case len(sure) == 0:
		return doubtedCalls(by, path, why...)
	case len(sure) < len(ws):
		return rather(sure, decideAmong(sure, path, unfinished), by, path)
	}
	return by
}

// `rather` decides among calls if only some certainly ran. It drops the other calls unless a distinctive line is
// evidence for them.
func rather(under []*Window, sure, by decision, path string) decision {
	unsure := doubted(by, path)
	return func(line []byte) *actor {
		if a := by(line); a.window == nil || slices.Contains(under, a.window) || unsure(line) == a {
			return a
		}
		return sure(line)
	}
}

// doubtedCalls returns a decision about an interval whose calls may all have ended before it: a person may have written
// their lines. The parameter `why` gives the reasons for unknown lines.
func doubtedCalls(by decision, path string, why ...events.Limit) decision {
	unsure := doubted(by, path, why...)
	return func(line []byte) *actor {
		if a := by(line); a.kind == events.OwnerHuman {
			return a
		}
		return unsure(line)
	}
}

// `doubted` returns a decision about an interval in which a boundary was lost: the person and the call may have written
// in either order. Only the text that an edit call declared is certainly its own, if it is distinctive: anybody may
// type a brace. For example: the hook of a call's end was killed, so nothing reports whether the call or a person wrote
// a line.
func doubted(by decision, path string, why ...events.Limit) decision {
	texts := map[*Window]map[string]bool{}
	unknown := &actor{kind: events.OwnerUnknown, limits: why}
	return func(line []byte) *actor {
		a := by(line)
		if a.window == nil || a.window.Call.Class != events.ToolEdits {
			return unknown
		}
		if texts[a.window] == nil {
			texts[a.window] = declaredLines(a.window, path)
		}
		if key := linediff.StripSpace(line); len(key) < origin.Specific || !texts[a.window][string(key)] {
			return unknown
		}
		return a
	}
}

// `unfinished` returns the windows that stay open after this boundary, or that end here without their own
// after-boundary.
func (h *heard) unfinished(s *state) []*Window {
	return slices.DeleteFunc(s.openWindows(), func(w *Window) bool {
		return slices.ContainsFunc(h.closing, func(end ending) bool {
			return end.window == w && end.status != "abandoned" && end.status != "rejected"
		})
	})
}

// decideAmong applies these rules. Without a window, a person wrote the line. With one window, its call wrote the line.
// An edit call that has not reported back owns only its declared text. With several windows, the edit call that
// declared the line wrote it, or else a call that may write anywhere. If several calls remain, all are candidates.
func decideAmong(ws []*Window, path string, unfinished []*Window) decision {
	return asProposed(ws, path, decideWindows(ws, path, unfinished))
}

// asProposed gives calls only the lines that their agents proposed, if a person changed the proposal before it was
// written (Claude Code in an editor, Gemini CLI and Qwen Code with "modify"): the person owns the other lines.
func asProposed(ws []*Window, path string, by decision) decision {
	texts := map[*Window]map[string]bool{}
	for _, w := range ws {
		for _, d := range w.declares(path) {
			if d.Proposed != nil {
				texts[w] = w.proposed(path)
			}
		}
	}
	if len(texts) == 0 {
		return by
	}
	return func(line []byte) *actor {
		a := by(line)
		if proposed := texts[a.window]; proposed != nil && !proposed[string(linediff.StripSpace(line))] {
			return &person
		}
		return a
	}
}

// `proposed` returns the lines that the agent of a call proposed, without white space.
func (w *Window) proposed(path string) map[string]bool {
	out := map[string]bool{}
	for _, d := range w.declares(path) {
		text := d.New
		if d.Proposed != nil {
			text = *d.Proposed
		}
		for line := range bytes.Lines([]byte(text)) {
			out[string(linediff.StripSpace(line))] = true
		}
	}
	return out
}

func decideWindows(ws []*Window, path string, unfinished []*Window) decision {
	if len(ws) == 0 {
		return always(person)
	}
	var edits, others []*Window
	for _, w := range ws {
		if w.Call.Class == events.ToolEdits {
			edits = append(edits, w)
		} else {
			others = append(others, w)
		}
	}
	if len(ws) == 1 && len(edits) == 1 && !ws[0].Asked.IsZero() && len(ws[0].declares(path)) > 0 {
		return declaredAlone(ws[0], path)
	}
	if len(ws) == 1 && (len(edits) == 0 || !slices.Contains(unfinished, ws[0]) || len(ws[0].declares(path)) == 0) {
		return always(oneOrCandidates(ws, path))
	}
	texts := make([]map[string]bool, len(edits))
	for i, w := range edits {
		texts[i] = declaredLines(w, path)
	}
	rest := decideOthers(edits, others, path)
	answers := map[string]*actor{}
	return func(line []byte) *actor {
		key := linediff.StripSpace(line)
		var by []*Window
		which := ""
		for i, w := range edits {
			if texts[i][string(key)] {
				by = append(by, w)
				which += strconv.Itoa(i) + " "
			}
		}
		if len(by) == 0 {
			return &rest
		}
		if answers[which] == nil {
			answers[which] = ref(oneOrCandidates(by, path))
		}
		return answers[which]
	}
}

func ref(a actor) *actor { return &a }

// oneOrCandidates returns the owner of a line that one of the windows wrote. An unknown tool may only wait or read: it
// owns only paths that it names. For example, a person types while a tool of an MCP server searches something.
func oneOrCandidates(ws []*Window, path string) actor {
	if !slices.ContainsFunc(ws, func(w *Window) bool { return w.Call.Class != events.ToolUnknown || w.named(path) }) {
		return actor{kind: events.OwnerUnknown, limits: []events.Limit{events.LimitPathNotNamed}}
	}
	if len(ws) == 1 {
		return byWindow(ws[0], path)
	}
	return byCandidates(ws)
}

// decideOthers returns the owner of lines that no edit call declared.
func decideOthers(edits, others []*Window, path string) actor {
	// An edit call that did not report its text may have written any line of its path.
	for _, w := range edits {
		if len(w.declares(path)) == 0 {
			others = append(others, w)
		}
	}
	if len(others) == 0 {
		return person
	}
	return oneOrCandidates(others, path)
}

// byWindow returns the call of a window that may have written a path.
func byWindow(w *Window, path string) actor {
	a := actor{kind: events.OwnerAI, window: w}
	if w.Run.Background || len(w.Run.Left) > 0 {
		a.limits = append(a.limits, events.LimitBackgroundProcess)
	}
	if !w.Asked.IsZero() && w.Call.Class != events.ToolEdits {
		a.limits = append(a.limits, events.LimitConsentUnknown)
	}
	if !w.named(path) {
		a.limits = append(a.limits, events.LimitPathNotNamed)
	}
	return a
}

func byCandidates(ws []*Window) actor {
	a := actor{kind: events.OwnerAI, limits: []events.Limit{events.LimitConcurrentWriters}}
	for _, w := range ws {
		a.candidates = append(a.candidates, w.candidate())
	}
	slices.SortFunc(a.candidates, func(x, y events.CandidateData) int {
		if x.Trace != y.Trace {
			return strings.Compare(string(x.Trace), string(y.Trace))
		}
		return strings.Compare(x.ToolCall, y.ToolCall)
	})
	return a
}

// declaredLines returns the lines that a call declared for the path, without white space. It leaves out the lines of
// the replaced text.
func declaredLines(w *Window, path string) map[string]bool {
	out := map[string]bool{}
	for _, d := range w.declares(path) {
		was := map[string]bool{}
		before, after := d.Old, d.New
		if d.After != nil {
			after = *d.After
			before = ""
			if d.Before != nil {
				before = *d.Before
			}
		}
		for line := range bytes.Lines([]byte(before)) {
			was[string(linediff.StripSpace(line))] = true
		}
		for line := range bytes.Lines([]byte(after)) {
			if key := string(linediff.StripSpace(line)); !was[key] {
				out[key] = true
			}
		}
	}
	return out
}

// ownerOf makes the owner of an actor's lines, and notes it.
func (rec *record) ownerOf(who actor, seed patchSeed) vector.Owner {
	rec.noteWriters(&who)
	rec.tree.store.note(who)
	seed.writer, seed.worktree = rec.page.writer, rec.tree.repo.WorktreeName()
	return who.owner(seed)
}

// owner makes the owner of an actor's lines.
func (a actor) owner(seed patchSeed) vector.Owner {
	if a.kind == events.OwnerUnknown {
		return vector.Owner{Kind: events.OwnerUnknown}
	}
	return vector.Owner{Kind: a.kind, Patch: seed.id(a.key())}
}

// note remembers an actor for the step.
func (c *contents) note(who actor) {
	if who.kind != events.OwnerUnknown {
		c.owners.Put(who.key(), who.describe())
	}
}

// noteWriters notes the open calls that may have written a line, in case they turn out to have ended before
// (revise.go).
func (rec *record) noteWriters(who *actor) {
	if who.kind == events.OwnerUnknown {
		return
	}
	if who.window != nil && who.window.Wrote == 0 {
		who.window.Wrote = rec.tree.interval
	}
	for _, c := range who.candidates {
		for _, w := range rec.tree.state.Windows {
			if w.Wrote == 0 && w.same(c.Trace, c.ToolCall) {
				w.Wrote = rec.tree.interval
			}
		}
	}
}

// actor is the decision about the writer of one run of lines in one interval.
type actor struct {
	kind       events.OwnerKind
	window     *Window // nil for a person, for unknown, and for several candidates
	candidates []events.CandidateData
	limits     []events.Limit
	seen       bool // an editor saw the person type
}

var (
	person = actor{kind: events.OwnerHuman}
	nobody = actor{kind: events.OwnerUnknown}
	typist = actor{kind: events.OwnerHuman, seen: true}
	// paster stands for a person who put text into an editor; the text may be a completion that the editor did not notice.
	paster = actor{kind: events.OwnerHuman, limits: []events.Limit{events.LimitCompletionUntold}}
)

// `beside` returns the actor. A person whom no editor saw gets a limitation if an editor does not report accepted
// completions.
func (a actor) beside(editing func() bool) actor {
	if a.kind == events.OwnerHuman && !a.seen && editing != nil && editing() {
		a.limits = unionLimits(a.limits, []events.Limit{events.LimitCompletionUntold})
	}
	return a
}

// key names the actor. Equal actors have equal keys; a person is all zeros.
func (a actor) key() ledger.OwnerKey {
	if a.kind == events.OwnerHuman && !a.seen && !slices.Contains(a.limits, events.LimitCompletionUntold) {
		return ledger.Person
	}
	parts := []string{string(a.kind)}
	if a.seen {
		parts = append(parts, string(events.SeenTyping))
	}
	if a.window != nil {
		parts = append(parts, string(a.window.Call.Trace), a.window.Call.ID)
	}
	for _, c := range a.candidates {
		parts = append(parts, string(c.Trace), c.ToolCall)
	}
	for _, l := range a.limits {
		parts = append(parts, string(l))
	}
	return ledger.NewOwnerKey(parts)
}

// evidence returns the evidence that a person wrote the lines, or "" if the actor is not a person.
func (a actor) evidence() events.Watch {
	switch {
	case a.kind != events.OwnerHuman:
		return ""
	case a.seen:
		return events.SeenTyping
	}
	return events.Watched
}

// describe returns the actor as an anchor names it.
func (a actor) describe() events.AnchorOwner {
	o := events.AnchorOwner{Kind: a.kind, Candidates: a.candidates, Limits: a.limits}
	if w := a.window; w != nil {
		o.Trace, o.Agent, o.Session, o.Subagent = w.Call.Trace, w.Call.Agent, w.Call.Session, w.Call.Subagent
		o.Model, o.Tool, o.ToolCall, o.Prompt, o.Step = w.Call.Model, w.Call.Tool, w.Call.ID, w.Call.Prompt, w.Call.Step
		o.Limits = unionLimits(w.Limits, a.limits)
		return o
	}
	o.Evidence = a.evidence()
	// Candidates of one conversation differ only in the tool call.
	if len(a.candidates) > 0 && !slices.ContainsFunc(a.candidates, func(c events.CandidateData) bool {
		return c.Trace != a.candidates[0].Trace
	}) {
		o.Trace, o.Agent, o.Session = a.candidates[0].Trace, a.candidates[0].Agent, a.candidates[0].Session
	}
	return o
}

func without(limits []events.Limit, limit events.Limit) []events.Limit {
	return slices.DeleteFunc(slices.Clone(limits), func(l events.Limit) bool { return l == limit })
}

func unionLimits(a, b []events.Limit) []events.Limit {
	out := slices.Clone(a)
	for _, l := range b {
		if !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	return out
}
