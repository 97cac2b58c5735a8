package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/cli"
	"github.com/git-trace/git-trace/internal/companion"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/view/lookup"
)

const servedBy = "The server is the program git-trace-serve, which is looked for beside git-trace, then in PATH."

func mcpCommand() *command {
	return &command{
		Name: "mcp",
		Does: "give agents the recorded data, by the Model Context Protocol on standard input and output",
		Form: "git trace mcp",
		About: "An agent's client starts it, in the repository. Its tools only read: blame, why, search, show, " +
			"log, diff, report, lessons, handoff. A conversation is a resource too:\ngit-trace://conversation/<id>.\n" +
			servedBy,
		Run:    serving("mcp"),
		Traits: alone | atOnce,
		Tries:  []string{"--help", ""},
	}
}

func lspCommand() *command {
	return &command{
		Name: "lsp",
		Does: "show in editors who wrote a line and why, by the Language Server Protocol",
		Form: "git trace lsp [--stdio]",
		About: "An editor starts it and uses its standard input and output. It shows why a line is there when the\n" +
			"pointer rests on it, the prompt after the first of its lines, and commands that show the\n" +
			"conversation. docs/editors.md says how to set up each editor." +
			servedBy,
		Options: options("stdio"),
		Run:     serving("lsp"),
		Traits:  alone | atOnce,
		Tries:   []string{"--help", ""},
	}
}

// serving makes the companion serve on standard input and output.
func serving(verb string) func(*app, *call, operands) error {
	return func(a *app, c *call, _ operands) error {
		a.line.End()
		return a.beCompanion(c.Context, verb)
	}
}

func serveCommand() *command {
	return &command{
		Name: "serve",
		Does: "show conversations, blame and commits as pages in a browser",
		Form: "git trace serve [--port <number>] [--listen <address>] [--idle <duration>] [--open] " +
			"[<path>[:<line>] | <id> | <commit>]",
		About: "Prints the address of the pages and serves them to this machine alone, until it is interrupted.\n" +
			"The address has a secret that is new at each start; without it a request gets no answer. The pages\n" +
			"only read. An operand is the page to begin at: a file of the work tree, a conversation, a prompt\n" +
			"or a commit. If the pages of this work tree are already served, it prints their address." +
			servedBy,
		Options: options("port", "listen", "listen-anyway", "idle", "open"),
		Run:     (*app).servePages,
		Traits:  common | atOnce,
		Tries:   []string{"--help", "nosuch"},
	}
}

// servePages makes the companion serve the pages of the repository.
func (a *app) servePages(c *call, ops operands) error {
	wanted := ops.All()
	if len(wanted) > 1 {
		return exit.Usage("unexpected argument '%s'", wanted[1])
	}
	port := c.Int("port")
	if port < 0 || port > 65535 {
		return exit.Usage("option '--port': there is no port %d", port)
	}
	if c.Duration("idle") < 0 {
		return exit.Usage("option '--idle': '%s' is not a duration", c.Duration("idle"))
	}
	if c.Bool("listen-anyway") && !c.IsSet("listen") {
		return exit.Usage("option '--listen-anyway' needs --listen")
	}
	repo, err := a.repo()
	if err != nil {
		return err
	}
	if !c.IsSet("port") {
		if port, err = a.settledPort(c, repo); err != nil {
			return err
		}
	}
	page := "/"
	if len(wanted) == 1 {
		if page, err = a.pageOf(c, wanted[0]); err != nil {
			return lookup.ReportAmbiguous(a.std.err, err)
		}
	}
	args := []string{"--port", strconv.Itoa(port), "--idle", c.Duration("idle").String(), "--page", page}
	if text := c.String("listen"); text != "" {
		args = append(args, "--listen", text)
	}
	for _, name := range []string{"open", "listen-anyway"} {
		if c.Bool(name) {
			args = append(args, "--"+name)
		}
	}
	return a.stays(c.Context, args...)
}

// stays lets the companion serve pages on this process's terminal until an interrupt.
func (a *app) stays(ctx context.Context, args ...string) error {
	if a.line != nil && !a.line.Piped {
		fmt.Fprintln(a.std.err, "git-trace: hint: Ctrl-C ends it")
	}
	a.line.End()
	return a.beCompanion(ctx, "serve", args...)
}

// servePortKey is the setting with the port of the pages.
const servePortKey = "trace.servePort"

// settledPort returns the port from the configuration; 0 for any free port.
func (a *app) settledPort(c *call, repo *refs.Repo) (int, error) {
	config, err := repo.Config(c.Context)
	if err != nil {
		return 0, err
	}
	text, set := config.Get(servePortKey)
	if !set {
		return 0, nil
	}
	port, err := strconv.Atoi(text)
	if err != nil || port < 0 || port > 65535 {
		return 0, exit.Fail(exit.Misuse, fmt.Errorf("%s: '%s' is not a port", servePortKey, cells.Message(text)),
			"git config "+servePortKey+" 8080")
	}
	return port, nil
}

// inBrowser makes the companion serve a page and open it.
func (a *app) inBrowser(ctx context.Context, page string) error {
	return a.stays(ctx, "--idle", cli.ServedIdle, "--open", "--page", page)
}

// pageOf returns the address of an operand's page: the page of the file with that name, or else of the object with that
// id.
func (a *app) pageOf(c *call, name string) (string, error) {
	place, _, err := lookup.LinesOf(name)
	if err != nil {
		return "", err
	}
	if place.Name == "" {
		place.Name = name
	}
	repo, known, err := a.recorded(c.Context)
	if err != nil {
		return "", err
	}
	defer known.Close()
	if info, err := os.Stat(place.Name); err == nil && !repo.Bare() {
		here, err := filepath.Abs(a.dir)
		if err != nil {
			return "", err
		}
		stored, inside := storedPath(repo, here, place.Name)
		if !inside {
			return "", exit.Fail(exit.Git, fmt.Errorf("'%s' is outside of the work tree", cells.Message(place.Name)), "")
		}
		if info.IsDir() {
			return pagePath("/tree/HEAD", stored), nil
		}
		page := pagePath("/blame/worktree", stored)
		if place.First > 0 {
			page += "?line=" + strconv.Itoa(place.First)
		}
		return page, nil
	}
	r := lookup.Resolver{Repo: repo, Known: known}
	o, err := r.Resolve(c.Context, name)
	if err != nil {
		return "", err
	}
	switch o.Kind {
	case lookup.TraceObject:
		return "/t/" + string(o.Trace), nil
	case lookup.PromptObject:
		return fmt.Sprintf("/t/%s/p/%d", o.Trace, o.Prompt), nil
	case lookup.StepObject:
		return fmt.Sprintf("/t/%s/%d", o.Trace, o.Step), nil
	case lookup.PatchObject:
		return "/track/" + string(o.Patch), nil
	case lookup.CommitObject:
		return "/commit/" + o.Commit.String(), nil
	case lookup.ToolCallObject, lookup.EventObject:
	}
	return "", exit.Fail(exit.Finding, fmt.Errorf("there is no page of '%s'", cells.Message(name)),
		"git trace show tells of it")
}

// pagePath adds a path to an address. It escapes each part, which may contain any characters.
func pagePath(page, path string) string {
	for name := range strings.SplitSeq(path, "/") {
		page += "/" + url.PathEscape(name)
	}
	return page
}

// beCompanion runs the companion with a verb and this program's streams, and returns its exit status.
func (a *app) beCompanion(ctx context.Context, verb string, args ...string) error {
	cmd, err := companion.Command(ctx, verb, args...)
	if err != nil {
		return err
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.std.in, a.std.out, a.std.err
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = companion.Grace
	var ended *exec.ExitError
	if err := cmd.Run(); errors.As(err, &ended) {
		return exit.Silent(exit.Unchecked)
	} else if err != nil && ctx.Err() == nil {
		return exit.Fail(exit.Unchecked, err, "")
	}
	return nil
}

// withoutWeb takes --web out of the arguments of blame.
func withoutWeb(args []string) (rest []string, web bool) {
	at := slices.Index(args, "--web")
	if end := slices.Index(args, "--"); at < 0 || end >= 0 && end < at {
		return args, false
	}
	return slices.Concat(args[:at], args[at+1:]), true
}

// blameInBrowser opens the page of a file in the work tree, or in a revision.
func (a *app) blameInBrowser(args []string) error {
	var words []string
	dashes := false
	for _, word := range args {
		switch {
		case word == "--" && !dashes:
			dashes = true
		case strings.HasPrefix(word, "-") && !dashes:
			return exit.Fail(exit.Misuse, errors.New("'"+cells.Message(word)+"' cannot be used with --web"),
				"a page shows one file; write its revision before it")
		default:
			words = append(words, word)
		}
	}
	if len(words) == 0 || len(words) > 2 {
		return exit.Usage("name one file, and at most one revision")
	}
	repo, err := a.repo()
	if err != nil {
		return err
	}
	place, named, err := lookup.LinesOf(words[len(words)-1])
	if err != nil {
		return err
	}
	if !named {
		place.Name = words[len(words)-1]
	}
	dir, err := filepath.Abs(a.dir)
	if err != nil {
		return err
	}
	stored, inside := storedPath(repo, dir, place.Name)
	if !inside || stored == "" {
		return exit.Fail(exit.Git, errors.New("'"+cells.Message(place.Name)+"' is not a file of the work tree"), "")
	}
	page := "/blame/worktree"
	switch {
	case len(words) == 2: // a revision, then a file
		id, err := lookup.Commit(a.life, repo, words[0])
		if err != nil {
			return err
		}
		page = "/blame/" + id.String()
	case repo.Bare():
		page = "/blame/HEAD"
	default:
		if info, err := os.Stat(place.Name); err != nil || info.IsDir() {
			return exit.Fail(exit.Git, errors.New("no such file '"+cells.Message(place.Name)+"' in the work tree"), "")
		}
	}
	page = pagePath(page, stored)
	if place.First > 0 {
		page += "?line=" + strconv.Itoa(place.First)
	}
	return a.inBrowser(a.life, page)
}

// showInBrowser opens the page of an id.
func (a *app) showInBrowser(c *call, ids []string) error {
	for _, name := range []string{"json", "markdown", "color"} {
		if c.IsSet(name) {
			return exit.Usage("options '--web' and '--%s' exclude each other", name)
		}
	}
	if len(ids) > 1 {
		return exit.Usage("a page shows one thing: unexpected argument '%s'", ids[1])
	}
	page, err := a.pageOf(c, ids[0])
	if err != nil {
		return lookup.ReportAmbiguous(a.std.err, err)
	}
	return a.inBrowser(c.Context, page)
}
