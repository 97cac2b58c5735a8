package main

import (
	"errors"
	"slices"

	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/records/gitai"
	"github.com/git-trace/git-trace/records/treetrace"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/report/export"
	"github.com/git-trace/git-trace/view/exchange"
	"github.com/git-trace/git-trace/view/lookup"
)

func exportCommand() *command {
	return &command{
		Name: "export",
		Does: "write conversations, or who wrote the lines of commits, in a format of other programs",
		Form: "git trace export --format <format> [--notes] [--force] [--redact-auto] " +
			"[<conversation> | <revision range>]…\n" +
			"git trace export --format parquet|jsonl [--shard-size <size>] [--partition <columns>] [--anonymise] <directory>",
		About: "opentraces, ccpa, atif and treetrace give the stored records of conversations: all, the " +
			"named ones, or the ones that\n" +
			"wrote lines of the commits of a range. agent-trace and git-ai say who wrote the lines of commits: of a\n" +
			"range (HEAD if none is named), or of all commits with lines of a named conversation. One JSON object\n" +
			"a line on standard output; --notes puts git-ai's notes under " + gitai.NotesRef +
			" instead. tracestate gives, for\n" +
			"each answer of a conversation, what the model saw and what it did; dpo gives pairs of answers to the same\n" +
			"state: the one that was given, and the one that took its place.\n\n" +
			"parquet and jsonl write tables into a directory: conversations, prompts, steps, calls, patches, commits, lines\n" +
			"and lives, as docs/datasets.md describes them. Many repositories may write into one directory. The same command\n" +
			"again writes only changes, and continues an interrupted run. parquet needs git-trace-serve.\n\n" +
			"   git trace export --format parquet --partition repo,month ~/data\n" +
			"   git trace export --format jsonl --shard-size 64M --anonymise ~/data",
		Options: slices.Concat([]optionUse{
			opt("format", exchange.Names(exchange.Format.Given)),
			opt("force", "much of a conversation could not be read"),
		}, options("notes", "redact-auto", "words", "include-human"), trainingFlags(), tableFlags()),
		Examples: []example{
			{"git trace export --format opentraces 4f2a", "the record of one conversation"},
			{"git trace export --format git-ai --notes", "who wrote the lines, as notes that git-ai reads"},
		},
		Run:    (*app).export,
		Traits: anew,
		Shows:  []string{"--format agent-trace HEAD", "--format git-ai HEAD", "--format opentraces"},
		Tries:  []string{"--format git-ai --notes HEAD", "--format ccpa"},
	}
}

func (a *app) export(c *call, ops operands) error {
	format, err := exchange.FindWritten(c.String("format"), exchange.Format.Given)
	if err != nil {
		return err
	}
	if c.Bool("notes") && format.Name != gitai.Name {
		return exit.Usage("option '--notes' needs --format %s", gitai.Name)
	}
	if c.IsSet("words") && !format.Tree {
		return exit.Usage("option '--words' needs --format %s", treetrace.Name)
	}
	train, err := a.training(c, format)
	if err != nil {
		return err
	}
	if format.Tables {
		return a.exportTables(c, format.Name, ops.All())
	}
	for _, name := range tableOptions {
		if c.IsSet(name) {
			return exit.Usage("option '--%s' needs --format %s or %s", name, exchange.Parquet, exchange.JSONL)
		}
	}
	repo, known, err := a.recorded(c.Context)
	if err != nil {
		return err
	}
	defer known.Close()
	e := a.exporter(repo, known)
	e.Format, e.Force = train.Into(format), c.Bool("force")
	end, err := e.Tell(c.Context, train)
	if err != nil {
		return err
	}
	defer end()
	if err := e.Choose(c.Context, ops.All()); err != nil {
		return lookup.ReportAmbiguous(a.std.err, err)
	}
	switch {
	case format.Lines:
		return e.Commits(c.Bool("notes"))
	case format.Tree:
		return writeTree(c, e, treetrace.Encode)
	}
	return errors.Join(e.Conversations(), train.Done())
}

func (a *app) exporter(repo *refs.Repo, known *lookup.Conversations) *export.Exporter {
	return &export.Exporter{Repo: repo, Known: known, Err: a.std.err,
		Out: &terminal.StickyWriter{Writer: terminal.Quietly(a.std.out)}}
}

// writeTree writes the tree of the chosen conversations.
func writeTree(c *call, e *export.Exporter, form func(*treetrace.Document) ([]byte, error)) error {
	words, err := wordTable(c)
	if err != nil {
		return err
	}
	return export.Tree{Words: words, Redact: c.Bool("redact-auto"), Always: c.Bool("json")}.Write(e, form)
}
