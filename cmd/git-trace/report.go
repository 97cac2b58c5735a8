package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells/page"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/report/diff"
	"github.com/git-trace/git-trace/report/span"
	"github.com/git-trace/git-trace/view/lookup"
)

func reportCommand() *command {
	return &command{
		Name: "report",
		Does: "who wrote a branch, a pull request or a release, on one page",
		Form: "git trace report [<options>] [<branch> | <base>...<head> | <tag>..<tag>]",
		About: "Writes one page of Markdown for a review: the lines of each owner, in the result and discarded,\n" +
			"the lines without a known owner, and the conversations with their prompts, files, models and\n" +
			"cost. The figures equal those of git trace stats and git trace diff for the same range. A branch\n" +
			"is compared with its upstream; the default is the current branch. Text by others is shown as\n" +
			"code, so it does not mention people or close issues. --max-bytes leaves out whole rows until the page\n" +
			"fits, and says what is missing: github-comment is 65536, github-summary 1048576, gitlab-comment\n" +
			"1000000. --html gives a page in one file, with charts and without script, which CI can keep; it\n" +
			"needs git-trace-serve.\n" +
			"--audit answers five questions instead: was an agent used; which one, with which model; who reviewed\n" +
			"it; what was it asked; can it be proved. For one commit, name <commit>^!.",
		Options: slices.Concat(options("markdown", "json", "html", "audit"),
			[]optionUse{opt("show-prompts", "").Or(string(span.FirstPrompt))},
			options("max-bytes", "fail-unknown", "output")),
		Examples: []example{
			{"git trace report origin/main...HEAD", "one page about a pull request"},
			{"git trace report origin/main...HEAD --max-bytes github-summary", "within the limit of a forge"},
			{"git trace report --audit origin/main...HEAD", "the answers for an auditor of a change"},
		},
		Run:    (*app).reportRange,
		Traits: common | bounded | anew | verbatim,
		Shows: []string{"HEAD~1..HEAD", "--json HEAD~1...HEAD", "--show-prompts=all HEAD~1..HEAD",
			"--audit HEAD^!", "--audit --json HEAD^!"},
		Tries: []string{"", "nosuch"},
	}
}

// forgeLimits holds the greatest length of a text, in bytes. GitHub counts characters in comments, which are at most as
// many.
var forgeLimits = map[string]int{"github-comment": 65536, "github-summary": 1 << 20, "gitlab-comment": 1_000_000}

// reportOptions are the options of the command.
type reportOptions struct {
	json       bool
	prompts    span.Prompts
	limit      int // 0 for no limit
	mayUnknown int // in percent
	file       string
	audit      bool
}

func reportOptionsOf(c *call) (o reportOptions, err error) {
	o = reportOptions{json: c.Bool("json"), prompts: span.Prompts(c.String("show-prompts")), mayUnknown: 100,
		file: c.String("output"), audit: c.Bool("audit")}
	for _, name := range []string{"html", "max-bytes", "fail-unknown"} {
		if o.audit && c.IsSet(name) {
			return o, exit.Usage("options '--audit' and '--%s' exclude each other", name)
		}
	}
	if o.audit && !c.IsSet("show-prompts") {
		o.prompts = span.AllPrompts
	}
	if o.json && c.Bool("markdown") {
		return o, exit.Usage("--json and --markdown exclude each other")
	}
	if !slices.Contains([]span.Prompts{span.NoPrompts, span.FirstPrompt, span.AllPrompts}, o.prompts) {
		return o, exit.Usage("option '--show-prompts' takes none, first or all, not '%s'", o.prompts)
	}
	if text := c.String("max-bytes"); c.IsSet("max-bytes") {
		if o.json {
			return o, exit.Usage("--max-bytes cuts pages; it excludes --json")
		}
		var known bool
		if o.limit, known = forgeLimits[text]; !known {
			if o.limit, err = strconv.Atoi(text); err != nil || o.limit < 1 {
				return o, exit.Fail(exit.Misuse, fmt.Errorf("option '--max-bytes': '%s' is not a size", text),
					"give a number, or github-comment, github-summary or gitlab-comment")
			}
		}
	}
	if text := c.String("fail-unknown"); c.IsSet("fail-unknown") {
		if o.mayUnknown, err = strconv.Atoi(strings.TrimSuffix(text, "%")); err != nil || o.mayUnknown < 0 ||
			o.mayUnknown > 100 {
			return o, exit.Usage("option '--fail-unknown': '%s' is not a percentage", text)
		}
	}
	return o, nil
}

func (a *app) reportRange(c *call, ops operands) error {
	opts, err := reportOptionsOf(c)
	if err != nil {
		return err
	}
	named := ops.All()
	if len(named) > 1 {
		return exit.Fail(exit.Misuse, errors.New("name one range"), "for example: git trace report main...HEAD")
	}
	if c.Bool("html") {
		return a.reportPage(c, opts, strings.Join(named, ""))
	}
	repo, known, err := a.recorded(c.Context)
	if err != nil {
		return err
	}
	defer known.Close()
	about, err := span.Parse(c.Context, repo, strings.Join(named, ""))
	if err != nil {
		return err
	}
	short, err := known.Short()
	if err != nil {
		return err
	}
	found, err := a.reportOf(c.Context, repo, known, about, opts.prompts)
	if err != nil {
		return err
	}
	if found.Stats.Lines.Commits == 0 {
		fmt.Fprintln(a.std.err, "git-trace: hint: there are no commits in it; "+span.OtherRange(c.Context, repo, about.To))
	}
	if opts.audit {
		return a.auditRange(c, opts, found, short, repo)
	}
	if err := a.writeReport(found, short, opts); err != nil {
		return err
	}
	if found.Limits.Nothing {
		a.tellOffer(repo, true)
	}
	if sum := found.Result; sum.Unknown*100 > opts.mayUnknown*sum.Lines {
		older := ""
		if sum.Older > 0 {
			older = fmt.Sprintf(" (%s older than the recording)", numbers.Thousands(sum.Older))
		}
		return exit.Fail(exit.Finding, fmt.Errorf("%s%s of %s have no known owner: more than %d %%",
			numbers.Thousands(sum.Unknown), older, numbers.Count(sum.Lines, "line"), opts.mayUnknown), "")
	}
	return nil
}

// reportPage makes the companion draw the report as a page.
func (a *app) reportPage(c *call, opts reportOptions, given string) error {
	for _, name := range []string{"json", "markdown", "max-bytes", "fail-unknown"} {
		if c.IsSet(name) {
			return exit.Usage("options '--html' and '--%s' exclude each other", name)
		}
	}
	if _, err := a.repo(); err != nil {
		return err
	}
	args := []string{"--prompts", string(opts.prompts), "--range", given}
	if opts.file != "" && opts.file != "-" {
		args = append(args, "--output", opts.file)
	}
	return a.beCompanion(c.Context, "report", args...)
}

// writeReport writes the report completely, or nothing.
func (a *app) writeReport(r *span.Report, short func(events.TraceID) string, opts reportOptions) error {
	var out strings.Builder
	if opts.json {
		if err := writeJSON(&out, r); err != nil {
			return err
		}
	} else {
		text, err := span.Markdown(r, short, opts.limit)
		var small *page.TooSmallError
		if errors.As(err, &small) {
			return exit.Fail(exit.Misuse, fmt.Errorf("option '--max-bytes': %w", err), "")
		}
		if err != nil {
			return err
		}
		out.WriteString(text)
	}
	return a.output("report", opts.file, out.String())
}

// reportOf reads the facts about the lines of a range.
func (a *app) reportOf(
	ctx context.Context, repo *refs.Repo, known *lookup.Conversations, about span.Range, prompts span.Prompts,
) (*span.Report, error) {
	return span.Of(ctx, repo, span.Source{Known: known.Reader, Lines: linesFrom(known),
		Diff: func(dir, dotted string) (*diff.Diff, error) { return a.diffOf(repo, known, dir, dotted) },
	}, about, prompts)
}

// namedRange reads the single range among the operands. hint shows its form.
func (a *app) namedRange(c *call, ops operands, hint string) (repo *refs.Repo, about span.Range, err error) {
	named := ops.All()
	if len(named) > 1 {
		return nil, about, exit.Fail(exit.Misuse, errors.New("name one range"), hint)
	}
	if repo, err = a.repo(); err != nil {
		return nil, about, err
	}
	about, err = span.Parse(c.Context, repo, strings.Join(named, ""))
	return repo, about, err
}

// output writes a text into a file. Without a name, or with "-", it writes to standard output.
func (a *app) output(what, file, text string) error {
	if file == "" || file == "-" {
		_, err := io.WriteString(terminal.Quietly(a.std.out), text)
		return err
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		return exit.Fail(exit.Git, fmt.Errorf("write the %s: %w", what, err), "")
	}
	return nil
}

// diffOf returns the diff of all files of a range. If git cannot read the contents, the error is a *[diff.Failure].
func (a *app) diffOf(repo *refs.Repo, known *lookup.Conversations, dir, text string) (*diff.Diff, error) {
	opts, err := diff.Parse([]string{"--no-relative", text, "--"})
	if err != nil {
		return nil, err
	}
	d, err := a.readDiff(repo, known, dir, opts)
	if errors.Is(err, diff.ErrGit) {
		return nil, exit.Fail(exit.Unchecked, err, "git diff "+text+" shows it")
	}
	return d, err
}

// auditRange prints the audit of a range.
func (a *app) auditRange(c *call, opts reportOptions, r *span.Report, short func(events.TraceID) string,
	repo *refs.Repo) error {
	out := span.NewAudit(r)
	if err := out.Proof.Add(c.Context, repo); err != nil {
		return err
	}
	var text strings.Builder
	if opts.json {
		if err := writeJSON(&text, out); err != nil {
			return err
		}
	} else {
		text.WriteString(out.Draw(short))
	}
	if err := a.output("report", opts.file, text.String()); err != nil {
		return err
	}
	if out.Proof.State == events.Broken {
		return exit.Silent(exit.Finding)
	}
	return nil
}
