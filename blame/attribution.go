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

// Resolver finds the owners of lines. It answers only with evidence; a line without evidence is unknown. Lines may
// share an Attribution, so callers must not change it.
type Resolver interface {
	// Committed returns the owners of lines of a path in a commit. Line numbers count from 1 and ascend; the result is
	// parallel to them.
	Committed(ctx context.Context, commit refs.OID, path string, lines []int) ([]*Attribution, error)
	// Uncommitted returns the owners of uncommitted lines of a path: lines of the file in the work tree, or of the
	// content given by --contents. `content` is as git would store it, after the conversion of line endings and
	// filters.
	Uncommitted(ctx context.Context, path string, content []byte, lines []int) ([]*Attribution, error)
}

// Forewarned is a Resolver that gets all questions about committed lines before the first one is asked, so that it can
// search for all of them at once.
type Forewarned interface {
	Expect(ctx context.Context, questions []unseen.Question) error
}

// Preparer is a Resolver that gets the likely questions while git is running. During that time no other method is
// called.
type Preparer interface {
	Prepare(ctx context.Context, likely gitblame.Likely)
}

// Completer is a Resolver that may complete the answers when all of them are known.
type Completer interface {
	Complete(ctx context.Context, owners []*Attribution) error
}

// Dated is a Resolver that knows when recording began. For lines of a commit without a known owner it reports whether
// they are older. Committed is the time of the commit.
type Dated interface {
	Nobodys(commit refs.OID, committed time.Time) (events.OwnerKind, error)
}

// Attribution is the writer of a line, with the evidence. Its zero value means that the owner is unknown.
type Attribution struct {
	Kind        events.OwnerKind // OwnerOlder for a line without a known owner, in a commit older than the recording
	Trace       events.TraceID
	Agent       string
	Model       string
	Session     string
	Subagent    string
	Step        int
	ToolCall    string
	Tool        string
	PromptIndex int    // counts from 1 in the conversation; 0 if unknown
	PromptText  string // text as typed or as redacted; empty if it is not stored here
	Patch       events.PatchID
	Evidence    string                 // evidence tier
	Confidence  string                 // high, medium or low
	Candidates  []events.CandidateData // set if several calls could have written the line
	Previous    events.PatchID         // the agent's patch whose line a person changed
	Limits      []events.Limit
	Time        time.Time // time of the tool call
	Writer      string    // the other clone whose log names the owner; empty for this clone
	Signer      string    // the signer of that log, if the signature is trusted
	Disputed    []string  // writers of other clones who name another owner with equal evidence
}

// ByAI reports whether an agent wrote the line, alone or with a person.
func (a *Attribution) ByAI() bool { return a.Kind == events.OwnerAI || a.Kind == events.OwnerMixed }

// AnchorOwner returns the owner in the form that anchors use.
func (a *Attribution) AnchorOwner() events.AnchorOwner {
	return events.AnchorOwner{
		Kind: a.Kind.Stored(), Patch: a.Patch, Trace: a.Trace, Agent: a.Agent, Session: a.Session, Subagent: a.Subagent,
		Model: a.Model, Tool: a.Tool, ToolCall: a.ToolCall, Prompt: a.PromptIndex, Step: a.Step, Previous: a.Previous,
		Candidates: a.Candidates, Limits: a.Limits,
	}
}

// `Same` reports whether two lines have the same owner, so that their headers are equal.
func (a *Attribution) Same(b *Attribution) bool {
	return a == b || a.Kind == b.Kind && a.Trace == b.Trace && a.Agent == b.Agent && a.Model == b.Model &&
		a.Session == b.Session && a.Subagent == b.Subagent && a.Step == b.Step && a.ToolCall == b.ToolCall &&
		a.Tool == b.Tool && a.PromptIndex == b.PromptIndex && a.PromptText == b.PromptText && a.Patch == b.Patch &&
		a.Evidence == b.Evidence && a.Confidence == b.Confidence && a.Previous == b.Previous &&
		a.Writer == b.Writer && slices.Equal(a.Disputed, b.Disputed) &&
		slices.Equal(a.Candidates, b.Candidates) && slices.Equal(a.Limits, b.Limits)
}

// Annotated is a line with its owner, ready for output.
type Annotated struct {
	gitblame.Line
	Owner *Attribution
	Date  string // formatted as --date says; empty for an uncommitted line
	Score string // --score-debug: two numbers from git
}

// credit is a question to the resolver about one line of a path in a commit. A zero commit means the blamed content.
type credit struct {
	commit refs.OID
	path   string
	line   int
	text   []byte // nil if unknown
	made   time.Time
}

type group struct {
	commit refs.OID
	path   string
	at     []int // indexes of the credits of a line, by line
	lines  []int // line numbers, ascending, without duplicates
	texts  [][]byte
}

// question returns the question for the search about the group. `ok` is false for lines without a commit.
func (g *group) question() (q unseen.Question, ok bool) {
	q = unseen.Question{Commit: g.commit, Path: g.path, Lines: g.lines, Texts: g.texts}
	if slices.ContainsFunc(g.texts, func(t []byte) bool { return t == nil }) {
		q.Texts = nil
	}
	return q, !g.commit.IsZero()
}

// groupCredits groups credits by commit and path, in the order of first appearance.
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

// resolve finds the owner for every credit, with one question for each commit and path. The function `content` returns
// the blamed content of a path; it is called only if a line has no commit.
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

// `nobody` returns the attribution of a line without a known owner: older than the recording, or unknown.
func nobody(r Resolver, a *Attribution, c *credit) (*Attribution, error) {
	dated, tells := r.(Dated)
	if len(a.Limits) > 0 { // an event gives the reason why the line is unknown
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
