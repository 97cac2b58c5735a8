package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/git-trace/git-trace/blame"
	"github.com/git-trace/git-trace/blame/gitblame"
	"github.com/git-trace/git-trace/correlate/belief"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/view/lookup"
)

const blameUsage = "git trace blame [<git blame options>] [--functions] [--json[=runs] | --prompts] [--only-ai] " +
	"[<rev>] [--] <file>\ngit trace blame --web [<rev>] [--] <file>[:<line>]"

// blameCommand only describes blame in the list of commands. blame parses its arguments itself, because most are git's
// options.
func blameCommand() *command {
	return &command{
		Name: "blame",
		Does: "who wrote each line of a file, and in which conversation",
		Form: blameUsage,
		About: "Runs git blame and adds to each line the conversation that wrote it. All options of git blame\n" +
			"work; its machine formats keep git's bytes, with added header lines trace-…. --json gives one\n" +
			"document with all facts about each line, --json=runs gives the same for runs of lines, without\n" +
			"their text. --prompts groups the lines below the prompts that led to them. --only-ai shows only\n" +
			"lines of agents.\n\n" +
			"--functions shows, instead of the lines, who wrote how many lines of each function, when, and in\n" +
			"answer to which prompt. Functions begin at git's function lines, as for git log -L :name:file, and\n" +
			"at the comment right above. A diff driver tells git the language: echo '*.py diff=python'\n" +
			">>.gitattributes; gitattributes(5) lists them. Without a driver, each line that begins with a\n" +
			"letter begins a function.\n\n" +
			"Signs after the owner: ? nobody knows who wrote the line; + an agent and a person both wrote it;\n" +
			"~ one of several agents wrote it, or the evidence is weak; ! other clones disagree. A line without\n" +
			"a sign belongs to the named person or agent, or is older than the recording.",
		Options: append(options("functions", "json", "only-ai", "web"), opt("prompts", " above its lines")),
		Examples: []example{
			{"git trace blame server.go", "who wrote each line"},
			{"git trace blame --prompts -L 3,6 server.go", "four lines, below their prompts"},
			{"git trace blame --functions server.go", "count the lines of each owner in each function"},
			{"git trace blame --json server.go", "for another program"},
		},
		Run:    func(a *app, _ *call, ops operands) error { return a.blame(ops.List) },
		Traits: common | bounded | anew | verbatim | likeGit,
		Shows: []string{
			"a", "--prompts a", "--json a", "--json=runs a", "--line-porcelain a", "--incremental a",
			"--functions a", "--functions --json a",
		},
		Tries: []string{"--only-ai a", "-p a", "--reverse HEAD~1..HEAD a", "-C -w a", "nosuch"},
	}
}

func (a *app) blame(args []string) error {
	if rest, web := withoutWeb(args); web {
		return a.blameInBrowser(rest)
	}
	opts, err := gitblame.Parse(args)
	if errors.Is(err, gitblame.ErrHelp) {
		return errors.Join(a.help("blame"), exit.Silent(exit.Misuse)) // as git does
	}
	if err != nil {
		return blame.Explain(err)
	}
	if opts.Functions && (opts.HasRange || opts.Format != gitblame.Human && !opts.Format.IsJSON()) {
		return exit.Usage("--functions takes a whole file, and no other form than --json")
	}
	repo, err := a.repo()
	if err != nil {
		return err
	}
	opts.Stdin, opts.Stderr = a.std.in, a.std.err
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	known, err := a.openConversations(a.life, repo)
	if err != nil {
		return err
	}
	defer known.Close()
	abbreviate := sync.OnceValues(known.Short)
	short := func(id events.TraceID) string { // only formats for people need short ids, and only if an agent wrote a line
		f, err := abbreviate()
		if err != nil {
			return string(id)
		}
		return f(id)
	}
	screen, colorIn, err := a.display(repo).OpenLate()
	if err != nil {
		return err
	}
	opts.Config, screen = screen.Config, screen.AsIs()
	var drawn blame.Drawn
	style := blame.Style{Terminal: screen.Terminal, Color: screen.Color, ColorIn: colorIn, Width: screen.Width,
		ShortTrace: short, Drawn: &drawn}
	evidence := known.Owners()
	if opts.Prompts || opts.Format.IsJSON() {
		evidence = evidence.WithPrompts(known.Prompts())
	}
	if opts.Prompts {
		evidence = evidence.WithDemand(func(ctx context.Context, traces []events.TraceID) (bool, error) {
			came, err := a.demand(ctx, repo, traces)
			if came {
				known.Prompts().Forget()
			}
			return came, err
		})
	}
	if opts.Format.IsJSON() && !opts.Functions {
		evidence = evidence.WithSteps(known.Steps())
	}
	err = blame.Run(a.life, repo, dir, opts, evidence, screen.Out, style)
	err = errors.Join(blame.Explain(err), screen.Close())
	if err == nil && screen.Terminal {
		a.legend(repo, known, screen.Config, drawn)
		a.tellOffer(repo, false)
		a.tellUntraced(a.life, repo)
	}
	return err
}

// legend explains the drawn signs once, below the lines, if standard error is a terminal. The setting advice.traceSigns
// hides it, as settings advice.* hide git's advice.
func (a *app) legend(repo *refs.Repo, known *lookup.Conversations, config *refs.Config, drawn blame.Drawn) {
	if !terminal.Is(a.std.err) || config != nil && !config.Bool("advice.traceSigns", true) {
		return
	}
	if drawn.Older {
		began, err := belief.BeginningOf(known.Log())
		drawn.Unrecorded = err == nil && began.Never()
	}
	_, err := os.Stat(filepath.Join(repo.CommonDir, "shallow"))
	drawn.Shallow = err == nil
	lines := drawn.Legend()
	if len(lines) == 0 {
		return
	}
	for _, line := range append(lines, "git config advice.traceSigns false hides these lines") {
		fmt.Fprintf(a.std.err, "git-trace: hint: %s\n", line)
	}
}
