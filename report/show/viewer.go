package show

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/git-trace/git-trace/blame/trail"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/graph"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/view"
	"github.com/git-trace/git-trace/view/lookup"
)

// Viewer collects the facts that show draws about an object.
type Viewer struct {
	ctx     context.Context
	Repo    *refs.Repo
	known   *lookup.Conversations
	objects *refs.Objects
	Short   func(events.TraceID) string
	Digits  int            // the number of digits of the ids that Short returns
	trails  *trail.Tracker // nil until follow opens it
}

func NewViewer(ctx context.Context, repo *refs.Repo, known *lookup.Conversations) (*Viewer, error) {
	v := &Viewer{ctx: ctx, Repo: repo, known: known, objects: repo.Objects()}
	var err error
	v.Digits, err = known.Digits()
	v.Short = lookup.Abbreviator(v.Digits)
	return v, err
}

func (v *Viewer) Close() {
	if v.trails != nil {
		_ = v.trails.Close()
	}
	_ = v.objects.Close()
}

// follow returns the tracker of patches, which it opens once.
func (v *Viewer) follow() (_ *trail.Tracker, err error) {
	if v.trails == nil {
		v.trails, err = v.known.Tracker()
	}
	return v.trails, err
}

func (v *Viewer) View(o lookup.Object) (Drawable, error) {
	switch o.Kind {
	case lookup.TraceObject:
		return v.trace(o.Trace)
	case lookup.PromptObject:
		view, err := v.prompt(o.Trace, o.Prompt)
		var none *noPromptError
		switch {
		case errors.As(err, &none) && o.Step > 0:
			return nil, lookup.NoSteps(o.Trace, o.Step)
		case none != nil:
			return nil, exit.Fail(exit.Finding, err, "it has "+numbers.Count(none.of, "prompt"))
		case err != nil:
			return nil, err
		}
		return view, nil
	case lookup.ToolCallObject:
		return v.toolCall(o.ToolCall)
	case lookup.PatchObject:
		return v.hunk(o.Patch)
	case lookup.CommitObject:
		return v.commit(o.Commit)
	case lookup.StepObject:
		return v.step(o.Trace, o.Step)
	case lookup.EventObject:
	}
	return eventView{o.Event}, nil
}

// commitView is a commit in the graph's form, with the commits that it replaced, and those that replaced it.
type commitView struct {
	commit   graph.Commit
	rewrites []view.Retold
	reviews  []view.Review
	asked    map[string]string // the prompts that led to its lines; keys are from Contributor.Key
}

func (v *Viewer) commit(id refs.OID) (Drawable, error) {
	c, err := v.GraphCommit(id)
	if err != nil {
		return nil, err
	}
	rewrites, err := v.known.Log().RewritingsOf(id)
	if err != nil {
		return nil, err
	}
	reviews, err := v.known.Reviews(v.ctx, []refs.OID{id})
	out := &commitView{*c, rewrites, reviews[id], map[string]string{}}
	for i := range c.Contributors {
		who := &c.Contributors[i]
		if who.Trace == "" || who.Prompt == 0 {
			continue
		}
		if text, known, err := v.known.Prompts().Get(who.Trace, who.Prompt); err == nil && known {
			out.asked[who.Key()] = text
		}
	}
	return out, err
}

// GraphCommit returns the graph's row for one commit.
func (v *Viewer) GraphCommit(id refs.OID) (*graph.Commit, error) {
	g, err := graph.Build(v.ctx, v.Repo, graph.Source{Log: v.known.Log(), Searcher: v.known.Searcher()}, graph.Query{
		Revs: []string{id.String()}, Options: []string{"--max-count=1"}, Dashed: true,
	})
	if err != nil {
		return nil, err
	}
	if len(g.Commits) == 0 {
		return nil, fmt.Errorf("commit %s: %w", id, refs.ErrMissing)
	}
	return &g.Commits[0], nil
}

// eventView is an event.
type eventView struct{ event events.Event }

func (e eventView) draw(d *showDrawer) {
	var text bytes.Buffer
	if json.Indent(&text, e.event.Raw(), "", "  ") != nil {
		return // cannot fail: an event is JSON
	}
	for line := range strings.Lines(text.String()) {
		d.line(d.safe(strings.TrimSuffix(line, "\n")))
	}
}
