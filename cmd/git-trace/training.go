package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/redact"
	"github.com/git-trace/git-trace/records/tracestate"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/view"
)

// training writes states and pairs of conversations, as the options of a command say.
type training struct {
	app     *app
	options tracestate.Options
	count   bool // print what was skipped, too
	stats   tracestate.Stats
	// edits gives what people made of the edits of a conversation; nil where no log tells.
	edits func(r *records.Record) ([]tracestate.Edit, error)
	human bool // write them
	held  int  // edits that were not written for that
}

// trainingFlags are the options of states and pairs.
func trainingFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "history",
			Usage: "with tracestate: full histories, or only what came after the state before (`full|delta`)"},
		&cli.StringFlag{Name: "messages",
			Usage: "with tracestate and dpo: messages as these providers take them (`anthropic|openai`)"},
		&cli.Int64Flag{Name: "max-tokens",
			Usage: "with tracestate and dpo: leave the oldest messages of longer histories out; a token counts as four bytes " +
				"(`n`)"},
		&cli.StringFlag{Name: "system",
			Usage: "with tracestate and dpo: begin each history with the system prompt in this `file`"},
		&cli.BoolFlag{Name: "subagents", Usage: "with tracestate and dpo: answers of subagents, too"},
		&cli.BoolFlag{Name: "active", Usage: "with tracestate and dpo: no answers that the user took back"},
		&cli.BoolFlag{Name: "thinking", Usage: "with tracestate and dpo: histories with what the model thought"},
		&cli.BoolFlag{Name: "per-call", Usage: "with tracestate: a state for each call of an answer"},
		&cli.StringFlag{Name: "only", Usage: "with tracestate: only answers with calls, or without (`tool_use|text`)"},
		&cli.IntFlag{Name: "min-chars", Usage: "with tracestate: only actions of so many characters or more (`n`)"},
		&cli.BoolFlag{Name: "stats", Usage: "with tracestate and dpo: say on standard error what was skipped, as JSON"},
	}
}

// isTraining tells the formats that the options are for.
func isTraining(format exchange) bool {
	return format.name == tracestate.Name || format.name == tracestate.PairsName
}

// writeStates and writePairs write without an option.
func writeStates(w io.Writer, r *records.Record) error {
	t := training{}
	if err := t.options.Check(); err != nil {
		return err
	}
	return t.states(w, r)
}

func writePairs(w io.Writer, r *records.Record) error {
	t := training{}
	if err := t.options.Check(); err != nil {
		return err
	}
	return t.pairs(w, r)
}

// training reads the options; nil for another format, with which none of them goes.
func (a *app) training(c *cli.Context, format exchange) (*training, error) {
	if !isTraining(format) {
		for _, f := range append(trainingFlags(), includeHuman()) {
			if name := f.Names()[0]; c.IsSet(name) {
				return nil, usage("option '--%s' goes with %s and %s", name, tracestate.Name, tracestate.PairsName)
			}
		}
		return nil, nil
	}
	t := &training{app: a, count: c.Bool("stats"), human: c.Bool("include-human"), options: tracestate.Options{
		History: tracestate.History(c.String("history")), Messages: tracestate.Dialect(c.String("messages")),
		MaxTokens: c.Int64("max-tokens"),
		Subagents: c.Bool("subagents"), Active: c.Bool("active"), Thinking: c.Bool("thinking"),
		PerCall: c.Bool("per-call"), Only: tracestate.Kind(c.String("only")), MinChars: c.Int("min-chars"),
	}}
	for _, name := range []string{"per-call", "only", "min-chars"} {
		if format.name == tracestate.PairsName && c.IsSet(name) {
			return nil, usage("option '--%s' goes with %s", name, tracestate.Name)
		}
	}
	if name := c.String("system"); name != "" {
		raw, err := os.ReadFile(name)
		if err != nil {
			return nil, fail(exitUnchecked, fileFault(name, refs.PathCause(err)), "")
		}
		t.options.System = strings.TrimSpace(string(raw))
	}
	if err := t.options.Check(); err != nil {
		return nil, usage("%s", err)
	}
	return t, nil
}

// into makes a format write what the options say.
func (t *training) into(format exchange) exchange {
	if t == nil {
		return format
	}
	format.write = t.states
	if format.name == tracestate.PairsName {
		format.write = t.pairs
	}
	return format
}

func (t *training) states(w io.Writer, r *records.Record) error {
	return tooLong(tracestate.Write(w, r, t.options, &t.stats))
}

func (t *training) pairs(w io.Writer, r *records.Record) error {
	edits, err := t.correct(r)
	if err != nil {
		return err
	}
	return tooLong(tracestate.WritePairs(w, r, t.options, edits, &t.stats))
}

// correct gives the edits of people, if they are to be written.
func (t *training) correct(r *records.Record) ([]tracestate.Edit, error) {
	if t.edits == nil {
		return nil, nil
	}
	edits, err := t.edits(r)
	if err != nil || t.human {
		return edits, err
	}
	for _, e := range edits {
		t.held += e.Human
	}
	return nil, nil
}

func tooLong(err error) error {
	if errors.Is(err, tracestate.ErrTooLong) {
		return fail(exitUnchecked, err, "--history delta writes each message once; --max-tokens shortens histories")
	}
	return err
}

// done says what was not written.
func (t *training) done() error {
	if t == nil {
		return nil
	}
	if t.held > 0 {
		fmt.Fprintf(t.app.std.err,
			"git-trace: hint: %s that people wrote in the place of an agent's are left out; --include-human writes them\n",
			plural(t.held, "line"))
	}
	if !t.count {
		return nil
	}
	raw, err := marshal(t.stats)
	if err == nil {
		_, err = fmt.Fprintf(t.app.std.err, "%s\n", raw)
	}
	return err
}

// correct lets pairs tell what people made of edits, as the log knows it.
func (e *exporter) correct(t *training) error {
	if t == nil || e.format.name != tracestate.PairsName {
		return nil
	}
	redactor, err := newRedactor(e.ctx, e.repo)
	if err != nil {
		return fail(exitUnchecked, err, "")
	}
	t.edits = e.corrections(redactor)
	return nil
}

// corrections gives the edits of people to pairs: the committed lines, redacted like all that leaves.
func (e *exporter) corrections(redactor *redact.Redactor) func(r *records.Record) ([]tracestate.Edit, error) {
	return func(r *records.Record) ([]tracestate.Edit, error) {
		found, err := e.known.Corrections(e.ctx, events.TraceID(r.TraceID))
		if err != nil || len(found) == 0 {
			return nil, err
		}
		objects := e.repo.Objects()
		defer func() { _ = objects.Close() }()
		var out []tracestate.Edit
		for _, c := range found {
			blob, err := objects.Blob(c.Blob)
			if err != nil {
				continue // of a partial clone, or gone
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
}

// correctedEdit takes the lines of a correction out of the committed file; nil where they are not there.
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
		Call: c.Call, Wrote: c.Wrote, Lines: strings.Split(text, "\n"), Human: c.Human, Commit: c.Commit.String(), Path: path,
	}, nil
}

// includeHuman is the consent to give away what people wrote.
func includeHuman() cli.Flag {
	return &cli.BoolFlag{Name: "include-human",
		Usage: "with dpo: pairs from lines that people wrote in the place of an agent's, too"}
}
