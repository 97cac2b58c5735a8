package blame

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/git-trace/git-trace/correlate"
	"github.com/git-trace/git-trace/correlate/unseen"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails"
	"github.com/git-trace/git-trace/trails/vector"
)

// Anchors finds the events that name a commit, oldest first. The index of the log satisfies it.
type Anchors interface {
	ByCommit(commit refs.OID) ([]events.Event, error)
}

// Evidence resolves lines from what is recorded: committed ones from the anchors of their commit, the others from the
// timeline of the work tree. It satisfies Resolver.
type Evidence struct {
	repo    *refs.Repo
	anchors Anchors
	prompts Prompts
	settle  trails.Settler // nil to ask nobody
	owners  *trails.Owners
	search  Searcher // nil for none
	commits map[refs.OID]map[string][]anchoredRun
	bare    map[refs.OID]bool // commits without an anchor
	texts   map[promptKey]string
}

type promptKey struct {
	trace events.TraceID
	index int
}

// anchoredRun is a run of lines of one committed file, 1-based, with its owner.
type anchoredRun struct {
	start, count int
	who          Attribution
}

// Searcher finds the owners of lines of commits that have no anchor. A *unseen.Search does.
type Searcher interface {
	Ask(ctx context.Context, questions []unseen.Question) ([]unseen.Answer, error)
}

// NewEvidence returns the evidence that a repository has. Without a searcher the lines of commits without an anchor are
// unknown.
func NewEvidence(repo *refs.Repo, anchors Anchors, searcher Searcher) *Evidence {
	return &Evidence{
		repo: repo, anchors: anchors, search: searcher, prompts: trails.NewPrompts(repo), owners: trails.NewOwners(repo),
		commits: map[refs.OID]map[string][]anchoredRun{}, bare: map[refs.OID]bool{}, texts: map[promptKey]string{},
	}
}

// Expect searches for the owners of lines of commits that have no anchor, and asks the logs of other clones for those that
// an anchor does not know: they may have been fetched after the commit was made.
func (e *Evidence) Expect(ctx context.Context, questions []unseen.Question) error {
	if e.search == nil {
		return nil
	}
	var open []unseen.Question
	for _, q := range questions {
		if _, err := e.filesOf(q.Commit); err != nil {
			return fmt.Errorf("read what is recorded of commit %s: %w", q.Commit, err)
		}
		q.Elsewhere = !e.bare[q.Commit]
		if !q.Elsewhere || e.lacks(q) {
			open = append(open, q)
		}
	}
	if len(open) == 0 {
		return nil
	}
	answers, err := e.search.Ask(ctx, open)
	if err != nil {
		return err
	}
	for i, a := range answers {
		files, path := e.commits[open[i].Commit], open[i].Path
		files[path] = overlay(e.runsOf(a.Owners, a.File.Runs), files[path])
	}
	return nil
}

// lacks tells whether the anchors of a commit have the lines that are asked about, but no owner for all of them.
func (e *Evidence) lacks(q unseen.Question) bool {
	runs := e.commits[q.Commit][q.Path]
	return slices.ContainsFunc(q.Lines, func(line int) bool {
		return slices.ContainsFunc(runs, func(r anchoredRun) bool {
			return r.start <= line && line < r.start+r.count && r.who.Kind == events.OwnerUnknown
		})
	})
}

// Prompts gives the texts of prompts; found is false for one that is not kept.
type Prompts interface {
	Get(trace events.TraceID, index int) (text string, found bool, err error)
}

// WithPrompts takes the texts of prompts from elsewhere than where they lie as they were typed.
func (e *Evidence) WithPrompts(prompts Prompts) *Evidence {
	e.prompts = prompts
	return e
}

// WithSettler asks the agents' own records of the calls that are open, which lines that no commit has may depend on.
func (e *Evidence) WithSettler(settle trails.Settler) *Evidence {
	e.settle = settle
	return e
}

// maxLine bounds the line numbers of a foreign log: an int holds it, on systems of 32 bits too.
const maxLine = math.MaxInt32

// unknown is the answer where nothing is recorded.
var unknown = Attribution{Kind: events.OwnerUnknown}

// Committed answers from the anchors of a commit.
func (e *Evidence) Committed(_ context.Context, commit refs.OID, path string, lines []int) ([]Attribution, error) {
	files, err := e.filesOf(commit)
	if err != nil {
		return nil, fmt.Errorf("read what is recorded of commit %s: %w", commit, err)
	}
	runs := files[path]
	out := make([]Attribution, len(lines))
	for i, line := range lines {
		out[i] = unknown
		at := sort.Search(len(runs), func(i int) bool { return runs[i].start+runs[i].count > line })
		if at < len(runs) && runs[at].start <= line {
			out[i] = runs[at].who
		}
	}
	return out, nil
}

// filesOf gathers the anchors of a commit. One log may hold several, and a fetched log its own; what knows an owner wins
// over what does not, then the own log over a fetched one, and then the later anchor.
func (e *Evidence) filesOf(commit refs.OID) (map[string][]anchoredRun, error) {
	if files, done := e.commits[commit]; done {
		return files, nil
	}
	recorded, err := e.anchors.ByCommit(commit)
	if err != nil {
		return nil, err
	}
	files := map[string][]anchoredRun{}
	e.bare[commit] = true
	for _, event := range index.OwnLast(recorded) {
		if event.Type != events.CommitAnchored {
			continue
		}
		var data events.CommitData
		if json.Unmarshal(event.Data, &data) != nil || data.Commit != commit {
			continue // foreign and not what it says; it explains nothing
		}
		e.bare[commit] = false
		for _, f := range data.Files {
			path, err := events.DecodePath(f.Path)
			if err != nil {
				continue
			}
			files[path] = overlay(files[path], e.runsOf(data.Owners, f.Runs))
		}
	}
	e.commits[commit] = files
	return files, nil
}

func (e *Evidence) runsOf(owners []events.AnchorOwner, runs []events.AnchorRun) []anchoredRun {
	var out []anchoredRun
	for _, r := range runs {
		if r.Owner < 0 || r.Owner >= len(owners) || r.Start < 1 || r.Count < 1 || r.Count > maxLine-r.Start {
			continue
		}
		out = append(out, anchoredRun{r.Start, r.Count, e.attribution(owners[r.Owner], r.Tier)})
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].start < out[j].start })
	return out
}

// overlay puts the later runs over the earlier ones, except where the later ones know nothing. Both are in order; runs of
// one list that overlap each other, as only a foreign log can have them, give way to the first.
func overlay(earlier, later []anchoredRun) []anchoredRun {
	var known, vague []anchoredRun
	for _, r := range later {
		if r.who.Kind == events.OwnerUnknown {
			vague = append(vague, r)
		} else {
			known = append(known, r)
		}
	}
	return fill(fill(known, earlier), vague)
}

// fill adds the parts of the runs that lie where top has none.
func fill(top, runs []anchoredRun) []anchoredRun {
	out := append([]anchoredRun(nil), top...)
	for _, r := range runs {
		start, end := r.start, r.start+r.count
		for _, t := range top {
			if t.start+t.count <= start || t.start >= end {
				continue
			}
			if start < t.start {
				out = append(out, anchoredRun{start, t.start - start, r.who})
			}
			start = max(start, t.start+t.count)
		}
		if start < end {
			out = append(out, anchoredRun{start, end - start, r.who})
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].start < out[j].start })
	return out
}

// attribution is an owner as blame tells it.
func (e *Evidence) attribution(o events.AnchorOwner, tier string) Attribution {
	a := Attribution{
		Kind: o.Kind, Trace: o.Trace, Agent: o.Agent, Model: o.Model, Session: o.Session, Subagent: o.Subagent,
		Step: o.Step, ToolCall: o.ToolCall, Tool: o.Tool, PromptIndex: o.Prompt, Patch: o.Patch,
		Candidates: o.Candidates, Previous: o.Previous, Limits: o.Limits,
	}
	if o.Kind == events.OwnerUnknown || o.Kind == "" {
		return unknown
	}
	a.Evidence, a.Confidence = tier, correlate.Confidence(tier, o)
	if a.Trace != "" && a.PromptIndex > 0 {
		a.PromptText = e.promptText(a.Trace, a.PromptIndex)
	}
	return a
}

func (e *Evidence) promptText(trace events.TraceID, index int) string {
	key := promptKey{trace, index}
	if text, done := e.texts[key]; done {
		return text
	}
	text, _, _ := e.prompts.Get(trace, index) // a prompt that cannot be read is one that is not kept here
	e.texts[key] = text
	return text
}

// Uncommitted answers from the timeline of the work tree.
func (e *Evidence) Uncommitted(ctx context.Context, path string, content []byte, lines []int) ([]Attribution, error) {
	pending, err := trails.Pending(ctx, e.repo, e.settle, path, content)
	if err != nil {
		return nil, fmt.Errorf("read the timeline of %q: %w", path, err)
	}
	out := make([]Attribution, len(lines))
	for i, line := range lines {
		out[i] = e.pendingLine(pending, pending.Vector.At(line-1))
	}
	return out, nil
}

func (e *Evidence) pendingLine(pending trails.PendingLines, o vector.Owner) Attribution {
	if o.Kind == events.OwnerUnknown {
		return unknown
	}
	described := pending.Describe(o)
	described.Kind, described.Previous = o.Kind, o.Previous
	return e.attribution(described, correlate.TierExactBlob)
}
