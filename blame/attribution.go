package blame

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/git-trace/git-trace/blame/gitblame"
	"github.com/git-trace/git-trace/correlate/unseen"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// Resolver finds the owners of lines. It answers only from evidence; otherwise a line is unknown. Lines may share an
// answer, so callers must not change it.
type Resolver interface {
	// Committed returns the owners of a path's lines in a commit. Lines are 1-based and ascending; the result is
	// parallel to them.
	Committed(ctx context.Context, commit refs.OID, path string, lines []int) ([]*Attribution, error)
	// Uncommitted answers for the uncommitted lines of a path's content in the work tree, or of the content given by
	// --contents. content has the stored form: line endings and filters converted.
	Uncommitted(ctx context.Context, path string, content []byte, lines []int) ([]*Attribution, error)
}

// Forewarned is a Resolver that gets all questions about committed lines before the first answer. So it can search for
// all of them at once.
type Forewarned interface {
	Expect(ctx context.Context, questions []unseen.Question) error
}

// Preparer is a Resolver that learns the likely questions while git is running. During that time it gets no other call.
type Preparer interface {
	Prepare(ctx context.Context, likely gitblame.Likely)
}

// Completer is a Resolver that may complete the answers once all of them are known.
type Completer interface {
	Complete(ctx context.Context, owners []*Attribution) error
}

// Dated is a Resolver that knows when recording began. For a commit's lines without a known owner it says whether they
// are older. Committed is the commit's time.
type Dated interface {
	Nobodys(commit refs.OID, committed time.Time) (events.OwnerKind, error)
}

// Attribution names the writer of a line and the evidence. Its zero value is a line without a known owner.
type Attribution struct {
	Kind        events.OwnerKind // older of a line without a known owner in a commit older than the recording
	Trace       events.TraceID
	Agent       string
	Model       string
	Session     string
	Subagent    string
	Step        int
	ToolCall    string
	Tool        string
	PromptIndex int    // 1-based in the trace; 0 when not known
	PromptText  string // as typed or as redacted; empty when it is not kept here
	Patch       events.PatchID
	Evidence    string                 // evidence tier
	Confidence  string                 // high, medium, low
	Candidates  []events.CandidateData // when several calls could have written it
	Previous    events.PatchID         // the AI's line that a person changed
	Limits      []events.Limit
	Time        time.Time // of the tool call
	Writer      string    // the other clone whose log names the owner; empty for this clone
	Signer      string    // the signer of that log, if git trusts the key
	Disputed    []string  // the writers of other clones who say otherwise, with the same right
}

// ByAI reports whether an agent wrote the line, alone or with a person.
func (a *Attribution) ByAI() bool { return a.Kind == events.OwnerAI || a.Kind == events.OwnerMixed }

// AnchorOwner returns the owner as anchors have it.
func (a *Attribution) AnchorOwner() events.AnchorOwner {
	return events.AnchorOwner{
		Kind: a.Kind.Stored(), Patch: a.Patch, Trace: a.Trace, Agent: a.Agent, Session: a.Session, Subagent: a.Subagent,
		Model: a.Model, Tool: a.Tool, ToolCall: a.ToolCall, Prompt: a.PromptIndex, Step: a.Step, Previous: a.Previous,
		Candidates: a.Candidates, Limits: a.Limits,
	}
}

// Same reports whether two lines have one owner: their headers would be equal.
func (a *Attribution) Same(b *Attribution) bool {
	return a == b || a.Kind == b.Kind && a.Trace == b.Trace && a.Agent == b.Agent && a.Model == b.Model &&
		a.Session == b.Session && a.Subagent == b.Subagent && a.Step == b.Step && a.ToolCall == b.ToolCall &&
		a.Tool == b.Tool && a.PromptIndex == b.PromptIndex && a.PromptText == b.PromptText && a.Patch == b.Patch &&
		a.Evidence == b.Evidence && a.Confidence == b.Confidence && a.Previous == b.Previous &&
		a.Writer == b.Writer && slices.Equal(a.Disputed, b.Disputed) &&
		slices.Equal(a.Candidates, b.Candidates) && slices.Equal(a.Limits, b.Limits)
}

// Annotated is a line with its owner, ready to be drawn.
type Annotated struct {
	gitblame.Line
	Owner *Attribution
	Date  string // in the form of --date; empty for an uncommitted line
	Score string // --score-debug: git's two figures
}

// credit is a question to the resolver: a line of a path in a commit. A zero commit means the blamed content.
type credit struct {
	commit refs.OID
	path   string
	line   int
	text   []byte // nil when it is not known
	made   time.Time
}

type group struct {
	commit refs.OID
	path   string
	at     []int // positions of its credits, by line
	lines  []int // the lines, ascending, each once
	texts  [][]byte
}

// question returns the question about the group; ok is false for lines without a commit.
func (g *group) question() (q unseen.Question, ok bool) {
	q = unseen.Question{Commit: g.commit, Path: g.path, Lines: g.lines, Texts: g.texts}
	if slices.ContainsFunc(g.texts, func(t []byte) bool { return t == nil }) {
		q.Texts = nil
	}
	return q, !g.commit.IsZero()
}

// groupCredits gathers credits by commit and path, in the order of first appearance.
func groupCredits(credits []credit) []*group {
	type key struct {
		commit refs.OID
		path   string
	}
	byKey := map[key]*group{}
	var groups []*group
	var g *group
	for i, c := range credits {
		if g == nil || g.commit != c.commit || g.path != c.path {
			k := key{c.commit, c.path}
			if g = byKey[k]; g == nil {
				g = &group{commit: c.commit, path: c.path}
				byKey[k], groups = g, append(groups, g)
			}
		}
		g.at = append(g.at, i)
	}
	for _, g := range groups {
		slices.SortStableFunc(g.at, func(a, b int) int { return credits[a].line - credits[b].line })
		for i, at := range g.at {
			if i == 0 || credits[at].line != credits[g.at[i-1]].line {
				g.lines, g.texts = append(g.lines, credits[at].line), append(g.texts, credits[at].text)
			}
		}
	}
	return groups
}

// resolve asks the resolver for every credit, once for each commit and path. content gives the blamed content of a
// path; it is called only if a line has no commit.
func resolve(
	ctx context.Context, r Resolver, credits []credit, content func(path string) ([]byte, error),
) ([]*Attribution, error) {
	owners := make([]*Attribution, len(credits))
	groups := groupCredits(credits)
	if r, ok := r.(Forewarned); ok {
		var questions []unseen.Question
		for _, g := range groups {
			if q, ok := g.question(); ok {
				questions = append(questions, q)
			}
		}
		if err := r.Expect(ctx, questions); err != nil {
			return nil, fmt.Errorf("find owners: %w", err)
		}
	}
	for _, g := range groups {
		answers, err := g.ask(ctx, r, content)
		if err != nil {
			return nil, err
		}
		if len(answers) != len(g.lines) {
			return nil, fmt.Errorf("find owners: %d answers for %d lines", len(answers), len(g.lines))
		}
		next := 0
		for _, at := range g.at {
			if credits[at].line != g.lines[next] {
				next++
			}
			owners[at] = answers[next]
			if !owners[at].Kind.Known() {
				if owners[at], err = nobody(r, owners[at], &credits[at]); err != nil {
					return nil, fmt.Errorf("find owners: %w", err)
				}
			}
		}
	}
	if r, ok := r.(Completer); ok {
		if err := r.Complete(ctx, owners); err != nil {
			return nil, fmt.Errorf("complete owners: %w", err)
		}
	}
	return owners, nil
}

// nobody returns the answer for a line without a known owner: older than the recording, or unknown.
func nobody(r Resolver, a *Attribution, c *credit) (*Attribution, error) {
	dated, tells := r.(Dated)
	if len(a.Limits) > 0 { // an event gives the reason
		return a, nil
	}
	if c.commit.IsZero() || !tells {
		return unknown, nil
	}
	kind, err := dated.Nobodys(c.commit, c.made)
	if kind == events.OwnerOlder {
		return older, err
	}
	return unknown, err
}

func (g *group) ask(
	ctx context.Context, r Resolver, content func(path string) ([]byte, error),
) ([]*Attribution, error) {
	if !g.commit.IsZero() {
		answers, err := r.Committed(ctx, g.commit, g.path, g.lines)
		if err != nil {
			return nil, fmt.Errorf("find owners in %.7s: %w", g.commit.String(), err)
		}
		return answers, nil
	}
	image, err := content(g.path)
	if err != nil {
		return nil, err
	}
	answers, err := r.Uncommitted(ctx, g.path, image, g.lines)
	if err != nil {
		return nil, fmt.Errorf("find owners of lines not committed: %w", err)
	}
	return answers, nil
}
