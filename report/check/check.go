package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/blame"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/report/diff"
	"github.com/git-trace/git-trace/view"
)

// The rules that findings name.
const (
	ByAgent   = "agent"    // this agent may not write here
	ByModel   = "model"    // this model may not write here
	NoReview  = "review"   // no person reviewed an agent's lines
	Unknown   = "unknown"  // lines without a known owner, beyond the budget
	Unsigned  = "unsigned" // the log that names the owner is not signed
	Disputed  = "disputed" // logs disagree about the owner
	NoLines   = "no-lines" // a changed file without lines to check
	mostFound = 5000
)

// Finding is a place where a change breaks the policy.
type Finding struct {
	Rule       string         `json:"rule"`
	Path       string         `json:"path"`
	PathBase64 string         `json:"path_base64,omitempty"`
	Line       int            `json:"line"`  // the first line, in the new file; 0 for the whole file
	Lines      int            `json:"lines"` // number of consecutive lines
	Agent      string         `json:"agent,omitempty"`
	Model      string         `json:"model,omitempty"`
	Trace      events.TraceID `json:"trace,omitempty"`
	Message    string         `json:"message"`
	Satisfy    string         `json:"satisfy"`
}

// Gap is a part of the change without evidence that is not a finding.
type Gap struct {
	Path       string `json:"path"`
	PathBase64 string `json:"path_base64,omitempty"`
	Why        string `json:"why"`
}

// Result is the result of a check.
type Result struct {
	Rules    int         `json:"rules"`
	Files    int         `json:"files"`
	Counts   diff.Counts `json:"lines"`
	Findings []Finding   `json:"findings"`
	LeftOff  int         `json:"left_off"` // number of findings that are not listed
	Gaps     []Gap       `json:"gaps"`
}

// Facts holds facts about the commits, besides the owners of lines.
type Facts struct {
	// Reviewers lists the reviewers of each commit of the change. Touched lists the commits that changed a path.
	Reviewers map[refs.OID][]string
	Touched   map[string][]refs.OID
	// Noted reports whether a person noted that a conversation reached its goal.
	Noted func(events.TraceID) bool
}

// checking is the state of a running check.
type checking struct {
	*Policy
	*Facts
	out    *Result
	shares map[*Rule]*spent
	order  []*Rule
}

// spent counts lines against a budget.
type spent struct {
	budget   *Budget
	all, bad int
	runs     []Finding
}

// Hold checks a change against the policy.
func (p *Policy) Hold(d *diff.Diff, facts *Facts) *Result {
	c := &checking{p, facts, &Result{Rules: len(p.Rules), Findings: []Finding{}, Gaps: []Gap{}}, map[*Rule]*spent{}, nil}
	for _, f := range d.Files {
		c.out.Files++
		c.file(f)
	}
	for _, r := range c.order {
		s := c.shares[r]
		if s.budget.allows(s.bad, s.all) {
			continue
		}
		for _, run := range s.runs {
			run.Message = fmt.Sprintf("nobody knows who wrote %s; \"%s\" allows %s of %s unknown, and has %d",
				numbers.Count(run.Lines, "line"), r.Pattern, s.budget.text, numbers.Count(s.all, "line"), s.bad)
			c.add(run)
		}
	}
	slices.SortStableFunc(c.out.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Rule, b.Rule))
	})
	return c.out
}

// add adds a finding. It joins a finding about the next line with the previous finding.
func (c *checking) add(f Finding) {
	for i := len(c.out.Findings) - 1; i >= 0 && i >= len(c.out.Findings)-8; i-- {
		last := &c.out.Findings[i]
		if last.Path == f.Path && last.Rule == f.Rule && f.Line > 0 && last.Line+last.Lines == f.Line &&
			last.Agent == f.Agent && last.Model == f.Model && last.Trace == f.Trace && last.Message == f.Message {
			last.Lines += f.Lines
			return
		}
	}
	if len(c.out.Findings) == mostFound {
		c.out.LeftOff++
		return
	}
	c.out.Findings = append(c.out.Findings, f)
}

// file checks a changed file.
func (c *checking) file(f *diff.File) {
	rule, from := c.effective(f.Path)
	at := Finding{Path: strings.ToValidUTF8(f.Path, "\ufffd"), PathBase64: events.EncodeBytes(f.Path)}
	added, removed := 0, 0
	reviewed := rule.reviewed() && c.reviewedFile(f.Path)
	f.EachLine(func(l *diff.Line) {
		switch l.Sign {
		case diff.Removed:
			removed++
		case diff.Added:
			added++
			c.out.Counts.Add(l.Owner.Owner.Kind)
			line := at
			line.Line, line.Lines = l.New, 1
			c.line(l.Owner.Owner, line, &rule, from, reviewed)
		}
	})
	if !rule.limits() {
		return
	}
	if why := c.unlined(f, added+removed); why != "" && !c.reviewedFile(f.Path) {
		at.Rule, at.Message = NoLines, why+": nobody knows who wrote it"
		at.Satisfy = "a Reviewed-by trailer of a person in each commit that changed it"
		c.add(at)
	}
	if removed > 0 {
		c.out.Gaps = append(c.out.Gaps, Gap{at.Path, at.PathBase64,
			"nobody knows who removed " + numbers.Count(removed, "line")})
	}
}

// `unlined` returns the reason why the added lines do not show the whole change of a file; "" if they show it.
func (c *checking) unlined(f *diff.File, lines int) string {
	switch {
	case f.Record == nil || f.NewMode == refs.ModeGitlink || f.OldMode == refs.ModeGitlink:
		return "a submodule changed"
	case f.OldPath != "" && f.OldPath != f.Path && f.Status != 'A':
		if old, _ := c.effective(f.OldPath); !old.limits() {
			return "the file came from a path without this rule"
		}
	case lines == 0 && f.Old != f.New && f.NewMode != 0:
		return "the file changed and has no lines"
	}
	return ""
}

// line checks the owner of an added line.
func (c *checking) line(o *blame.Attribution, at Finding, rule, from *Rule, reviewed bool) {
	unknown := o.Kind == events.OwnerUnknown || o.Kind == events.OwnerOlder
	c.count(rule, from, at, unknown, reviewed)
	if c.Signed && !unknown && o.Writer != "" && o.Signer == "" {
		f := at
		f.Rule, f.Agent = Unsigned, o.Agent
		f.Message = fmt.Sprintf("the log of clone %.16s tells the owner; no trusted key has signed it", o.Writer)
		f.Satisfy = "git trace push of that clone with trace.signPush, by a key that git trusts here"
		c.add(f)
	}
	if rule.limits() && len(o.Disputed) > 0 {
		f := at
		f.Rule, f.Message = Disputed, "logs of several clones name different owners"
		f.Satisfy = "a signed git trace push of the clone that knows"
		c.add(f)
	}
	if !o.ByAI() {
		return
	}
	c.writer(o, at, rule)
	if rule.reviewed() && !reviewed && (o.Trace == "" || c.Noted == nil || !c.Noted(o.Trace)) {
		f := at
		f.Rule, f.Agent, f.Trace = NoReview, o.Agent, o.Trace
		f.Message = fmt.Sprintf("no person reviewed what %s wrote; \"%s\" wants it", cmp.Or(o.Agent, "an agent"),
			rule.Pattern)
		f.Satisfy = "a Reviewed-by trailer of a person in each commit that changed the file, or git trace note " +
			"--outcome success of the conversation"
		c.add(f)
	}
}

// writer checks the agent and the model of a line. If there are several candidates, it checks each.
func (c *checking) writer(o *blame.Attribution, at Finding, rule *Rule) {
	agents := []string{o.Agent}
	if o.Agent == "" {
		agents = nil
		for _, one := range o.Candidates {
			if !slices.Contains(agents, one.Agent) {
				agents = append(agents, one.Agent)
			}
		}
		if len(agents) == 0 {
			agents = []string{""}
		}
	}
	at.Trace = o.Trace
	for _, agent := range agents {
		if rule.Agents != nil && (agent == "" || !anyName(rule.Agents, agent)) {
			f := at
			f.Rule, f.Agent = ByAgent, agent
			f.Message = fmt.Sprintf("%s wrote this; \"%s\" allows %s", cmp.Or(agent, "an agent that is not known"), rule.Pattern,
				allowed(rule.Agents, "agent"))
			f.Satisfy = "let a person or one of these write it, or change the policy on the target branch first"
			c.add(f)
		}
	}
	model := view.ModelName(o.Model)
	if rule.Models != nil && (model == "" || !anyName(rule.Models, model) && !anyName(rule.Models, o.Model)) {
		f := at
		f.Rule, f.Agent, f.Model = ByModel, o.Agent, o.Model
		f.Message = fmt.Sprintf("%s wrote this; \"%s\" allows %s", cmp.Or(o.Model, "a model that is not known"), rule.Pattern,
			allowed(rule.Models, "model"))
		f.Satisfy = "let a person or one of these write it, or change the policy on the target branch first"
		c.add(f)
	}
}

func allowed(list []string, what string) string {
	if len(list) == 0 {
		return "no " + what
	}
	return strings.Join(list, ", ")
}

// `count` counts a line against the budget of its rule. A rule with limits and no budget allows no unknown lines. The
// exception is a rule that wants only a review: it allows them in a reviewed file.
func (c *checking) count(rule, from *Rule, at Finding, unknown, reviewed bool) {
	b := rule.Unknown
	if b == nil && rule.limits() && (rule.Agents != nil || rule.Models != nil || !reviewed) {
		b = &Budget{0, false, "0"}
	}
	if b == nil {
		return
	}
	s := c.shares[from]
	if s == nil {
		s = &spent{budget: b}
		c.shares[from] = s
		c.order = append(c.order, from)
	}
	s.all++
	if !unknown {
		return
	}
	s.bad++
	at.Rule = Unknown
	at.Satisfy = "git trace push of the clone that made the commit, or git trace backfill there; a higher \"unknown\" " +
		"allows it"
	if n := len(s.runs) - 1; n >= 0 && s.runs[n].Path == at.Path && s.runs[n].Line+s.runs[n].Lines == at.Line {
		s.runs[n].Lines++
		return
	}
	s.runs = append(s.runs, at)
}

// reviewedFile reports whether a person reviewed each commit that changed a path.
func (c *checking) reviewedFile(path string) bool {
	commits := c.Touched[path]
	return len(commits) > 0 && !slices.ContainsFunc(commits, func(id refs.OID) bool {
		return !slices.ContainsFunc(c.Facts.Reviewers[id], c.person)
	})
}

// person reports whether a reviewer counts: they must be a person, and match the addresses of the policy, if it has
// any.
func (c *checking) person(who string) bool {
	_, mail, found := strings.Cut(who, "<")
	mail, _, closed := strings.Cut(mail, ">")
	mail = strings.ToLower(mail)
	if !found || !closed || mail == "" || strings.HasSuffix(mail, "@agents.invalid") {
		return false
	}
	return len(c.Policy.Reviewers) == 0 || anyName(c.Policy.Reviewers, mail)
}
