package span

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/graph"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/report/diff"
	"github.com/git-trace/git-trace/report/figures"
	"github.com/git-trace/git-trace/report/stats"
	"github.com/git-trace/git-trace/view"
)

// Schema names the form of the JSON output; docs/schema/report-1.schema.json describes it.
const Schema = "git-trace.report/1"

// Report is the answer of git trace report --json: the facts about a range of commits. Package stats counts the written
// lines, and package diff counts the lines in the result.
type Report struct {
	Schema        string        `json:"schema"`
	Range         Range         `json:"range"`
	Stats         figures.Stats `json:"stats"`  // figures as in git trace stats
	Result        diff.Counts   `json:"result"` // lines that differ between the ends
	Removed       int           `json:"removed"`
	Writers       []Writer      `json:"writers"`
	Conversations []Talk        `json:"conversations"`
	Files         []File        `json:"files"`
	Unknown       []Run         `json:"unknown"`
	Rewritten     []Rewritten   `json:"rewritten"`
	Shared        []Run         `json:"shared"`
	Weak          []Run         `json:"weak"`
	Reviewers     []Review      `json:"reviewers"` // the most active first
	Limits        Limits        `json:"limits"`
	People        []string      `json:"-"` // authors of people's lines, the one with the most lines first
	Before        []string      `json:"-"` // authors of lines older than the recording
	Held          int           `json:"-"` // commits with lines of agents
	Without       []refs.OID    `json:"-"` // commits without a review in messages or notes
}

// Range is the range of a report.
type Range struct {
	Given string   `json:"given"` // range as the user typed it; empty for the branch that is checked out
	From  refs.OID `json:"from"`
	To    refs.OID `json:"to"`
	// Fork is true if the range begins at the merge base.
	Fork bool   `json:"merge_base"`
	Text string `json:"-"` // range in git's form: from...to
}

// Dotted returns the range in git's form, with the ids of its ends.
func (s *Range) Dotted() string {
	dots := ".."
	if s.Fork {
		dots = "..."
	}
	return s.From.String() + dots + s.To.String()
}

// Counts holds the lines of one writer. The lines in the result are the written lines, minus the lines lost before the
// end, plus the lines that came otherwise.
type Counts struct {
	Written   int `json:"written"`
	Result    int `json:"result"`
	Gone      int `json:"gone"`
	Otherwise int `json:"otherwise"` // lines that moved, or that came from a merge

	kept int
}

// settle computes the lost lines, and the lines that came otherwise.
func (c *Counts) settle() {
	c.Gone = max(c.Written-c.kept, 0)
	c.Otherwise = c.Result - (c.Written - c.Gone)
}

// Writer is an agent, people, or unknown.
type Writer struct {
	Kind   events.OwnerKind `json:"kind"`
	Older  bool             `json:"older,omitempty"` // unknown lines in commits older than the recording
	Agent  string           `json:"agent"`           // empty if several agents could have written the lines
	Models []string         `json:"models"`
	Counts

	owner events.OwnerKind
}

// Talk is a conversation that wrote lines of the range.
type Talk struct {
	Trace   events.TraceID `json:"trace"`
	Agent   string         `json:"agent"`
	Models  []string       `json:"models"`
	First   time.Time      `json:"first,omitzero"`
	Last    time.Time      `json:"last,omitzero"`
	Prompts int            `json:"prompts"` // number of prompts in the whole conversation
	Calls   int            `json:"calls"`
	Counts
	Commits   int           `json:"commits"` // commits of the range with its lines
	Files     []PathLines   `json:"files"`   // files with its lines
	Usage     *view.Usage   `json:"usage"`   // null if there is no record
	Blocked   bool          `json:"blocked"` // much of it could not be read, so its texts are not shown
	Elsewhere bool          `json:"elsewhere"`
	Texts     []view.Prompt `json:"texts"`

	Of *view.Conversation `json:"-"` // nil if unknown
}

// File is a file that differs.
type File struct {
	Path       string           `json:"path"`
	PathBase64 string           `json:"path_base64,omitempty"`
	Status     string           `json:"status"`
	Added      diff.Counts      `json:"added"`
	Removed    int              `json:"removed"`
	Traces     []events.TraceID `json:"conversations"` // conversations that wrote its lines, the one with the most first

	Raw string `json:"-"` // the unescaped path
}

// Limits describes the limits of the figures, and the evidence behind them.
type Limits struct {
	Nothing    bool `json:"nothing_recorded"`
	Unheard    int  `json:"unheard_commits"`      // commits without any evidence
	Several    int  `json:"one_of_several"`       // lines of the result that any one of several conversations wrote
	Low        int  `json:"low_confidence"`       // lines of agents in the result with weak evidence
	Reviewed   int  `json:"reviewed_commits"`     // commits with a reviewer in their messages
	Rewritten  int  `json:"changed_by_people"`    // people's lines in the result that replaced an agent's
	Unrecorded int  `json:"without_record"`       // conversations without tokens and cost, because they have no record
	Blocked    int  `json:"blocked"`              // conversations that could not be read in large part
	Elsewhere  int  `json:"told_by_other_clones"` // conversations that are only in another clone's log
	Posed      int  `json:"ids_used_elsewhere"`   // writers whose id is also in logs of no configured remote
}

// Prompts decides which prompts a report contains.
type Prompts string

// The values.
const (
	NoPrompts   Prompts = "none"
	FirstPrompt Prompts = "first"
	AllPrompts  Prompts = "all"
)

// Source holds the inputs of a report: the reader, the owners of lines, and the diff of a range.
type Source struct {
	Known *view.Reader
	Lines stats.Source
	Diff  func(dir, dotted string) (*diff.Diff, error)
}

// `Of` makes the report of a range from the results of stats and diff.
func Of(ctx context.Context, repo *refs.Repo, from Source, s Range, prompts Prompts) (*Report, error) {
	r := &Report{
		Schema: Schema, Range: s, Writers: []Writer{}, Conversations: []Talk{}, Files: []File{}, Unknown: []Run{},
		Rewritten: []Rewritten{}, Shared: []Run{}, Weak: []Run{}, Reviewers: []Review{},
	}
	known := from.Known
	r.Limits.Nothing, r.Limits.Posed = known.Untraced(), len(known.Log().Posed())
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	commits, err := stats.Count(ctx, repo, from.Lines, graph.Query{Dir: dir, Revs: []string{s.To.String(),
		"^" + s.From.String()}, Dashed: true})
	if err != nil {
		return nil, err
	}
	sums := figures.New([]string{s.From.String() + ".." + s.To.String()},
		stats.By{Dimensions: []stats.Dimension{stats.Agent}})
	for _, c := range commits {
		sums.Add(c)
	}
	if err := sums.AddConversations(known, false); err != nil {
		return nil, err
	}
	r.Stats = sums.Stats
	d, err := from.Diff(dir, s.Dotted())
	var refused *diff.Failure
	if errors.As(err, &refused) { // contents are missing
		repo.LeftOut.Note(s.From)
		d, err = &diff.Diff{}, nil
	}
	if err != nil {
		return nil, err
	}
	talks := r.addCommits(commits)
	r.addDiff(d, talks)
	return r, errors.Join(r.addTalks(ctx, known, talks, prompts), r.addPeople(ctx, known, commits))
}

// addCommits adds the lines in the commits of the range, and returns the conversations that wrote some of them.
func (r *Report) addCommits(commits []*graph.Commit) map[events.TraceID]*Talk {
	talks := map[events.TraceID]*Talk{}
	files := map[events.TraceID]map[string]int{}
	for _, c := range commits {
		if !c.Anchored && len(c.Parents) < 2 {
			r.Limits.Unheard++
		}
		if slices.ContainsFunc(c.Contributors, func(who graph.Contributor) bool { return who.Kind == events.OwnerAI }) {
			r.Held++
		}
		held := map[events.TraceID]bool{}
		for _, who := range c.Contributors {
			if who.Kind != events.OwnerAI || who.Trace == "" {
				continue
			}
			t := talks[who.Trace]
			if t == nil {
				t = &Talk{Trace: who.Trace, Agent: who.Agent, Texts: []view.Prompt{}, Files: []PathLines{}}
				talks[who.Trace], files[who.Trace] = t, map[string]int{}
			}
			if !held[who.Trace] {
				held[who.Trace] = true
				t.Commits++
			}
			t.Written += who.Lines
			for _, f := range who.Files {
				files[who.Trace][f.Path] += f.Lines
			}
		}
	}
	for trace, t := range talks {
		for path, lines := range files[trace] {
			t.Files = append(t.Files, newLines(path, lines))
		}
		slices.SortFunc(t.Files, func(a, b PathLines) int {
			return cmp.Or(cmp.Compare(b.Lines, a.Lines), cmp.Compare(a.Raw, b.Raw))
		})
	}
	for _, author := range r.Stats.Authors {
		if author.Human > 0 && !slices.Contains(r.People, author.Author) {
			r.People = append(r.People, author.Author)
		}
		if author.Older > 0 && !slices.Contains(r.Before, author.Author) {
			r.Before = append(r.Before, author.Author)
		}
	}
	return talks
}

// addDiff adds the lines of the result.
func (r *Report) addDiff(d *diff.Diff, talks map[events.TraceID]*Talk) {
	sums := d.Sums()
	r.Result, r.Removed = sums.Added, sums.Went
	by := map[[2]string]*Writer{}
	writer := func(kind events.OwnerKind, agent string) *Writer {
		key := [2]string{string(kind), agent}
		if by[key] == nil {
			by[key] = &Writer{Kind: kind.Stored(), Older: kind == events.OwnerOlder, Agent: agent, Models: []string{},
				owner: kind}
		}
		return by[key]
	}
	for _, one := range r.Stats.Agents {
		writer(events.OwnerAI, one.Agent).Written = one.Lines
	}
	if n := r.Stats.Lines.Human; n > 0 {
		writer(events.OwnerHuman, "").Written = n
	}
	if n := r.Stats.Lines.Older; n > 0 {
		writer(events.OwnerOlder, "").Written = n
	}
	if n := r.Stats.Lines.Unknown - r.Stats.Lines.Older; n > 0 {
		writer(events.OwnerUnknown, "").Written = n
	}
	for _, s := range sums.Writers {
		if s.Added == 0 {
			continue
		}
		writer(s.Kind, s.Agent).Result += s.Added
		if t := talks[s.Trace]; t != nil {
			t.Result += s.Added
		}
	}
	for _, c := range d.Churn {
		if c.Kept == 0 {
			continue
		}
		writer(c.Kind, c.Agent).kept += c.Kept
		if t := talks[c.Trace]; t != nil {
			t.kept += c.Kept
		}
	}
	for _, w := range by {
		w.settle()
		r.Writers = append(r.Writers, *w)
	}
	for _, t := range talks {
		t.settle()
	}
	rank := map[events.OwnerKind]int{events.OwnerHuman: 1, events.OwnerOlder: 2, events.OwnerUnknown: 3}
	slices.SortFunc(r.Writers, func(a, b Writer) int {
		return cmp.Or(cmp.Compare(rank[a.owner], rank[b.owner]), cmp.Compare(b.Written, a.Written),
			cmp.Compare(a.Agent, b.Agent))
	})
	for _, f := range d.Files {
		if f.Record != nil {
			r.addFile(f)
		}
	}
}

// addFile adds a file of the result, and the doubts about its lines.
func (r *Report) addFile(f *diff.File) {
	lines := map[events.TraceID]int{}
	out := File{Path: validText(f.Path), PathBase64: events.EncodeBytes(f.Path), Status: string(f.Status),
		Traces: []events.TraceID{}, Raw: f.Path}
	f.EachLine(func(l *diff.Line) {
		if l.Sign == diff.Removed {
			out.Removed++
			return
		}
		if l.Sign != diff.Added {
			return
		}
		o := l.Owner.Owner
		out.Added.Add(o.Kind)
		switch {
		case o.ByAI():
			if o.Trace == "" {
				r.Limits.Several++
				r.Shared = extend(r.Shared, f.Path, l.New)
			} else {
				lines[o.Trace]++
			}
			if o.Confidence == "low" {
				r.Limits.Low++
				r.Weak = extend(r.Weak, f.Path, l.New)
			}
		case o.Kind == events.OwnerOlder:
		case o.Kind == events.OwnerHuman:
			if o.Previous != "" {
				r.Limits.Rewritten++
				r.rewritten(f.Path, l.New, o.Previous)
			}
		default:
			r.Unknown = extend(r.Unknown, f.Path, l.New)
		}
	})
	for trace := range lines {
		out.Traces = append(out.Traces, trace)
	}
	slices.SortFunc(out.Traces, func(a, b events.TraceID) int {
		return cmp.Or(cmp.Compare(lines[b], lines[a]), cmp.Compare(a, b))
	})
	r.Files = append(r.Files, out)
}

// addTalks adds the facts about the conversations.
func (r *Report) addTalks(ctx context.Context, known *view.Reader, talks map[events.TraceID]*Talk,
	prompts Prompts) error {
	own, err := known.Log().OwnWriter()
	if err != nil {
		return err
	}
	for _, t := range talks {
		c, found, err := known.Conversation(t.Trace)
		if err != nil {
			return err
		}
		t.Models = []string{}
		if found {
			t.Agent, t.Models, t.First, t.Last = c.Agent, c.Models, c.First, c.Last
			t.Prompts, t.Calls, t.Usage, t.Blocked = c.Prompts, c.Calls, c.Usage, c.Blocked
			t.Of = &c
			t.Elsewhere = c.Writer != "" && c.Writer != own
			if t.Texts, err = textsOf(known, &c, prompts); err != nil {
				return err
			}
		}
		r.Conversations = append(r.Conversations, *t)
	}
	slices.SortFunc(r.Conversations, func(a, b Talk) int {
		return cmp.Or(cmp.Compare(b.Written, a.Written), cmp.Compare(a.Trace, b.Trace))
	})
	for i := range r.Conversations {
		t := &r.Conversations[i]
		for _, w := range []struct {
			count *int
			is    bool
		}{{&r.Limits.Unrecorded, t.Usage == nil}, {&r.Limits.Blocked, t.Blocked}, {&r.Limits.Elsewhere, t.Elsewhere}} {
			if w.is {
				*w.count++
			}
		}
		at := slices.IndexFunc(r.Writers, func(w Writer) bool { return w.Kind == events.OwnerAI && w.Agent == t.Agent })
		for _, model := range t.Models {
			if at >= 0 && !slices.Contains(r.Writers[at].Models, model) {
				r.Writers[at].Models = append(r.Writers[at].Models, model)
			}
		}
	}
	return ctx.Err()
}

// textsOf returns the prompts of a conversation that may be shown.
func textsOf(known *view.Reader, c *view.Conversation, prompts Prompts) ([]view.Prompt, error) {
	out := []view.Prompt{}
	if prompts == NoPrompts || c.Blocked {
		return out, nil
	}
	if prompts == AllPrompts {
		for i := 1; i <= c.Prompts; i++ {
			text, found, err := known.Prompts().Get(c.Trace, i)
			if err != nil {
				return nil, err
			}
			if found {
				out = append(out, view.Prompt{Index: i, Text: validText(text)})
			}
		}
	}
	if len(out) > 0 {
		return out, nil
	}
	one := []view.Conversation{*c}
	err := known.Prompted(one)
	if one[0].Prompt != nil {
		out = append(out, *one[0].Prompt)
	}
	return out, err
}
