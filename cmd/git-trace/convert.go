package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/git-trace/git-trace/internal/companion"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/memory"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/internal/version"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/steering"
	"github.com/git-trace/git-trace/records/treetrace"
	"github.com/git-trace/git-trace/view/exchange"
)

func convertCommand() *command {
	return &command{
		Name: "convert",
		Does: "turn session files into records of another format",
		Form: "git trace convert [--from <format>] --format <format> [--no-redact] [--limit <number>]\n" +
			"   [--skip-bad-rows] <file>|<directory>…",
		About: "Reads session files of agents, or files of exchange formats, and writes one JSON object a line to\n" +
			"standard output; treetrace is one object for all files. It needs no repository. It removes\n" +
			"secrets and names from its output. Files may be compressed with gzip or zstd.\n" +
			"In a directory it converts each file of a known agent or format.",
		Options: slices.Concat([]optionUse{
			opt("from", "an agent or a format; without it, each file's content decides"),
			opt("format", exchange.Names(exchange.Format.Converted)),
		}, options("no-redact", "words", "limit", "skip-bad-rows"), trainingFlags()),
		Examples: []example{
			{"git trace convert --format opentraces session.jsonl", "a session file as a record, redacted"},
		},
		Run:    (*app).convert,
		Traits: atOnce,
		Tries:  []string{"--format opentraces nothing.json", "--format opentraces data.json"},
	}
}

func (a *app) convert(c *call, ops operands) error {
	names := ops.All()
	to, err := exchange.FindWritten(c.String("format"), exchange.Format.Converted)
	if err != nil {
		return exchange.NotThere(names, err)
	}
	if len(names) == 0 {
		return exit.Usage("no file was named")
	}
	if to.Tables {
		return exit.Fail(exit.Misuse, fmt.Errorf("%s writes tables of a repository", to.Name),
			"git trace export --format "+to.Name+" writes them")
	}
	if !to.Converted() {
		return &exit.Failure{
			Code: exit.Misuse, Err: fmt.Errorf("%s describes commits, and a session file has none", to.Name),
			Hint: "git trace export --format " + to.Name + " writes it for commits of a repository",
		}
	}
	env, err := companion.Env()
	if err != nil {
		return err
	}
	if c.IsSet("words") && !to.Tree {
		return exit.Usage("option '--words' needs --format %s", treetrace.Name)
	}
	train, err := a.training(c, to)
	if err != nil {
		return err
	}
	if err := teachConverted(c, train); err != nil {
		return err
	}
	out := &exchange.Outgoing{Format: train.Into(to), Out: terminal.Quietly(a.std.out)}
	memory.CollectBeyond(memory.ConvertRoom)
	rows, err := a.newRowRules(c)
	if err != nil {
		return err
	}
	converter := exchange.Converter{Err: a.std.err, Env: env, From: c.String("from"), Out: out, Rows: rows}
	if err := converter.Known(); err != nil {
		return err
	}
	if out.Begin, err = exchange.BeginLeaving(c.Bool("no-redact")); err != nil {
		return err
	}
	faults, err := converter.All(c.Context, names)
	if err != nil {
		return err
	}
	if err := rows.Done(); err != nil {
		faults = append(faults, err)
	}
	if len(out.Tree.Books) > 0 {
		if err := errors.Join(a.convertTree(c, out), out.Tree.Close()); err != nil {
			faults = append(faults, err)
		}
	}
	return errors.Join(train.Done(), terminal.Faults(a.std.err, faults))
}

// teachConverted reads the answers of teachers, and redacts them like conversations.
func teachConverted(c *call, t *exchange.Training) error {
	if t == nil || len(t.Files) == 0 {
		return nil
	}
	if c.Bool("no-redact") {
		return t.Teach(func(text string) (string, error) { return text, nil })
	}
	g, err := exchange.NewGate(c.Context, nil)
	if err != nil {
		return err
	}
	return t.Teach(g.Text)
}

// convertTree writes the conversations of all files as one tree. It redacts a text again if the text was joined from
// redacted ones.
func (a *app) convertTree(c *call, out *exchange.Outgoing) error {
	known, err := wordTable(c)
	if err != nil {
		return err
	}
	b, err := steering.New(steering.Options{Version: version.Number, Words: known})
	if err != nil {
		return err
	}
	if err := out.Tree.Each(func(r *records.Record) { b.Add(&steering.Conversation{Record: r}) }); err != nil {
		return err
	}
	d := b.Document()
	if !c.Bool("no-redact") {
		gate, err := exchange.NewGate(c.Context, nil)
		if err != nil {
			return err
		}
		if _, err := gate.Redact(d); err != nil {
			return err
		}
	}
	text, err := treetrace.Encode(d)
	if err != nil {
		return err
	}
	_, err = out.Out.Write(text)
	return err
}
