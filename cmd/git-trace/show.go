package main

import (
	"errors"
	"io"

	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/report/answers"
	"github.com/git-trace/git-trace/report/show"
	"github.com/git-trace/git-trace/view/lookup"
)

func showCommand() *command {
	return &command{
		Name: "show",
		Does: "one conversation, prompt, tool call, patch, commit or event",
		Form: "git trace show [--json | --markdown] <id> | <commit> …\ngit trace show --cost [--json] <conversation>…\n" +
			"git trace show --web <id> | <commit>",
		About: "An id names a conversation (4f2a), one of its prompts (4f2a#3) or steps (4f2a:12), a tool call\n" +
			"(toolu_…), a patch, lines of a file (FILE:LINE, as for git trace why), a commit in any form that\n" +
			"git knows, or an event (b3:… or @17). Ids may be abbreviated to four characters or more. If an id\n" +
			"is ambiguous, the candidates are listed, and the exit status is 128; it is 1 when the id does not\n" +
			"exist. Texts are shown if the conversation has a record; a step is shown in full.\n\n" +
			"--cost shows needless content in the context of a conversation: long outputs, files read and\n" +
			"searches made again with the same result, commands that failed again and again. Tokens are\n" +
			"estimated.",
		Options: options("json", "markdown", "color", "cost", "web"),
		Examples: []example{
			{"git trace show 4f2a", "a conversation, step by step"},
			{"git trace show '4f2a#2'", "one prompt: its answer, its changes, and what is left of them"},
			{"git trace show --cost 4f2a", "the needless content of its context"},
			{"git trace show HEAD", "a commit, with who wrote its lines"},
		},
		Run:    (*app).show,
		Traits: common | bounded | anew,
		Shows:  []string{"HEAD", "--json HEAD"},
		Tries:  []string{"1234abcd", "@1"},
	}
}

func (a *app) show(c *call, ops operands) error {
	ids := ops.All()
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
	views, err := show.NewViewer(c.Context, repo, known)
	if err != nil {
		return err
	}
	defer views.Close()
	r := lookup.Resolver{Repo: repo, Known: known, Demand: demand}
	objects := []show.Object{}
	for _, id := range ids {
		if p, named, err := lookup.LinesOf(id); named && lookup.LooksLikePath(p.Name) {
			if err != nil {
				return err
			}
			v, err := views.Why("", p, nil)
			if err == nil {
				err = demand(c.Context, repo, v.Conversations()...)
			}
			if err != nil {
				return err
			}
			objects = append(objects, show.ObjectOf(lookup.WhyObject, v))
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
		v, err := views.View(o)
		if err != nil {
			return err
		}
		if t, is := v.(*show.TraceView); is && (c.Bool("json") || c.Bool("cost")) { // steps do not have these options
			t.Count()
		}
		objects = append(objects, show.ObjectOf(o.Kind, v))
	}
	if c.Bool("cost") {
		if objects, err = show.CostsOnly(objects); err != nil {
			return err
		}
	}
	if c.Bool("json") {
		out := answers.Show{Schema: answers.ShowSchema, IDDigits: views.Digits, Objects: []*answers.Object{}}
		for _, o := range objects {
			out.Objects = append(out.Objects, o.Answer())
		}
		return writeJSON(terminal.Quietly(a.std.out), out)
	}
	if c.Bool("markdown") {
		text, err := show.Markdown(objects, views.Short)
		if err != nil {
			return err
		}
		return a.printMarkdown(text)
	}
	return drawEach(a, c, views, objects)
}

// drawEach draws objects on the screen of the command.
func drawEach[T show.Drawable](a *app, c *call, v *show.Viewer, list []T) error {
	screen, err := a.screen(v.Repo, c.String("color"))
	if err != nil {
		return err
	}
	return errors.Join(show.Draw(screen, v, list), screen.Close())
}

// printMarkdown prints Markdown.
func (a *app) printMarkdown(text string) error {
	_, err := io.WriteString(terminal.Quietly(a.std.out), terminal.Calm(text))
	return err
}
