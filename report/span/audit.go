package span

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/checkpoint"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/cells/page"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/report/diff"
	"github.com/git-trace/git-trace/sharing"
	"github.com/git-trace/git-trace/view"
)

// auditSchema names the form of the JSON output; docs/schema/audit-1.schema.json describes it.
const auditSchema = "git-trace.audit/1"

// Audit answers the questions of an auditor about a range, in JSON.
type Audit struct {
	Schema  string       `json:"schema"`
	Range   Range        `json:"range"`
	Used    agentUsed    `json:"agent_used"`
	Commits int          `json:"commits"`
	Held    int          `json:"commits_of_agents"` // number of commits with lines of agents
	Lines   diff.Counts  `json:"lines"`             // lines that differ between the ends
	Agents  []auditAgent `json:"agents"`
	Review  auditReview  `json:"review"`
	Asked   []auditTalk  `json:"asked"`
	Proof   auditProof   `json:"proof"`
}

// agentUsed is the answer to: was an agent used?
type agentUsed string

// The answers; "no" needs another owner for every line.
const (
	agentYes     agentUsed = "yes"
	agentNo      agentUsed = "no"
	agentUnknown agentUsed = "unknown"
)

// auditAgent is an agent that wrote lines of the commits.
type auditAgent struct {
	Agent         string   `json:"agent"` // empty if several agents could have written the lines
	Models        []string `json:"models"`
	Conversations int      `json:"conversations"`
	Written       int      `json:"written"`
	Result        int      `json:"result"`
}

// auditReview names the reviewers of the commits, by their messages and by notes.
type auditReview struct {
	Reviewed int        `json:"reviewed"`
	Without  []refs.OID `json:"without"`
	By       []Review   `json:"by"` // the most active first
}

// auditTalk is a conversation that wrote lines of the commits.
type auditTalk struct {
	Trace    events.TraceID `json:"trace"`
	Agent    string         `json:"agent"`
	Models   []string       `json:"models"`
	Written  int            `json:"written"`
	Result   int            `json:"result"`
	Prompts  int            `json:"prompts"`
	Texts    []view.Prompt  `json:"texts"`
	Recorded bool           `json:"recorded"` // its texts are stored in this clone
}

// auditProof holds the evidence for the answers.
type auditProof struct {
	Writer     string       `json:"writer"` // of this clone
	State      events.State `json:"state"`  // the state of this clone's log
	Events     int64        `json:"events"`
	Head       string       `json:"head"`      // the id of the last event
	Last       int64        `json:"last"`      // its number
	Confirmed  int64        `json:"confirmed"` // the last event that a signature or a copy confirms
	By         string       `json:"confirmed_by"`
	Fetched    []auditLog   `json:"fetched"` // logs of other clones
	Unheard    int          `json:"unheard_commits"`
	Unknown    int          `json:"unknown_lines"`
	Low        int          `json:"low_confidence"`
	Several    int          `json:"one_of_several"`
	Elsewhere  int          `json:"told_by_other_clones"`
	Unrecorded int          `json:"without_record"`
	faults     []events.Fault
}

// auditLog is the log of another clone.
type auditLog struct {
	Writer string             `json:"writer"`
	Remote string             `json:"remote"`
	Signed checkpoint.Verdict `json:"signed"`
	Signer string             `json:"signer"`
	Why    string             `json:"left_out"` // the reason why it is not read; empty if it is read
}

func NewAudit(r *Report) *Audit {
	out := &Audit{
		Schema: auditSchema, Range: r.Range, Used: agentNo, Commits: r.Stats.Lines.Commits, Held: r.Held, Lines: r.Result,
		Agents: []auditAgent{}, Asked: []auditTalk{},
		Review: auditReview{Reviewed: r.Limits.Reviewed, Without: append([]refs.OID{}, r.Without...), By: r.Reviewers},
		Proof: auditProof{Fetched: []auditLog{}, Unheard: r.Limits.Unheard, Unknown: r.Result.Unknown - r.Result.Older,
			Low: r.Limits.Low, Several: r.Limits.Several, Elsewhere: r.Limits.Elsewhere, Unrecorded: r.Limits.Unrecorded},
	}
	talks := map[string]int{}
	for i := range r.Conversations {
		t := &r.Conversations[i]
		talks[t.Agent]++
		out.Asked = append(out.Asked, auditTalk{
			Trace: t.Trace, Agent: t.Agent, Models: append([]string{}, t.Models...), Written: t.Written, Result: t.Result,
			Prompts: t.Prompts, Texts: append([]view.Prompt{}, t.Texts...), Recorded: t.Usage != nil,
		})
	}
	for i := range r.Writers {
		if w := &r.Writers[i]; w.Kind == events.OwnerAI {
			out.Agents = append(out.Agents, auditAgent{w.Agent, w.Models, talks[w.Agent], w.Written, w.Result})
		}
	}
	switch {
	case len(out.Agents) > 0:
		out.Used = agentYes
	case r.Limits.Nothing || out.Proof.Unheard > 0 || r.Result.Unknown > 0:
		out.Used = agentUnknown
	}
	return out
}

// Add checks the log of this clone, and the fetched ones.
func (p *auditProof) Add(ctx context.Context, repo *refs.Repo) error {
	log := events.OpenLog(repo)
	found, err := log.Verify(ctx, events.Verification{Anchors: checkpoint.Sources()})
	if err != nil {
		return exit.Fail(exit.Unchecked, err, "git fsck shows whether the repository is damaged")
	}
	p.State, p.Events, p.Head, p.faults = found.State, int64(found.Events), string(found.End.Event), found.Faults
	p.Writer, p.Last = found.Writer, found.End.Seq
	p.Confirmed, p.By = found.AnchoredTo, found.AnchoredBy
	fetched, err := sharing.Verify(ctx, log)
	if err != nil {
		return exit.Fail(exit.Unchecked, err, "git fsck shows whether the repository is damaged")
	}
	for _, s := range fetched {
		if !s.Own {
			p.Fetched = append(p.Fetched, auditLog{s.Writer, s.Remote, s.Signed, s.Signer, s.Why})
		}
	}
	return nil
}

// mostUnreviewed is the number of commits without a review that the page lists.
const mostUnreviewed = 20

// Draw answers the questions as Markdown.
func (u *Audit) Draw(short func(events.TraceID) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "### Audit of %s\n\n**Was an agent used?** %s\n\n", page.Code(u.Range.Text), u.used())
	if len(u.Agents) > 0 {
		b.WriteString("**Which one, with which model?**\n\n" +
			"| agent | model | conversations | lines written | in the result |\n|---|---|---:|---:|---:|\n")
		for i := range u.Agents {
			w := &u.Agents[i]
			b.WriteString(tableRow(page.Cell(cmp.Or(w.Agent, "one of several")), cmp.Or(numbers.SomeOf(coded(names(w.Models))),
				"not known"), numbers.Thousands(w.Conversations), numbers.Thousands(w.Written), numbers.Thousands(w.Result)))
		}
		b.WriteString("\n")
	}
	b.WriteString("**Who reviewed it?** " + u.reviewed() + "\n\n")
	if len(u.Asked) > 0 {
		b.WriteString("**What was it asked?**\n\n")
		for i := range u.Asked {
			t := &u.Asked[i]
			fmt.Fprintf(&b, "- %s %s, %s, %s%s\n", page.Code(short(t.Trace)), page.Code(t.Agent), numbers.Count(t.Written,
				"line"),
				numbers.Count(t.Prompts, "prompt"), map[bool]string{false: ", whose texts are not here"}[t.Recorded])
			for _, text := range t.Texts {
				fmt.Fprintf(&b, "  %d. %s\n", text.Index, page.Code(cells.Cut(cells.Line(text.Text), mostAuditPrompt)))
			}
		}
		b.WriteString("\n")
	}
	b.WriteString("**Can it be proved?**\n\n")
	for _, line := range u.Proof.lines() {
		b.WriteString("- " + line + "\n")
	}
	return b.String()
}

// mostAuditPrompt is the width in cells to which a prompt on the page is cut.
const mostAuditPrompt = 300

func (u *Audit) used() string {
	lines := []string{fmt.Sprintf("agents wrote %s of %s, in %s of %s", numbers.Thousands(u.Lines.AI),
		numbers.Count(u.Lines.Lines, "line"), numbers.Thousands(u.Held), numbers.Count(u.Commits, "commit"))}
	for _, other := range []struct {
		n    int
		says string
	}{
		{u.Lines.Human, "people wrote %s"}, {u.Lines.Older, "%s older than the recording"},
		{u.Lines.Unknown - u.Lines.Older, "%s without a known owner"},
	} {
		if other.n > 0 {
			lines = append(lines, fmt.Sprintf(other.says, numbers.Thousands(other.n)))
		}
	}
	word := map[agentUsed]string{agentYes: "Yes", agentNo: "No", agentUnknown: "Not known"}[u.Used]
	return word + ": " + strings.Join(lines, ", ") + "."
}

func (u *Audit) reviewed() string {
	var who, left []string
	for _, r := range u.Review.By {
		who = append(who, page.Code(r.Who)+" ("+r.How+", "+numbers.Count(r.Commits, "commit")+")")
	}
	text := "Nobody, according to messages and notes."
	if len(who) > 0 {
		text = fmt.Sprintf("%s, according to messages and notes: %s of %s.", strings.Join(who, ", "),
			numbers.Thousands(u.Review.Reviewed), numbers.Count(u.Commits, "commit"))
	}
	for i, id := range u.Review.Without {
		if i == mostUnreviewed {
			left = append(left, numbers.Thousands(len(u.Review.Without)-i)+" more")
			break
		}
		left = append(left, page.Code(id.String()[:12]))
	}
	if len(who) > 0 && len(left) > 0 {
		text += " Not reviewed: " + strings.Join(left, ", ") + "."
	}
	return text
}

// lines describes the evidence for the answers, and its gaps.
func (p *auditProof) lines() (out []string) {
	switch {
	case p.Events == 0:
		out = append(out, "No: nothing has been recorded in this clone.")
	case p.State == events.Broken:
		out = append(out, fmt.Sprintf("No: the log of this clone is broken at event %d. `git trace verify` lists the faults.",
			p.faults[0].Seq))
	case p.Confirmed > 0:
		out = append(out, fmt.Sprintf("The log of this clone, %s, is whole. Up to event %d it is confirmed: %s.",
			numbers.Count(int(p.Events), "event"), p.Confirmed, page.Code(p.By)))
	default:
		out = append(out, fmt.Sprintf("The log of this clone, %s, is whole, but nothing outside of it confirms it. "+
			"`git trace checkpoint` signs it.", numbers.Count(int(p.Events), "event")))
	}
	for i := range p.Fetched {
		f := &p.Fetched[i]
		says := "not signed"
		switch {
		case f.Why != "":
			says = "left out: " + page.Code(f.Why)
		case f.Signed == checkpoint.Good:
			says = "signed by " + page.Code(f.Signer)
		case f.Signed != checkpoint.Unsigned:
			says = "its signature does not count: " + string(f.Signed)
		}
		out = append(out, fmt.Sprintf("The log of clone %s: %s.", page.Code(f.Writer), says))
	}
	for _, left := range []struct {
		n          int
		what, says string
	}{
		{p.Unheard, "commit", "was not seen by a hook, and its owners are unknown"},
		{p.Unknown, "line", "has no known owner"},
		{p.Low, "line", "by an agent has weak evidence"},
		{p.Several, "line", "could be by one of several agents"},
		{p.Elsewhere, "conversation", "is only in the log of another clone"},
		{p.Unrecorded, "conversation", "has no record here, so its prompts are missing"},
	} {
		if left.n > 0 {
			out = append(out, fmt.Sprintf("Not covered: %s (each %s).", numbers.Count(left.n, left.what), left.says))
		}
	}
	return out
}
