package main

import (
	"context"
	"os"
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
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/view"
	"github.com/git-trace/git-trace/view/exchange"
	"github.com/git-trace/git-trace/view/facts"
)

// trainingFlags returns the options of states and pairs.
func trainingFlags() []optionUse {
	return options("history", "messages", "max-tokens", "system", "subagents", "active", "thinking", "per-call", "only",
		"min-chars", "reverted", "stats", "teachers")
}

// training reads the options. It returns nil for any other format, which takes none of these options.
func (a *app) training(c *call, format exchange.Format) (*exchange.Training, error) {
	if !exchange.IsTraining(format) {
		for _, f := range append(trainingFlags(), options("include-human")...) {
			if name := f.Names[0]; c.IsSet(name) {
				return nil, exit.Usage("option '--%s' needs --format %s or %s", name, tracestate.Name, tracestate.PairsName)
			}
		}
		return nil, nil
	}
	t := &exchange.Training{Err: a.std.err, Count: c.Bool("stats"), Human: c.Bool("include-human"),
		Options: tracestate.Options{
			History: tracestate.History(c.String("history")), Messages: tracestate.Dialect(c.String("messages")),
			MaxTokens: c.Int64("max-tokens"),
			Subagents: c.Bool("subagents"), Active: c.Bool("active"), Thinking: c.Bool("thinking"),
			Reverted: c.Bool("reverted"), PerCall: c.Bool("per-call"),
			Only: tracestate.Kind(c.String("only")), MinChars: c.Int("min-chars"),
		}}
	for _, name := range []string{"reverted", "teachers"} {
		if format.Name != tracestate.PairsName && c.IsSet(name) {
			return nil, exit.Usage("option '--%s' needs --format %s", name, tracestate.PairsName)
		}
	}
	t.Files = c.StringSlice("teachers")
	for _, name := range []string{"per-call", "only", "min-chars"} {
		if format.Name == tracestate.PairsName && c.IsSet(name) {
			return nil, exit.Usage("option '--%s' needs --format %s", name, tracestate.Name)
		}
	}
	switch name := c.String("system"); name {
	case "":
	case "recorded":
		t.Options.Recorded = true
	default:
		raw, err := os.ReadFile(name)
		if err != nil {
			return nil, exit.Fail(exit.Unchecked, exchange.FileFault(name, refs.PathCause(err)), "")
		}
		t.Options.System = strings.TrimSpace(string(raw))
	}
	if err := t.Options.Check(); err != nil {
		return nil, exit.Usage("%s", err)
	}
	return t, nil
}

// tell adds the log's facts to states and pairs: the fate of lines and, for pairs, people's changes. The caller must
// call end.
func (e *exporter) tell(t *exchange.Training) (end func(), err error) {
	if t == nil {
		return func() {}, nil
	}
	redactor, err := configured.Redactor(e.ctx, e.repo)
	if err != nil {
		return nil, exit.Fail(exit.Unchecked, err, "")
	}
	if err := t.Teach(func(text string) (string, error) {
		text, _, err := redactor.Text(e.ctx, text)
		return text, err
	}); err != nil {
		return nil, err
	}
	log, err := facts.OpenSteering(e.ctx, e.repo, e.known.Reader)
	if err != nil {
		return nil, err
	}
	t.Told = func(r *records.Record) (told tracestate.Told, err error) {
		if e.format.Name == tracestate.PairsName {
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
func (e *exporter) corrections(log *facts.Steering, redactor *redact.Redactor, trace events.TraceID) ([]tracestate.Edit,
	error) {
	found, err := e.known.Corrections(e.ctx, trace)
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
func (e *exporter) whole(log *facts.Steering, c *view.Correction) (bool, error) {
	if !c.Later {
		return true, nil
	}
	lines, err := blame.Lines(e.ctx, e.repo, c.Commit.String(), c.Path, e.known.Owners())
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
