package blame

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"sort"
	"time"

	"github.com/git-trace/git-trace/blame/gitblame"
	"github.com/git-trace/git-trace/correlate"
	"github.com/git-trace/git-trace/correlate/belief"
	"github.com/git-trace/git-trace/correlate/unseen"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails"
	"github.com/git-trace/git-trace/trails/ledger"
	"github.com/git-trace/git-trace/trails/vector"
)

// Evidence finds owners in recorded data. For committed lines it reads the anchors of their commit, for other lines the
// timeline of the work tree. It satisfies Resolver.
type Evidence struct {
	repo    *refs.Repo
	log     belief.Log
	prompts Prompts
	settle  trails.Settler                              // may be nil
	editing func() bool                                 // see trails.Engine; may be nil
	search  Searcher                                    // may be nil
	step    func(trace events.TraceID, call string) int // nil if steps are unknown
	demand  Demand                                      // may be nil
	commits map[refs.OID]*belief.Commit
	texts   map[promptKey]string
	pending pendingAnswer
	began   *belief.Beginning // nil before the first use
}

type promptKey struct {
	trace events.TraceID
	index int
}

// Searcher finds the owners of lines in commits that have no anchor. A *unseen.Search satisfies it.
type Searcher interface {
	Ask(ctx context.Context, questions []unseen.Question) ([]unseen.Answer, error)
}

// NewEvidence returns an Evidence for a repository. Without a searcher, lines of commits without an anchor are unknown.
func NewEvidence(repo *refs.Repo, log belief.Log, searcher Searcher) *Evidence {
	return &Evidence{
		repo: repo, log: log, search: searcher, prompts: ledger.NewPrompts(repo),
		commits: map[refs.OID]*belief.Commit{}, texts: map[promptKey]string{},
	}
}

// Expect searches for the owners of lines in commits that have no anchor. For lines that an anchor does not know or
// credits to people, it searches what the anchor could not take into account, such as the logs of other clones that
// were fetched later.
func (e *Evidence) Expect(ctx context.Context, questions []unseen.Question) error {
	if e.search == nil {
		return nil
	}
	var open []unseen.Question
	for _, q := range questions {
		c, err := e.commit(q.Commit)
		if err != nil {
			return err
		}
		q.Elsewhere = c.Heard
		unknown := holds(c, q, func(r *belief.Run) bool { return !r.Knows() })
		q.Carried = !unknown
		if !q.Elsewhere || unknown || holds(c, q, func(r *belief.Run) bool { return r.Owner.Kind == events.OwnerHuman }) {
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
		a.File.Path = events.EncodePath(open[i].Path)
		e.commits[open[i].Commit].Fill(&events.CommitData{Owners: a.Owners, Files: []events.AnchorFile{a.File}})
	}
	return nil
}

// anchoring is a log that can list the commits with an anchor for a path. It stops when the context ends.
type anchoring interface {
	Anchoring(ctx context.Context, path string) []refs.OID
}

// Prepare reads recorded data in advance. It ignores errors, because a later question reports them.
func (e *Evidence) Prepare(ctx context.Context, likely gitblame.Likely) {
	commits := likely.Commits
	if of, ok := e.log.(anchoring); ok && len(commits) == 0 {
		commits = of.Anchoring(ctx, likely.Path)
	}
	for _, id := range commits {
		if _, err := e.commit(id); err != nil || ctx.Err() != nil {
			return
		}
	}
	if likely.Content != nil && ctx.Err() == nil { // not interrupted, because it would start again
		_, _ = e.pendingOf(context.WithoutCancel(ctx), likely.Path, likely.Content)
	}
}

// `holds` reports whether the anchors of a commit have a run that contains a line in question and that the function
// `like` accepts.
func holds(c *belief.Commit, q unseen.Question, like func(*belief.Run) bool) bool {
	runs := c.Runs(q.Path)
	for i := range runs {
		r := &runs[i]
		if !like(r) {
			continue
		}
		at, _ := slices.BinarySearch(q.Lines, r.Start)
		if at < len(q.Lines) && q.Lines[at] < r.Start+r.Count {
			return true
		}
	}
	return false
}

// Prompts returns the texts of prompts. found is false if a text is not stored.
type Prompts interface {
	Get(trace events.TraceID, index int) (text string, found bool, err error)
}

// WithPrompts sets another source for the texts of prompts. The default source has the prompts as typed.
func (e *Evidence) WithPrompts(prompts Prompts) *Evidence {
	e.prompts = prompts
	return e
}

// WithSteps sets the function that returns the step of a tool call in its conversation, or 0 if unknown.
func (e *Evidence) WithSteps(step func(trace events.TraceID, call string) int) *Evidence {
	e.step = step
	return e
}

// Demand fetches the texts of conversations, and reports whether it got some.
type Demand func(ctx context.Context, traces []events.TraceID) (bool, error)

// WithDemand sets the function that fetches conversations whose prompts are not stored here. It is called once for all
// lines.
func (e *Evidence) WithDemand(demand Demand) *Evidence {
	e.demand = demand
	return e
}

// Complete adds the texts of prompts.
func (e *Evidence) Complete(ctx context.Context, owners []*Attribution) error {
	if e.demand == nil {
		return nil
	}
	lacks := func(a *Attribution) bool { return a.Trace != "" && a.PromptIndex > 0 && a.PromptText == "" }
	lacking := map[events.TraceID]bool{}
	for i := range owners {
		if a := owners[i]; lacks(a) {
			lacking[a.Trace] = true
		}
	}
	if len(lacking) == 0 {
		return nil
	}
	came, err := e.demand(ctx, slices.Sorted(maps.Keys(lacking)))
	if err != nil || !came {
		return err
	}
	clear(e.texts)
	for i := range owners {
		if a := owners[i]; lacks(a) {
			a.PromptText = e.promptText(a.Trace, a.PromptIndex)
		}
	}
	return nil
}

// WithSettler sets the function that reads the agents' own records about open calls, and the function that reports
// whether an editor is open (see trails.Engine). The owners of uncommitted lines may depend on both.
func (e *Evidence) WithSettler(settle trails.Settler, editing func() bool) *Evidence {
	e.settle, e.editing = settle, editing
	return e
}

// The attributions of lines without recorded data: in commits made after recording began, and in commits made before
// it.
var (
	unknown = &Attribution{Kind: events.OwnerUnknown}
	older   = &Attribution{Kind: events.OwnerOlder}
)

// Nobodys returns the kind of a commit's lines without a known owner: older than the recording, or unknown.
func (e *Evidence) Nobodys(commit refs.OID, committed time.Time) (events.OwnerKind, error) {
	if e.began == nil {
		began, err := belief.BeginningOf(e.log)
		if err != nil {
			return events.OwnerUnknown, err
		}
		e.began = &began
	}
	c, err := e.commit(commit)
	return e.began.Nobodys(c, committed), err
}

// Committed returns owners from the anchors of a commit, and from the search.
func (e *Evidence) Committed(_ context.Context, commit refs.OID, path string, lines []int) ([]*Attribution, error) {
	c, err := e.commit(commit)
	if err != nil {
		return nil, err
	}
	runs := c.Runs(path)
	out := make([]*Attribution, len(lines))
	var who *Attribution
	told := -1 // index of the run that who belongs to
	for i, line := range lines {
		out[i] = unknown
		at := sort.Search(len(runs), func(i int) bool { return runs[i].Start+runs[i].Count > line })
		if at == len(runs) || runs[at].Start > line {
			continue
		}
		if at != told {
			who, told = e.believed(c, &runs[at]), at
		}
		out[i] = who
	}
	return out, nil
}

// `believed` returns the attribution of a run. If the run is from another clone, the attribution names that clone.
func (e *Evidence) believed(c *belief.Commit, r *belief.Run) *Attribution {
	a := e.attribution(*r.Owner, r.Tier)
	if a != unknown {
		a.Disputed = r.Disputed
		a.Writer, a.Signer = c.Teller(r)
	}
	return a
}

// commit reads the anchors of a commit and decides which owners count. It does this once for each commit.
func (e *Evidence) commit(id refs.OID) (*belief.Commit, error) {
	if c := e.commits[id]; c != nil {
		return c, nil
	}
	c, err := belief.Of(e.log, id)
	if err != nil {
		return nil, err
	}
	e.commits[id] = c
	return c, nil
}

// attribution converts an owner from the form of anchors to blame's form.
func (e *Evidence) attribution(o events.AnchorOwner, tier string) *Attribution {
	a := &Attribution{
		Kind: o.Kind, Trace: o.Trace, Agent: o.Agent, Model: o.Model, Session: o.Session, Subagent: o.Subagent,
		Step: o.Step, ToolCall: o.ToolCall, Tool: o.Tool, PromptIndex: o.Prompt, Patch: o.Patch,
		Candidates: o.Candidates, Previous: o.Previous, Limits: o.Limits,
	}
	if o.Kind == events.OwnerUnknown || o.Kind == "" {
		if len(o.Limits) > 0 {
			return &Attribution{Kind: events.OwnerUnknown, Limits: o.Limits}
		}
		return unknown
	}
	a.Evidence, a.Confidence = correlate.Evidence(tier, o), correlate.Confidence(tier, o)
	if a.Step == 0 && a.ToolCall != "" && e.step != nil {
		a.Step = e.step(a.Trace, a.ToolCall)
	}
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
	text, _, _ := e.prompts.Get(trace, index) // a prompt that cannot be read counts as not stored
	e.texts[key] = text
	return text
}

// Uncommitted returns owners from the timeline of the work tree.
func (e *Evidence) Uncommitted(ctx context.Context, path string, content []byte, lines []int) ([]*Attribution, error) {
	pending, err := e.pendingOf(ctx, path, content)
	if err != nil {
		return nil, err
	}
	return e.pendingLines(pending, lines), nil
}

// pendingOf caches the answer for the last content.
func (e *Evidence) pendingOf(ctx context.Context, path string, content []byte) (trails.PendingLines, error) {
	if of := &e.pending; of.known && of.path == path && bytes.Equal(of.content, content) {
		return of.lines, nil
	}
	lines, err := trails.Pending(ctx, e.repo, e.settle, e.editing, path, content)
	if err != nil {
		return lines, fmt.Errorf("read the timeline of %q: %w", path, err)
	}
	e.pending = pendingAnswer{known: true, path: path, content: content, lines: lines}
	return lines, nil
}

// pendingAnswer holds the owners of the lines of an uncommitted content.
type pendingAnswer struct {
	known   bool
	path    string
	content []byte
	lines   trails.PendingLines
}

// Remembering returns a Resolver for contents that are no longer in the work tree, but in a recorded snapshot.
func (e *Evidence) Remembering() Resolver { return remembering{e} }

type remembering struct{ *Evidence }

func (e remembering) Uncommitted(_ context.Context, path string, content []byte, lines []int) ([]*Attribution, error) {
	return e.pendingLines(trails.Remembered(e.repo, path, content), lines), nil
}

func (e *Evidence) pendingLines(pending trails.PendingLines, lines []int) []*Attribution {
	out := make([]*Attribution, len(lines))
	for i, line := range lines {
		out[i] = e.pendingLine(pending, pending.Vector.At(line-1))
	}
	return out
}

func (e *Evidence) pendingLine(pending trails.PendingLines, o vector.Owner) *Attribution {
	if o.Kind == events.OwnerUnknown {
		return unknown
	}
	described := pending.Describe(o)
	described.Kind, described.Previous = o.Kind, o.Previous
	return e.attribution(belief.Named(e.log, described), correlate.TierOf(o))
}
