package export

import (
	"context"
	"strings"

	"github.com/git-trace/git-trace/blame"
	"github.com/git-trace/git-trace/blame/trail"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/redact"
	"github.com/git-trace/git-trace/records/redact/configured"
	"github.com/git-trace/git-trace/records/steering"
	"github.com/git-trace/git-trace/records/tracestate"
	"github.com/git-trace/git-trace/view"
	"github.com/git-trace/git-trace/view/exchange"
	"github.com/git-trace/git-trace/view/facts"
)

// Tell adds the log's facts to states and pairs: the fate of lines and, for pairs, people's changes. The caller must
// call end.
func (e *Exporter) Tell(ctx context.Context, t *exchange.Training) (end func(), err error) {
	if t == nil {
		return func() {}, nil
	}
	e.ctx = ctx
	redactor, err := configured.Redactor(e.ctx, e.Repo)
	if err != nil {
		return nil, exit.Fail(exit.Unchecked, err, "")
	}
	if err := t.Teach(func(text string) (string, error) {
		text, _, err := redactor.Text(e.ctx, text)
		return text, err
	}); err != nil {
		return nil, err
	}
	log, err := facts.OpenSteering(e.ctx, e.Repo, e.Known.Reader)
	if err != nil {
		return nil, err
	}
	t.Told = func(r *records.Record) (told tracestate.Told, err error) {
		if e.Format.Name == tracestate.PairsName {
			if told.Edits, err = e.corrections(log, redactor, events.TraceID(r.TraceID)); err != nil {
				return told, err
			}
		}
		known, err := log.Known(r)
		if err != nil || known == nil {
			return told, err
		}
		told.Fates = fates(known.Patches)
		return told, nil
	}
	return log.Close, nil
}

// fates sums up the fate of each call's lines.
func fates(patches []steering.Patch) map[string]tracestate.Fate {
	out := map[string]tracestate.Fate{}
	for i := range patches {
		p := &patches[i]
		if p.Call == "" || p.Fate == nil || trail.State(p.Fate.State) == trail.Unsettled {
			continue
		}
		f := out[p.Call]
		f.Alive += p.Fate.Alive
		f.Human += p.Fate.People
		f.Reverted += p.Fate.Reverted
		f.NeverCommitted += p.Fate.Dropped
		if p.Thrown {
			f.Thrown += p.Fate.Dropped
		}
		f.Other += p.Fate.Lost + p.Fate.Changed - p.Fate.People
		f.Paths = append(f.Paths, p.Path)
		out[p.Call] = f
	}
	return out
}

// corrections returns the edits of people for pairs: the committed lines, redacted like everything that leaves.
func (e *Exporter) corrections(log *facts.Steering, redactor *redact.Redactor, trace events.TraceID) ([]tracestate.Edit,
	error) {
	found, err := e.Known.Corrections(e.ctx, trace)
	if err != nil {
		return nil, err
	}
	var out []tracestate.Edit
	for _, c := range found {
		if whole, err := e.whole(log, &c); err != nil {
			return nil, err
		} else if !whole {
			continue
		}
		blob, err := log.Objects.Blob(c.Blob)
		if err != nil {
			continue // missing, for example in a partial clone
		}
		edit, err := correctedEdit(e.ctx, redactor, &c, string(blob))
		if err != nil {
			return nil, err
		}
		if edit != nil {
			out = append(out, *edit)
		}
	}
	return out, nil
}

// whole completes a correction with blame if an earlier commit has some of its lines. It reports whether the call's
// lines and their replacements follow each other, and this person made all replacements.
func (e *Exporter) whole(log *facts.Steering, c *view.Correction) (bool, error) {
	if !c.Later {
		return true, nil
	}
	lines, err := blame.Lines(e.ctx, e.Repo, c.Commit.String(), c.Path, e.Known.Owners())
	if err != nil {
		return false, blame.Explain(err)
	}
	c.Start, c.Count, c.Human = 0, 0, 0
	for i := range lines {
		who := lines[i].Owner
		human := who.Kind == events.OwnerHuman && who.Previous == c.Patch
		switch {
		case !human && who.Previous == c.Patch:
			return false, nil
		case !human && who.Patch != c.Patch:
			continue
		case c.Count == 0:
			c.Start = i + 1
		case c.Start+c.Count != i+1:
			return false, nil
		}
		if c.Count++; human {
			c.Human++
		}
	}
	return c.Human > 0, nil
}

// correctedEdit reads the lines of a correction from the committed file; nil if the file has no such lines.
func correctedEdit(ctx context.Context, redactor *redact.Redactor, c *view.Correction, blob string) (*tracestate.Edit,
	error) {
	lines := strings.Split(strings.TrimSuffix(blob, "\n"), "\n")
	if c.Start < 1 || c.Start-1+c.Count > len(lines) {
		return nil, nil
	}
	text, _, err := redactor.Text(ctx, strings.Join(lines[c.Start-1:c.Start-1+c.Count], "\n"))
	if err != nil {
		return nil, err
	}
	path, _, err := redactor.Text(ctx, c.Path)
	if err != nil {
		return nil, err
	}
	return &tracestate.Edit{
		Call: c.Call, Later: c.Later, Wrote: c.Wrote, Lines: strings.Split(text, "\n"),
		Human: c.Human, Commit: c.Commit.String(), Path: path,
	}, nil
}
