package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/hooks"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/report/diff"
	"github.com/git-trace/git-trace/report/show"
	"github.com/git-trace/git-trace/view"
	"github.com/git-trace/git-trace/view/lookup"
)

func trailersCommand() *command {
	return &command{
		Name: "trailers",
		Does: "lines for a commit message that name the agents of its lines",
		Form: "git trace trailers [--id] [--format assisted-by|co-author] [<commit>]",
		About: "Prints a line for each agent and model that wrote staged lines, or lines of a commit, in the form\n" +
			"that the Linux kernel asks for: Assisted-by: AGENT:MODEL. It prints nothing if all lines are by\n" +
			"people. To use it:\n\n" +
			"   git commit --trailer \"$(git trace trailers)\"\n\n" +
			"Or let a hook do it for git commit -m and -F: git config trace.trailers assisted-by, then git\n" +
			"trace init.",
		Options: append(options("id"), opt("format", "assisted-by or co-author").Or(assistedBy)),
		Examples: []example{
			{`git commit -m 'server: a test' --trailer "$(git trace trailers)"`, "name the agents in a message"},
			{"git trace trailers --id HEAD", "the agents and conversations of a commit"},
		},
		Run:    (*app).trailers,
		Traits: bounded | anew | verbatim,
		Shows:  []string{"", "--id HEAD"},
		Tries:  []string{"--format co-author HEAD~1", "nosuch"},
	}
}

// The forms of trailers.
const (
	assistedBy = hooks.AssistedBy
	coAuthor   = hooks.CoAuthor
)

// `share` holds the number of lines of a prompt of a conversation.
type share struct {
	agent, model string
	trace        events.TraceID // empty if several conversations could have written the lines
	prompt       int
	lines        int
}

func (a *app) trailers(c *call, ops operands) error {
	format := c.String("format")
	if format != assistedBy && format != coAuthor {
		return &exit.Failure{Code: exit.Misuse, Err: fmt.Errorf("unknown format '%s'", format),
			Hint: "the forms are " + assistedBy + " and " + coAuthor}
	}
	named := ops.All()
	if len(named) > 1 {
		return exit.Usage("name one commit")
	}
	repo, known, err := a.recorded(c.Context)
	if err != nil {
		return err
	}
	defer known.Close()
	var shares []share
	if len(named) == 0 {
		shares, err = a.stagedShares(repo, known)
	} else {
		shares, err = a.commitShares(c, repo, known, named[0])
	}
	if err != nil {
		return err
	}
	for _, line := range trailersOf(shares, format, c.Bool("id")) {
		if _, err := fmt.Fprintln(terminal.Quietly(a.std.out), line); err != nil {
			return err
		}
	}
	return nil
}

// stagedShares returns the shares of owners in the lines that the index adds to HEAD.
func (a *app) stagedShares(repo *refs.Repo, known *lookup.Conversations) ([]share, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	opts, err := diff.Parse([]string{"--cached"})
	if err != nil {
		return nil, err
	}
	d, err := a.readDiff(repo, known, dir, opts)
	if err != nil {
		return nil, diffFailure(err)
	}
	var out []share
	d.EachAdded(func(l *diff.Line) {
		if o := l.Owner.Owner; o.ByAI() {
			out = append(out, share{o.Agent, o.Model, o.Trace, o.PromptIndex, 1})
		}
	})
	return out, nil
}

// commitShares returns the shares of the lines that a commit added.
func (a *app) commitShares(c *call, repo *refs.Repo, known *lookup.Conversations, name string) ([]share, error) {
	v, err := show.NewViewer(c.Context, repo, known)
	if err != nil {
		return nil, err
	}
	defer v.Close()
	id, found, err := (&lookup.Resolver{Repo: repo, Known: known}).Commit(c.Context, name)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, exit.Fail(exit.Git, fmt.Errorf("'%s' is not a commit", name), "")
	}
	g, err := v.GraphCommit(id)
	if err != nil {
		return nil, err
	}
	var out []share
	for _, who := range g.Contributors {
		if who.Kind == events.OwnerAI {
			out = append(out, share{who.Agent, who.Model, who.Trace, who.Prompt, who.Lines})
		}
	}
	return out, nil
}

// trailersOf returns the lines for a message: each agent and each conversation once, the largest share first.
func trailersOf(shares []share, format string, ids bool) []string {
	out := heaviest(shares, func(s share) string {
		agent, model := plainName(s.agent), plainName(view.ModelName(s.model))
		switch {
		case agent == "":
			return ""
		case format == coAuthor && model != "":
			return fmt.Sprintf("Co-authored-by: %s (%s) <%s@agents.invalid>", agent, model, agent)
		case format == coAuthor:
			return fmt.Sprintf("Co-authored-by: %s <%s@agents.invalid>", agent, agent)
		case model != "":
			return "Assisted-by: " + agent + ":" + model
		}
		return "Assisted-by: " + agent
	})
	if !ids {
		return out
	}
	told := map[string]bool{}
	for _, line := range heaviest(shares, func(s share) string {
		if s.trace == "" {
			return ""
		}
		return "Agent-Trace: " + plainName(string(s.trace)) + "#" + strconv.Itoa(s.prompt)
	}) {
		conversation, prompt, _ := strings.Cut(line, "#")
		if !told[conversation] {
			told[conversation] = true
			out = append(out, conversation+strings.TrimSuffix("#"+prompt, "#0"))
		}
	}
	return out
}

// heaviest returns the texts of shares, the largest share first, without empty texts.
func heaviest(shares []share, text func(share) string) []string {
	sums := map[string]int{}
	var out []string
	for _, s := range shares {
		one := text(s)
		if one != "" && sums[one] == 0 {
			out = append(out, one)
		}
		sums[one] += s.lines
	}
	slices.SortFunc(out, func(x, y string) int { return cmp.Or(cmp.Compare(sums[y], sums[x]), cmp.Compare(x, y)) })
	return out
}

// longestName is the greatest length of a name in a trailer.
const longestName = 80

// plainName makes a foreign name safe for a trailer, so that it cannot end the line or begin another trailer.
func plainName(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("-._+/@", r):
			return r
		}
		return '-'
	}, name)
	return name[:min(len(name), longestName)]
}
