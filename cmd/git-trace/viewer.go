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
	lines   *view.Lineage
	prompts *view.Prompts
	objects *refs.Objects
	short   func(events.TraceID) string
}

func newViewer(ctx context.Context, repo *refs.Repo, known *conversations) (*viewer, error) {
	v := &viewer{ctx: ctx, repo: repo, known: known, reader: known.log, prompts: known.prompts, objects: repo.Objects()}
	var err error
	if v.lines, err = v.known.Lines(); err != nil {
		return nil, err
	}
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
		e, _, err := v.reader.Patch(o.patch)
		if err != nil {
			return nil, err
		}
		return v.patch(e)
	case commitObject:
		return v.commit(o.commit)
	case stepObject:
		return v.step(o.trace, o.step)
	case eventObject:
	}
	return eventView{o.event}, nil
}

// commit is the one row of the graph.
func (v *viewer) commit(id refs.OID) (drawable, error) {
	searcher := unseen.New(v.repo, v.reader)
	defer searcher.Close()
	g, err := graph.Build(v.ctx, v.repo, graph.Source{Log: v.reader, Searcher: searcher}, graph.Query{
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

// patch is what an event recorded of a hunk, with the text if it is still there.
func (v *viewer) patch(e events.Event) (*patchView, error) {
	d := events.DataOf[events.PatchData](e)
	held, err := v.lines.Anchors(e.Trace, func(o *events.AnchorOwner) bool { return o.Patch == d.Patch })
	if err != nil {
		return nil, err
	}
	return v.hunk(e, d, held), nil
}

// hunk makes the view of a patch; held are runs of lines among which are those that the patch owns.
func (v *viewer) hunk(e events.Event, d events.PatchData, held []view.Anchored) *patchView {
	p := &patchView{
		Patch: d.Patch, Owner: d.Owner, Trace: e.Trace, Agent: e.Agent, Session: e.Session, Subagent: e.Subagent,
		ToolCall: e.ToolCall,
		Tool:     d.Tool, Prompt: d.Prompt, Model: d.Model, Time: e.Time, Path: events.RawPath(d.Path),
		OldPath: events.RawPath(d.OldPath),
		Before:  d.Before, After: d.After, OldStart: d.OldStart, OldCount: d.OldCount, NewStart: d.NewStart,
		NewCount: d.NewCount,
		Mode:     d.Mode, Kept: d.Kept, Previous: d.Previous, Candidates: d.Candidates, Limits: e.Limits,
	}
	p.PathBase64 = graph.EncodeBytes(p.Path)
	var own []view.Anchored
	for _, a := range held {
		if a.Owner.Patch == d.Patch {
			own = append(own, a)
		}
	}
	p.Commits = view.SumCommits(own)
	p.Removed = v.text(d.Before, d.OldStart, d.OldCount)
	p.Added = v.text(d.After, d.NewStart, d.NewCount)
	return p
}

// text reads lines of a blob; nil when the blob is no longer there, or does not have these lines.
func (v *viewer) text(blob refs.OID, start, count int) []string {
	if count <= 0 {
		return []string{}
	}
	raw, err := v.objects.Blob(blob)
	if err != nil || start < 1 {
		return nil
	}
	lines := bytes.SplitAfter(raw, []byte("\n"))
	if start-1+count > len(lines) {
		return nil
	}
	out := make([]string, 0, count)
	for _, line := range lines[start-1 : start-1+count] {
		out = append(out, strings.TrimSuffix(string(line), "\n"))
	}
	return out
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
