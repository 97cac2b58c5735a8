package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/report/why"
	"github.com/git-trace/git-trace/view/lookup"
)

func whyCommand() *command {
	return &command{
		name: "why",
		does: "why a line is there: the prompt, the thoughts, the call, and what became of it",
		form: "git trace why [--json | --markdown] [<rev> | --contents <file>] <path>:<line>[-<line>] …",
		about: "Prints for each line who wrote it, with the evidence, the prompt, the agent's thoughts before it,\n" +
			"the tool call with its change, the commit, the replaced lines, and what is left of the change.\n" +
			"Lines of one change are shown together. With a revision it reads the lines of that revision,\n" +
			"otherwise those of the work tree.",
		options: options("json", "markdown", "contents", "color"),
		examples: []example{
			{"git trace why server.go:3", "the prompt, the thoughts and the edit behind a line"},
			{"git trace why HEAD server.go:3-6", "the same for lines 3 to 6 in the last commit"},
		},
		run:    (*app).why,
		traits: common | bounded | anew,
		shows:  []string{"a:3", "--json a:3", "HEAD a:1-3"},
		tries:  []string{"nosuch:1"},
	}
}

// fileLines is a range of lines of a file, as an argument names it.
type fileLines struct {
	name        string
	first, last int
}

// placeOf parses "<path>:<line>" and "<path>:<line>-<line>".
func placeOf(arg string) (fileLines, bool, error) {
	m := lineRange().FindStringSubmatch(arg)
	if m == nil {
		return fileLines{}, false, nil
	}
	p := fileLines{name: m[1]}
	p.first, _ = strconv.Atoi(m[2])
	p.last = p.first
	if m[3] != "" {
		p.last, _ = strconv.Atoi(m[3])
	}
	if p.first < 1 || p.last < p.first {
		return p, true, exit.Fail(exit.Misuse, fmt.Errorf("'%s' names no lines", cells.Message(arg)),
			"lines are counted from 1")
	}
	return p, true, nil
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

func (a *app) whyAll(c *call, rev string, places []fileLines, contents []byte, demand lookup.Demander) error {
	repo, known, err := a.recorded(c.Context)
	if err != nil {
		return err
	}
	defer known.Close()
	views, err := newViewer(c.Context, repo, known)
	if err != nil {
		return err
	}
	defer views.close()
	list := []*whyView{}
	var traces []events.TraceID
	for _, p := range places {
		v, err := views.why(rev, p, contents)
		if err != nil {
			return err
		}
		v.doubt(c.Context, repo)
		list, traces = append(list, v), append(traces, v.traces()...)
	}
	if err := demand(c.Context, repo, traces...); err != nil {
		return err
	}
	if c.Bool("json") {
		out := why.Document{Schema: why.Schema, Places: []*why.Place{}}
		for _, v := range list {
			out.Places = append(out.Places, v.json())
		}
		return writeJSON(terminal.Quietly(a.std.out), out)
	}
	if c.Bool("markdown") {
		m := &whyMarkdown{short: views.short}
		for _, v := range list {
			m.view(v)
		}
		_, err := io.WriteString(terminal.Quietly(a.std.out), terminal.Calm(strings.TrimLeft(m.out.String(), "\n")))
		return err
	}
	return drawEach(a, c, views, list)
}

// traces returns the conversations that wrote the lines.
func (v *whyView) traces() []events.TraceID {
	var out []events.TraceID
	for _, r := range v.reasons {
		if o := r.Owner(); o.Trace != "" {
			out = append(out, o.Trace)
		}
	}
	return out
}

// whyOperands reads an optional revision, then places.
func whyOperands(ops operands) (rev string, places []fileLines, err error) {
	for i, arg := range ops.all() {
		p, named, err := placeOf(arg)
		switch {
		case err != nil:
			return "", nil, err
		case named:
			places = append(places, p)
		case i == 0 && len(ops.all()) > 1:
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

// lineHint suggests how to name a line if an argument does not: the argument may be a number after a path, or not a
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
func (a *app) contents(name, rev string, places []fileLines) ([]byte, error) {
	if name == "" {
		return nil, nil
	}
	for _, p := range places {
		if rev != "" || p.name != places[0].name {
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

// why finds the reasons for lines. If contents is not nil, it replaces the content of the path.
func (v *viewer) why(rev string, p fileLines, contents []byte) (*whyView, error) {
	path, err := pathInside(v.repo, p.name)
	if err != nil {
		return nil, err
	}
	f, err := v.follow()
	if err != nil {
		return nil, err
	}
	reasons := why.Finder{Known: v.known.Reader, Trails: f, Contents: contents}
	list, err := reasons.Lines(v.ctx, rev, path, p.first, p.last)
	var none *why.NoLineError
	if errors.As(err, &none) {
		return nil, exit.Fail(exit.Git, fmt.Errorf("'%s' has %s", cells.Message(p.name), numbers.Count(none.Lines, "line")),
			"")
	}
	if err != nil {
		return nil, blameFailure(err)
	}
	var commits []refs.OID
	for _, r := range list {
		if c := r.Commit(); c != nil && !slices.Contains(commits, c.ID) {
			commits = append(commits, c.ID)
		}
	}
	reviews, err := v.known.Reviews(v.ctx, commits)
	return &whyView{path, rev, list, reviews}, err
}
