package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/report/show"
	"github.com/git-trace/git-trace/report/why"
	"github.com/git-trace/git-trace/view/lookup"
)

func whyCommand() *command {
	return &command{
		Name: "why",
		Does: "why a line is there: the prompt, the thoughts, the call, and what became of it",
		Form: "git trace why [--json | --markdown] [<rev> | --contents <file>] <path>:<line>[-<line>] …",
		About: "Prints for each line who wrote it, with the evidence, the prompt, the agent's thoughts before it,\n" +
			"the tool call with its change, the commit, the replaced lines, and what is left of the change.\n" +
			"Lines of one change are shown together. With a revision it reads the lines of that revision,\n" +
			"otherwise those of the work tree.",
		Options: options("json", "markdown", "contents", "color"),
		Examples: []example{
			{"git trace why server.go:3", "the prompt, the thoughts and the edit behind a line"},
			{"git trace why HEAD server.go:3-6", "the same for lines 3 to 6 in the last commit"},
		},
		Run:    (*app).why,
		Traits: common | bounded | anew,
		Shows:  []string{"a:3", "--json a:3", "HEAD a:1-3"},
		Tries:  []string{"nosuch:1"},
	}
}

func (a *app) why(c *call, ops operands) error {
	rev, places, err := whyOperands(ops)
	if err != nil {
		return err
	}
	contents, err := a.contents(c.String("contents"), rev, places)
	if err != nil {
		return err
	}
	return a.demanding(func(demand lookup.Demander) error { return a.whyAll(c, rev, places, contents, demand) })
}

func (a *app) whyAll(c *call, rev string, places []lookup.FileLines, contents []byte, demand lookup.Demander) error {
	repo, known, err := a.recorded(c.Context)
	if err != nil {
		return err
	}
	defer known.Close()
	views, err := show.NewViewer(c.Context, repo, known)
	if err != nil {
		return err
	}
	defer views.Close()
	list := []*show.WhyView{}
	var traces []events.TraceID
	for _, p := range places {
		v, err := views.Why(rev, p, contents)
		if err != nil {
			return err
		}
		v.Doubt(c.Context, repo)
		list, traces = append(list, v), append(traces, v.Conversations()...)
	}
	if err := demand(c.Context, repo, traces...); err != nil {
		return err
	}
	if c.Bool("json") {
		out := why.Document{Schema: why.Schema, Places: []*why.Place{}}
		for _, v := range list {
			out.Places = append(out.Places, v.JSON())
		}
		return writeJSON(terminal.Quietly(a.std.out), out)
	}
	if c.Bool("markdown") {
		return a.printMarkdown(show.MarkdownOfLines(list, views.Short))
	}
	return drawEach(a, c, views, list)
}

// whyOperands reads an optional revision, then places.
func whyOperands(ops operands) (rev string, places []lookup.FileLines, err error) {
	for i, arg := range ops.All() {
		p, named, err := lookup.LinesOf(arg)
		switch {
		case err != nil:
			return "", nil, err
		case named:
			places = append(places, p)
		case i == 0 && len(ops.All()) > 1:
			rev = arg
		default:
			return "", nil, exit.Fail(exit.Misuse, fmt.Errorf("'%s' names no line", cells.Message(arg)), lineHint(rev, arg))
		}
	}
	if len(places) == 0 {
		return "", nil, exit.Fail(exit.Misuse, errors.New("no line is named"), "git trace why <path>:<line>")
	}
	return rev, places, nil
}

// lineHint suggests how to name a line if an argument names none: the argument may be a number after a path, or not a
// path.
func lineHint(before, arg string) string {
	number := strings.Trim(arg, "0123456789") == ""
	_, missing := os.Lstat(arg)
	switch {
	case number && before != "":
		return fmt.Sprintf("git trace why %s:%s", cells.Message(before), arg)
	case missing != nil:
		return fmt.Sprintf("git trace why <path>:<line>; git trace show %s explains an id", cells.Message(arg))
	}
	return fmt.Sprintf("git trace why %s:<line>", cells.Message(arg))
}

// contents reads the file of --contents; nil without the option.
func (a *app) contents(name, rev string, places []lookup.FileLines) ([]byte, error) {
	if name == "" {
		return nil, nil
	}
	for _, p := range places {
		if rev != "" || p.Name != places[0].Name {
			return nil, exit.Usage("--contents needs lines of one path, and excludes a revision")
		}
	}
	read := os.ReadFile
	if name == "-" {
		read = func(string) ([]byte, error) { return io.ReadAll(a.std.in) }
	}
	content, err := read(name)
	if err != nil {
		return nil, exit.Fail(exit.Git, err, "")
	}
	return append([]byte{}, content...), nil // not nil, even if the file is empty
}
