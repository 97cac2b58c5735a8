package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/report/check"
	"github.com/git-trace/git-trace/report/diff"
	"github.com/git-trace/git-trace/report/span"
	"github.com/git-trace/git-trace/view/lookup"
)

// checkSchema names the form of the JSON output; docs/schema/check-1.schema.json describes it.
const checkSchema = "git-trace.check/1"

func checkCommand() *command {
	return &command{
		Name: "check",
		Does: "check a change against the policy of its target branch",
		Form: "git trace check [<options>] [<branch> | <base>...<head> | <tag>..<tag>]",
		About: "Reads " + check.File + " of the base, never of the change: which agents and models may write where,\n" +
			"which paths need a person's review, how many lines may have no known owner, and whether the logs\n" +
			"of others must be signed. A branch is compared with its upstream, as in git trace report. Each\n" +
			"finding names its place, its rule and a way to satisfy it; with findings the exit status is 1.\n" +
			"A line without a known owner fails each rule that asks for the owner. Removed lines have no\n" +
			"owner; they are listed and are not findings. If the base has no policy, nothing is checked,\n" +
			"and a warning says so.\n" +
			"A trailer Reviewed-by is only a statement by the author of a commit; sign commits if that matters.\n" +
			"The keys are policy.signed, policy.reviewers, and paths.<pattern>.agents, .models, .review and\n" +
			".unknown; docs/ci.md describes them. --policy tries a policy that is not committed.",
		Options: append(options("json", "policy", "output"), opt("format", "text, json or sarif").Or("text")),
		Examples: []example{
			{"git trace check origin/main...HEAD", "check a branch against the policy of its target"},
			{"git trace check --format sarif -o check.sarif origin/main...HEAD", "for a forge that shows findings at the lines"},
		},
		Run:    (*app).check,
		Traits: anew,
		Shows:  []string{"HEAD~1..HEAD", "--json HEAD~1...HEAD", "--format=sarif HEAD~1..HEAD"},
		Tries:  []string{"", "nosuch"},
	}
}

// checkedRange is the result of a check, in JSON.
type checkedRange struct {
	Schema  string     `json:"schema"`
	Range   span.Range `json:"range"`
	Policy  string     `json:"policy"`  // the commit or the file with the policy; empty for none
	Changed bool       `json:"changed"` // the range changes the policy; the change does not count yet
	*check.Result
}

func (a *app) check(c *call, ops operands) error {
	form := c.String("format")
	if c.Bool("json") {
		if c.IsSet("format") && form != "json" {
			return exit.Usage("--json and --format=%s exclude each other", form)
		}
		form = "json"
	}
	if form != "text" && form != "json" && form != "sarif" {
		return exit.NoSuch("format", form, []string{"text", "json", "sarif"})
	}
	repo, about, err := a.namedRange(c, ops, "git trace check <range>")
	if err != nil {
		return err
	}
	policy, from, err := readPolicy(c, repo, about.From)
	if err != nil {
		return err
	}
	known, err := a.openConversations(c.Context, repo)
	if err != nil {
		return err
	}
	defer known.Close()
	out, err := a.checkSpan(c, repo, known, about, policy)
	if err != nil {
		return err
	}
	out.Policy = from
	if from == "" {
		fmt.Fprintf(a.std.err, "git-trace: warning: %s has no %s: nothing is checked\n", about.From, check.File)
	}
	if out.Changed {
		fmt.Fprintf(a.std.err, "git-trace: hint: the change edits %s; the edit counts once the target branch has it\n",
			check.File)
	}
	if err := a.writeCheck(c, out, form); err != nil {
		return err
	}
	if n := len(out.Findings) + out.LeftOff; n > 0 {
		return exit.Silent(exit.Finding)
	}
	return nil
}

// readPolicy reads the policy of the base commit, or the file of --policy. `from` names its source; "" for none.
func readPolicy(c *call, repo *refs.Repo, base refs.OID) (p *check.Policy, from string, err error) {
	from = base.String()
	if file := c.String("policy"); file != "" {
		from = file
		p, err = check.ReadFile(c.Context, repo, file)
	} else {
		p, err = check.Read(c.Context, repo, base)
	}
	if errors.Is(err, check.ErrNone) {
		return &check.Policy{}, "", nil
	}
	err = exit.Fail(exit.Unchecked, err, "git trace help check names its keys; nothing was checked")
	return p, strings.ToValidUTF8(from, "\ufffd"), err
}

// checkSpan checks a range against a policy.
func (a *app) checkSpan(c *call, repo *refs.Repo, known *lookup.Conversations, s span.Range,
	policy *check.Policy) (*checkedRange, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	d, err := a.diffOf(repo, known, dir, s.Dotted())
	var refused *diff.Failure
	if errors.As(err, &refused) {
		return nil, exit.Fail(exit.Unchecked, diffFailure(err), "nothing was checked: git fsck names what is missing, "+
			"and git fetch --refetch --no-filter brings what a partial clone lacks")
	}
	if err != nil {
		return nil, err
	}
	facts, err := check.Commits(c.Context, repo, s.From, s.To)
	if err != nil {
		return nil, err
	}
	facts.Noted = func(trace events.TraceID) bool { return check.Noted(c.Context, known.Reader, trace) }
	out := &checkedRange{Schema: checkSchema, Range: s, Result: policy.Hold(d, facts)}
	for _, f := range d.Files {
		out.Changed = out.Changed || f.Path == check.File || f.OldPath == check.File
	}
	return out, nil
}

// writeCheck writes a result in the requested form.
func (a *app) writeCheck(c *call, out *checkedRange, form string) error {
	var text strings.Builder
	var err error
	switch form {
	case "json":
		err = writeJSON(&text, out)
	case "sarif":
		err = writeJSON(&text, out.SARIF())
	default:
		drawCheck(&text, out)
	}
	if err != nil {
		return err
	}
	return a.output("result", c.String("output"), text.String())
}

// drawCheck writes a result for people, two lines a finding.
func drawCheck(w *strings.Builder, r *checkedRange) {
	for i := range r.Findings {
		f := &r.Findings[i]
		at := cells.Safe(f.Path)
		if f.Line > 0 {
			at += fmt.Sprintf(":%d", f.Line)
		}
		if f.Lines > 1 {
			at += fmt.Sprintf("-%d", f.Line+f.Lines-1)
		}
		fmt.Fprintf(w, "%s: %s: %s\n    to satisfy it: %s\n", at, f.Rule, cells.Safe(f.Message), cells.Safe(f.Satisfy))
	}
	for _, g := range r.Gaps {
		fmt.Fprintf(w, "%s: not covered: %s\n", cells.Safe(g.Path), cells.Safe(g.Why))
	}
	if r.LeftOff > 0 {
		fmt.Fprintf(w, "and %s more\n", numbers.Count(r.LeftOff, "finding"))
	}
	fmt.Fprintf(w, "%s in %s of %s: %s by agents, %s by people, %s unknown; %s\n",
		numbers.Count(len(r.Findings)+r.LeftOff, "finding"), numbers.Count(r.Counts.Lines, "line"), numbers.Count(r.Files,
			"file"),
		numbers.Thousands(r.Counts.AI), numbers.Thousands(r.Counts.Human), numbers.Thousands(r.Counts.Unknown),
		numbers.Count(r.Rules, "rule"))
}
