package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/git-trace/git-trace/graph"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/report/diff"
	"github.com/git-trace/git-trace/view/lookup"
)

// diffCommand only describes diff in the list of commands. diff parses its arguments itself, because most are git's
// options.
func diffCommand() *command {
	return &command{
		Name: "diff",
		Does: "git diff, with the owner of each added or removed line",
		Form: "git trace diff [<git diff options>] [--removed] [--prompts] [--only-ai] [--only-human] " +
			"[--only-unknown] [--json | --no-trace] [<rev>…] [--] [<path>…]\n" +
			"git trace diff [--after] <moment> [<moment> | <rev>] [--] [<path>…]",
		About: "Runs git diff, adds the owner to each added line, as blame does, and counts the lines of each\n" +
			"owner at the end. Revisions, paths and options mean the same as for git diff. Between two commits\n" +
			"it also shows lines that were added and removed in between. --removed also shows the owners of\n" +
			"removed lines. --json gives all facts for runs of lines. --no-trace is plain git diff. Output for\n" +
			"programs, such as --raw or --numstat, and output without lines, such as --word-diff, does not\n" +
			"change. At the end it lists untracked files with the owners of their lines\n" +
			"(status.showUntrackedFiles).\n\n" +
			"--only-ai, --only-human and --only-unknown keep the hunks with a line by agents, by people or\n" +
			"without a known owner; several of them combine. The figures count only these hunks. --prompts\n" +
			"shows each prompt above its lines.\n\n" +
			"A <moment> is a prompt (4f2a#3), a step (4f2a:12) or a tool call (toolu_…). It means the work tree\n" +
			"when the prompt was sent or the call began; with --after, when it ended. A single moment is\n" +
			"compared with the present work tree, including untracked files. 4f2a#3^! shows the changes from\n" +
			"the beginning to the end of the prompt. For the call of an edit tool, git-trace looked only at the\n" +
			"files that the call names.",
		Options: append(options("removed", "only-ai", "only-human", "only-unknown", "json", "no-trace", "after", "before"),
			opt("prompts", " above its lines")),
		Examples: []example{
			{"git trace diff", "unstaged changes, with the owner of each line"},
			{"git trace diff main...topic", "the changes of a branch, and lines that it added and removed again"},
			{"git trace diff --removed HEAD^!", "one commit, also with the owners of removed lines"},
			{"git trace diff 4f2a#1 4f2a#2", "the changes between two prompts"},
			{"git trace diff 4f2a#2^!", "the changes in answer to one prompt"},
		},
		Run:    func(a *app, _ *call, ops operands) error { return a.diff(ops.List) },
		Traits: common | bounded | anew | verbatim | likeGit,
		Shows:  []string{"HEAD", "", "--removed HEAD~1 HEAD", "--json HEAD"},
		Tries: []string{
			"--json", "HEAD~1 HEAD", "--removed HEAD~1...HEAD", "--cached --json", "--stat HEAD~1", "nosuch",
		},
	}
}

func (a *app) diff(args []string) error {
	opts, err := diff.Parse(args)
	if errors.Is(err, diff.ErrHelp) {
		return errors.Join(a.help("diff"), exit.Silent(exit.Misuse)) // as git does
	}
	repo, err := a.repo()
	switch {
	case errors.Is(err, refs.ErrNotRepository) && !opts.JSON && comparesPaths(args):
		return a.gitDiff(exec.CommandContext(a.life, "git", append([]string{"diff"}, args...)...))
	case err != nil:
		return err
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	if opts.JSON && (opts.Verbatim || opts.NoTrace) {
		return exit.Usage("--json gives one document; it excludes other forms of output")
	}
	if len(opts.Only) > 0 && (opts.NoTrace || opts.Verbatim || opts.Figures) {
		return exit.Usage("--only-ai and similar options choose hunks; they exclude other forms of output")
	}
	plain := opts.Verbatim || !repo.HasTraces() && !opts.JSON && len(opts.Only) == 0 // only git's output is wanted
	if opts.NoTrace || plain && !opts.MayNameMoments() {
		return a.gitDiff(opts.Git(a.life, repo, dir))
	}
	known, err := a.openConversations(a.life, repo)
	if err != nil {
		return err
	}
	defer known.Close()
	if err := a.findMoments(repo, known, dir, &opts); err != nil {
		return lookup.ReportAmbiguous(a.std.err, err)
	}
	if plain {
		return a.gitDiff(opts.Git(a.life, repo, dir))
	}
	d, err := a.readDiff(repo, known, dir, opts)
	if errors.Is(err, diff.ErrGit) && !opts.JSON && len(opts.Only) == 0 {
		fmt.Fprintf(a.std.err, "git-trace: hint: %s\n", cells.Message(err.Error()))
		return a.gitDiff(opts.Git(a.life, repo, dir))
	}
	if err != nil {
		return diffFailure(err)
	}
	if opts.JSON {
		err = writeJSON(terminal.Quietly(a.std.out), d.Document())
	} else {
		err = a.drawDiff(repo, known, opts, d)
	}
	if err == nil && d.Changed {
		err = exit.Silent(exit.Finding) // --exit-code
	}
	return err
}

// comparesPaths reports whether git diff needs no repository: it compares two paths (git-diff(1), --no-index).
func comparesPaths(args []string) bool {
	named := 0
	for _, arg := range args {
		if arg == "--no-index" {
			return true
		}
		if arg == "-" || !strings.HasPrefix(arg, "-") {
			named++
		}
	}
	return named > 1
}

// readDiff runs git diff, and finds the owners of its lines.
func (a *app) readDiff(repo *refs.Repo, known *lookup.Conversations, dir string, opts diff.Options) (*diff.Diff,
	error) {
	config, err := repo.Config(a.life)
	if err != nil {
		return nil, err
	}
	evidence := known.Owners()
	if opts.Prompts {
		evidence = evidence.WithPrompts(known.Prompts())
	}
	return diff.Read(a.life, repo, dir, opts, diff.Source{
		Resolver: evidence, Snapshot: evidence.Remembering(), Log: known.Log(), Searcher: known.Searcher(), Config: config,
		Added: func(ctx context.Context, ids []refs.OID) (map[refs.OID]int, error) {
			files, err := graph.Added(ctx, repo, ids)
			out := map[refs.OID]int{}
			for id, added := range files {
				for _, n := range added {
					out[id] += n
				}
			}
			return out, err
		},
	})
}

// gitDiff runs git's own diff instead of ours.
func (a *app) gitDiff(cmd *exec.Cmd) error {
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.std.in, a.std.out, a.std.err
	for to, from := range map[*io.Writer]io.Writer{&cmd.Stdout: a.std.out, &cmd.Stderr: a.std.err} {
		if file, isFile := terminal.File(from); isFile {
			*to = file
		}
	}
	a.line.End()
	a.signals.Leave()
	err := cmd.Run()
	var ended *exec.ExitError
	if errors.As(err, &ended) && ended.ExitCode() >= 0 {
		return exit.Silent(usageStatus(ended.ExitCode()))
	}
	return err
}

// usageStatus returns the exit status of git diff. For an unknown option some versions end with 255 instead of git's
// usual 129.
func usageStatus(code int) int {
	if code == 255 {
		return exit.Misuse
	}
	return code
}

// diffFailure returns git's refusal with git's exit status.
func diffFailure(err error) error {
	var refused *diff.Failure
	if !errors.As(err, &refused) {
		return err
	}
	message, _, _ := strings.Cut(strings.TrimSpace(refused.Message), "\n")
	for _, prefix := range []string{"fatal: ", "error: "} {
		message = strings.TrimPrefix(message, prefix)
	}
	hint, code := "", usageStatus(refused.Code)
	if code == exit.Misuse {
		hint = "git trace help diff says more"
	}
	return exit.Fail(code, errors.New(message), hint)
}

// drawDiff shows the diff to people.
func (a *app) drawDiff(repo *refs.Repo, known *lookup.Conversations, opts diff.Options, d *diff.Diff) error {
	if len(d.Files)+len(d.Before)+len(d.Untracked) == 0 {
		return nil
	}
	short, err := known.Short()
	if err != nil {
		return err
	}
	screen, err := a.screen(repo, opts.Color)
	if err != nil {
		return err
	}
	drawn, err := diff.Draw(screen.AsIs(), d, opts, short)
	err = errors.Join(err, screen.Close())
	if err == nil && screen.Terminal {
		a.legend(repo, known, screen.Config, drawn)
	}
	return err
}

// findMoments replaces prompts, steps and calls in the options with the trees of their snapshots.
func (a *app) findMoments(repo *refs.Repo, known *lookup.Conversations, dir string, opts *diff.Options) error {
	r := lookup.Resolver{Repo: repo, Known: known}
	work, err := opts.FindMoments(func(word string, after bool) (s diff.Snapshot, found bool, err error) {
		if _, err := os.Lstat(filepath.Join(dir, word)); err == nil {
			return s, false, nil
		}
		p, found, err := r.PlaceNamed(a.life, word)
		if err != nil || !found {
			return s, false, err
		}
		m, err := r.Moment(a.life, word, p, after)
		name := word
		if after {
			name += " (its end)"
		}
		s = diff.Snapshot{Tree: m.Tree, Side: diff.Side{Kind: diff.Moment, Rev: name}}
		if !m.Head.IsZero() {
			s.Side.Head = m.Head.String()
		}
		return s, true, err
	})
	if errors.Is(err, diff.ErrMergeBase) {
		return exit.Usage("%w; name the two with a blank or .. between them", err)
	}
	if err != nil || !work {
		return err
	}
	if repo.Bare() {
		return refs.ErrBare
	}
	taken, err := takeSnapshot(a.life, repo)
	if err == nil {
		opts.CompareWith(taken.Tree)
	}
	return err
}
