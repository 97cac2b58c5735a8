package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/git-trace/git-trace/correlate/unseen"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/graph"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/view"
)

// viewer gathers what there is to show of an object.
type viewer struct {
	ctx     context.Context
	repo    *refs.Repo
	reader  *index.Index
	known   *conversations
	prompts *view.Prompts
	objects *refs.Objects
	short   func(events.TraceID) string
}

func newViewer(ctx context.Context, repo *refs.Repo, known *conversations) (*viewer, error) {
	v := &viewer{ctx: ctx, repo: repo, known: known, reader: known.log, prompts: known.prompts, objects: repo.Objects()}
	var err error
	v.short, err = known.short()
	return v, err
}

func (v *viewer) close() {
	_ = v.objects.Close()
}

func (v *viewer) view(o object) (drawable, error) {
	switch o.kind {
	case traceObject:
		return v.trace(o.trace)
	case promptObject:
		return v.prompt(o.trace, o.prompt)
	case toolCallObject:
		return v.toolCall(o.toolCall)
	case patchObject:
		return v.hunk(o.patch)
	case commitObject:
		return v.commit(o.commit)
	case stepObject:
		return v.step(o.trace, o.step)
	case eventObject:
	}
	return eventView{o.event}, nil
}

// commitView is a commit as the graph knows it.
type commitView struct{ commit graph.Commit }

// MarshalJSON gives the commit in the form of the graph.
func (c *commitView) MarshalJSON() ([]byte, error) { return marshal(c.commit.JSON()) }

// commit is the one row of the graph.
func (v *viewer) commit(id refs.OID) (drawable, error) {
	searcher := unseen.New(v.repo, v.reader)
	defer searcher.Close()
	g, err := graph.Build(v.ctx, v.repo, graph.Source{Log: v.known.Log(), Searcher: searcher}, graph.Query{
		Revs: []string{id.String()}, Options: []string{"--max-count=1"}, Dashed: true,
	})
	if err != nil {
		return nil, err
	}
	if len(g.Commits) == 0 {
		return nil, fmt.Errorf("commit %s: %w", id, refs.ErrMissing)
	}
	return &commitView{g.Commits[0]}, nil
}

// eventView is an envelope.
type eventView struct{ event events.Event }

// MarshalJSON gives the envelope as it is stored.
func (e eventView) MarshalJSON() ([]byte, error) { return e.event.Raw(), nil }

func (e eventView) draw(d *showDrawer) {
	var text bytes.Buffer
	if json.Indent(&text, e.event.Raw(), "", "  ") != nil {
		return // what was read is JSON
	}
	for line := range strings.Lines(text.String()) {
		d.line(d.safe(strings.TrimSuffix(line, "\n")))
	}
}
