package trail

import (
	"cmp"
	"slices"
	"time"

	"github.com/git-trace/git-trace/correlate"
	"github.com/git-trace/git-trace/correlate/belief"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/refs"
)

// Log gives access to recorded events. The index of the log satisfies it.
type Log interface {
	belief.Log
	Patch(id events.PatchID) (events.Event, bool, error)
	Trace(id events.TraceID) (index.Trace, bool, error)
	Anchors(commit refs.OID) (int, error)
	ByPath(path string) ([]events.Event, error)
	Heirs(commit refs.OID) ([]index.Rewriting, error)
	Retell(r index.Rewriting) (index.Retold, error)
}

// holding is a run of lines of a patch in an anchor.
type holding struct {
	commit refs.OID
	event  *events.Event
	run    Run
	tier   string
	owner  events.AnchorOwner
}

// `created` copies the data of the patch's event.
func (t *Trail) created(e *events.Event) {
	var d events.PatchData
	if events.ReadData(e.Data, &d) != nil {
		return
	}
	t.Owner = events.AnchorOwner{
		Kind: d.Owner, Patch: d.Patch, Trace: e.Trace, Agent: e.Agent, Session: e.Session, Subagent: e.Subagent,
		Model: d.Model, Tool: d.Tool, ToolCall: e.ToolCall, Prompt: d.Prompt, Step: e.Step, Candidates: d.Candidates,
	}
	t.Path = events.RawPath(d.Path)
	t.Lines, t.Removed = max(d.NewCount, 0), max(d.OldCount, 0)
	for _, k := range d.Kept {
		t.Lines -= k.Count
	}
	t.Lines = max(t.Lines, 0)
	t.Created = &Created{Time: e.Time, Worktree: e.Worktree, Start: d.NewStart, Count: d.NewCount, Limits: e.Limits}
}

// holdings finds the anchors that name the patch. It finds them by the commits that have lines of the patch's
// conversation, and by the paths of the patch.
func (t *Tracker) holdings(tr *Trail) ([]holding, error) {
	var out []holding
	if tr.Owner.Trace != "" {
		byKey, err := t.conversation(tr.Owner.Trace)
		if err != nil {
			return nil, err
		}
		out = append(out, byKey[tr.key]...)
	}
	if len(out) == 0 && tr.Path != "" {
		for _, path := range t.namesOf(tr.Path) {
			byKey, err := t.anchoredAt(path)
			if err != nil {
				return nil, err
			}
			out = append(out, byKey[tr.key]...)
		}
	}
	slices.SortStableFunc(out, func(a, b holding) int { return a.event.Time.Compare(b.event.Time) })
	type place struct {
		commit refs.OID
		path   string
		start  int
	}
	seen := map[place]bool{}
	return slices.DeleteFunc(out, func(h holding) bool { // two names of a file may lead to the same commit
		p := place{h.commit, h.run.Path, h.run.Start}
		twice := seen[p]
		seen[p] = true
		return twice
	}), nil
}

// conversation finds the runs that all patches of a conversation have in anchors.
func (t *Tracker) conversation(trace events.TraceID) (map[Key][]holding, error) {
	if held, done := t.byTrace[trace]; done {
		return held, nil
	}
	sum, _, err := t.log.Trace(trace)
	if err != nil {
		return nil, err
	}
	out := map[Key][]holding{}
	for i, h := range sum.Held { // sorted by commit
		if i > 0 && h.Commit == sum.Held[i-1].Commit {
			continue
		}
		if err := t.gather(h.Commit, out); err != nil {
			return nil, err
		}
	}
	t.byTrace[trace] = out
	return out, nil
}

func (t *Tracker) anchoredAt(path string) (map[Key][]holding, error) {
	if held, done := t.byPath[path]; done {
		return held, nil
	}
	named, err := t.log.ByPath(path)
	if err != nil {
		return nil, err
	}
	out := map[Key][]holding{}
	seen := map[refs.OID]bool{}
	for i := range named {
		var d events.CommitData
		if named[i].Type != events.CommitAnchored || events.ReadData(named[i].Data, &d) != nil || seen[d.Commit] {
			continue
		}
		seen[d.Commit] = true
		if err := t.gather(d.Commit, out); err != nil {
			return nil, err
		}
	}
	t.byPath[path] = out
	return out, nil
}

// gather reads the owners of lines in a commit.
func (t *Tracker) gather(commit refs.OID, into map[Key][]holding) error {
	known, err := belief.Of(t.log, commit)
	if err != nil {
		return err
	}
	for i := range known.Files {
		f := &known.Files[i]
		for k := range f.Runs {
			r := &f.Runs[k]
			if key := KeyOf(r.Owner, f.Path); key != "" {
				into[key] = append(into[key], holding{commit, r.By, Run{f.Path, r.Start, r.Count}, r.Tier, *r.Owner})
			}
		}
	}
	return nil
}

// steps returns a step for each commit that has lines of the patch, and for each commit that replaced one of these.
func (t *Tracker) steps(held []holding) []Step {
	var out []Step
	at := map[refs.OID]int{}
	for _, h := range held {
		i, found := at[h.commit]
		if !found {
			i = len(out)
			at[h.commit] = i
			out = append(out, Step{Kind: Anchored, Time: t.when(h), Commit: h.commit})
		}
		s := &out[i]
		s.Runs = append(s.Runs, h.run)
		if s.Tier == "" || slices.Index(correlate.Tiers(), h.tier) > slices.Index(correlate.Tiers(), s.Tier) {
			s.Tier, s.Confidence = h.tier, correlate.Confidence(h.tier, h.owner)
		}
	}
	for i := 0; i < len(out) && i < mostSteps; i++ { // grows during the loop
		for _, h := range t.heirs(out[i].Commit) {
			j, found := at[h.New]
			if found && !out[j].From.IsZero() || !found && t.anchored(h.New) {
				continue // the new commit's own anchor has no line of the patch
			}
			told, err := t.log.Retell(h)
			if err != nil {
				continue
			}
			if !found {
				j = len(out)
				at[h.New] = j
				out = append(out, Step{Commit: h.New, Time: told.Time, Tier: correlate.TierRewritten,
					Confidence: out[i].Confidence})
			}
			s := &out[j]
			s.Kind, s.From, s.By = Carried, out[i].Commit, told.Kind
		}
	}
	slices.SortStableFunc(out, func(a, b Step) int {
		return cmp.Or(a.Time.Compare(b.Time), a.Commit.Compare(b.Commit))
	})
	return out
}

// `when` returns the time of an anchor: the time of its event, or the time of the commit if the anchor was made later.
func (t *Tracker) when(h holding) time.Time {
	if h.event.Claimed() || events.DataOf[events.CommitData](*h.event).Revision > 0 {
		if c, err := t.objects.Commit(h.commit); err == nil {
			return c.Committer.When
		}
	}
	return h.event.Time
}

// mostSteps limits the number of commits whose replacements are followed: another clone's log may name any number.
const mostSteps = 1000

// heirs returns the commits that replaced a commit.
func (t *Tracker) heirs(commit refs.OID) []index.Rewriting {
	list, asked := t.heirsOf[commit]
	if !asked {
		list, _ = t.log.Heirs(commit) // replacements that cannot be read are not followed
		t.heirsOf[commit] = list
	}
	return list
}

func (t *Tracker) anchored(commit refs.OID) bool {
	n, err := t.log.Anchors(commit)
	return err == nil && n > 0
}
