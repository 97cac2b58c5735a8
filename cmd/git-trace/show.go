package main

import (
	"errors"
	"io"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/report/answers"
	"github.com/git-trace/git-trace/view/lookup"
)

func showCommand() *command {
	return &command{
		name: "show",
		does: "one conversation, prompt, tool call, patch, commit or event",
		form: "git trace show [--json | --markdown] <id> | <commit> …\ngit trace show --cost [--json] <conversation>…\n" +
			"git trace show --web <id> | <commit>",
		about: "An id names a conversation (4f2a), one of its prompts (4f2a#3) or steps (4f2a:12), a tool call\n" +
			"(toolu_…), a patch, lines of a file (FILE:LINE, as for git trace why), a commit in any form that\n" +
			"git knows, or an event (b3:… or @17). Ids may be abbreviated to four characters or more. If an id\n" +
			"is ambiguous, the candidates are listed, and the exit status is 128; it is 1 when the id does not\n" +
			"exist. Texts are shown if the conversation has a record; a step is shown in full.\n\n" +
			"--cost shows needless content in the context of a conversation: long outputs, files read and\n" +
			"searches made again with the same result, commands that failed again and again. Tokens are\n" +
			"estimated.",
		options: options("json", "markdown", "color", "cost", "web"),
		examples: []example{
			{"git trace show 4f2a", "a conversation, step by step"},
			{"git trace show '4f2a#2'", "one prompt: its answer, its changes, and what is left of them"},
			{"git trace show --cost 4f2a", "the needless content of its context"},
			{"git trace show HEAD", "a commit, with who wrote its lines"},
		},
		run:    (*app).show,
		traits: common | bounded | anew,
		shows:  []string{"HEAD", "--json HEAD"},
		tries:  []string{"1234abcd", "@1"},
	}
}

// drawable is an object that show draws.
type drawable interface {
	// draw draws the object for people. fill adds it to the answer for programs.
	draw(d *showDrawer)
	fill(o *answers.Object)
}

// shown is an object with its kind, as JSON shows it.
type shown struct {
	kind lookup.ObjectKind
	view drawable
}

func (s shown) draw(d *showDrawer)     { s.view.draw(d) }
func (s shown) fill(o *answers.Object) { s.view.fill(o) }

func (t *traceView) fill(o *answers.Object)  { o.Trace = &t.Talk }
func (p *promptView) fill(o *answers.Object) { o.Prompt = p.WholeTurn }
func (t callView) fill(o *answers.Object)    { o.ToolCall = t.WholeCall }
func (p hunkView) fill(o *answers.Object)    { o.Patch = p.Hunk }
func (e eventView) fill(o *answers.Object)   { o.Event = e.event.Raw() }
func (s *stepView) fill(o *answers.Object)   { o.Step = &s.TalkStep }
func (v *whyView) fill(o *answers.Object)    { o.Why = v.json() }

func (c *commitView) fill(o *answers.Object) {
	o.Commit = &answers.Commit{CommitJSON: c.commit.JSON(), Reviews: c.reviews}
	for _, r := range c.rewrites {
		o.Commit.Rewrites = append(o.Commit.Rewrites, answers.Rewrite{Old: r.Old, New: r.New, Kind: r.Kind})
	}
}

func (a *app) show(c *call, ops operands) error {
	ids := ops.all()
	if len(ids) == 0 {
		return exit.Usage("an id is needed: git trace show <id>…")
	}
	if c.Bool("web") {
		return a.showInBrowser(c, ids)
	}
	return a.demanding(func(demand lookup.Demander) error { return a.showAll(c, ids, demand) })
}

func (a *app) showAll(c *call, ids []string, demand lookup.Demander) error {
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
	r := lookup.Resolver{Repo: repo, Known: known, Demand: demand}
	objects := []shown{}
	for _, id := range ids {
		if p, named, err := placeOf(id); named && looksLikePath(p.name) {
			if err != nil {
				return err
			}
			v, err := views.why("", p, nil)
			if err == nil {
				err = demand(c.Context, repo, v.traces()...)
			}
			if err != nil {
				return err
			}
			objects = append(objects, shown{lookup.WhyObject, v})
			continue
		}
		o, err := r.Resolve(c.Context, id)
		if err != nil {
			return lookup.ReportAmbiguous(a.std.err, err)
		}
		if o.Trace != "" {
			if err := demand(c.Context, repo, o.Trace); err != nil {
				return err
			}
		}
		v, err := views.view(o)
		if err != nil {
			return err
		}
		if t, is := v.(*traceView); is && (c.Bool("json") || c.Bool("cost")) { // steps do not have these options
			t.Costs, t.Waste = known.AnswerCosts(t.record), known.Waste(t.record)
		}
		objects = append(objects, shown{o.Kind, v})
	}
	if c.Bool("cost") {
		if objects, err = costsOnly(objects); err != nil {
			return err
		}
	}
	if c.Bool("json") {
		out := answers.Show{Schema: answers.ShowSchema, IDDigits: views.digits, Objects: []*answers.Object{}}
		for _, o := range objects {
			one := &answers.Object{Kind: string(o.kind)}
			o.fill(one)
			out.Objects = append(out.Objects, one)
		}
		return writeJSON(terminal.Quietly(a.std.out), out)
	}
	if c.Bool("markdown") {
		return a.showMarkdown(objects, views.short)
	}
	return drawEach(a, c, views, objects)
}

// drawEach draws objects for people, separated by empty lines.
func drawEach[T drawable](a *app, c *call, v *viewer, list []T) error {
	screen, err := a.screen(v.repo, c.String("color"))
	if err != nil {
		return err
	}
	d := newShowDrawer(screen, v)
	for i, one := range list {
		if i > 0 {
			d.line("")
		}
		one.draw(d)
		if _, err := io.Copy(screen.Out, strings.NewReader(d.take())); err != nil {
			return errors.Join(err, screen.Close())
		}
	}
	return screen.Close()
}

// showMarkdown writes objects as Markdown.
func (a *app) showMarkdown(objects []shown, short func(events.TraceID) string) error {
	m := whyMarkdown{short: short}
	for _, o := range objects {
		switch v := o.view.(type) {
		case *traceView:
			if v.record == nil {
				return noRecord(v.Trace)
			}
			m.record(&v.Conversation, v.record)
		case *stepView:
			m.step(v.Step)
		case *promptView:
			m.prompt(v, short)
		case callView:
			m.wholeCall(v.WholeCall)
		case *whyView:
			m.view(v)
		default:
			return exit.Usage("--markdown is for conversations, prompts, steps, calls and lines, not for a %s", o.kind)
		}
	}
	_, err := io.WriteString(terminal.Quietly(a.std.out), terminal.Calm(strings.TrimLeft(m.out.String(), "\n")))
	return err
}
