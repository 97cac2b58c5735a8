package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/correlate/history"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/gitai"
	"github.com/git-trace/git-trace/records/opentraces"
	"github.com/git-trace/git-trace/records/steering"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/records/treetrace"
	"github.com/git-trace/git-trace/refs"
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
			"wrote lines of the commits of a range. agent-trace and git-ai give, for each commit of a range (HEAD if\n" +
			"none is named) or each commit that holds lines of a named conversation, who wrote its lines. One JSON object\n" +
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
	e := &exporter{
		app: a, ctx: c.Context, repo: repo, known: known, format: train.Into(format),
		out:   &terminal.StickyWriter{Writer: terminal.Quietly(a.std.out)},
		force: c.Bool("force"),
	}
	end, err := e.tell(train)
	if err != nil {
		return err
	}
	defer end()
	if err := e.choose(ops.All()); err != nil {
		return lookup.ReportAmbiguous(a.std.err, err)
	}
	switch {
	case format.Lines:
		return e.commits(c.Bool("notes"))
	case format.Tree:
		return e.writeTree(c, treetrace.Encode)
	}
	return errors.Join(e.conversations(), train.Done())
}

// exporter writes the chosen conversations or commits in a format.
type exporter struct {
	app    *app
	ctx    context.Context
	repo   *refs.Repo
	known  *lookup.Conversations
	format exchange.Format
	out    *terminal.StickyWriter

	traces []events.TraceID // the named conversations
	revs   []string         // the named revisions and ranges
	force  bool             // also write records that a person should check first
	byTime bool             // sorted by their beginnings
	names  bool             // write prompts with the names that commands accept
}

// choose sorts the words into conversations and revisions.
func (e *exporter) choose(words []string) error {
	for _, word := range words {
		if strings.Contains(word, "..") || strings.HasPrefix(word, "^") {
			e.revs = append(e.revs, word)
			continue
		}
		trace, err := e.known.FindTrace(word)
		if err == nil {
			e.traces = append(e.traces, trace)
			continue
		}
		if _, gitErr := e.repo.Git(e.ctx, nil, "rev-parse", "--verify", "--quiet", "--end-of-options",
			word+"^{commit}"); gitErr != nil {
			var none *exit.Failure
			if errors.As(err, &none) && none.Code == exit.Finding {
				return exit.Fail(exit.Git, fmt.Errorf("'%s' is neither a conversation nor a commit", word), none.Hint)
			}
			return err
		}
		e.revs = append(e.revs, word)
	}
	if len(e.revs) > 0 && len(e.traces) > 0 {
		return exit.Usage("name conversations or revisions, not both")
	}
	return nil
}

// noneStored is the hint if no record is stored.
const noneStored = "git-trace: hint: no conversation has a stored record (git trace record stores those that wait)"

// conversations writes stored records.
func (e *exporter) conversations() error {
	told := 0
	faults, err := e.each(func(record *records.Record) error {
		if e.format.Name == opentraces.Name {
			if err := e.known.Hooked(record); err != nil {
				return err
			}
		}
		if err := e.format.Write(e.out, record); err != nil {
			return err
		}
		told++
		return nil
	})
	if err != nil {
		return err
	}
	if told == 0 && len(faults) == 0 {
		fmt.Fprintln(e.app.std.err, noneStored)
	}
	return e.app.allFaults(faults)
}

// each yields the wanted stored records. A fault in one does not stop the others.
func (e *exporter) each(yield func(*records.Record) error) (faults []error, err error) {
	s := e.known.Prompts().Records
	wanted, err := e.wanted()
	if err != nil {
		return nil, err
	}
	list, err := s.List(e.ctx)
	if err != nil {
		return nil, exit.Fail(exit.Unchecked, err, "")
	}
	if list = slices.DeleteFunc(list, func(one store.Entry) bool {
		return wanted != nil && !wanted[one.Trace]
	}); e.byTime {
		if list, err = e.inOrder(list); err != nil {
			return nil, err
		}
	}
	for _, entry := range list {
		delete(wanted, entry.Trace)
		record, err := s.Read(entry)
		switch {
		case err != nil:
		case record.Blocked() && !e.force:
			err = blockedRecord(entry.Trace)
		default:
			err = yield(record)
		}
		if e.out.Err != nil {
			return nil, fmt.Errorf("write records: %w", err)
		}
		if err != nil {
			faults = append(faults, err)
		}
	}
	for _, trace := range e.traces {
		if wanted[trace] {
			faults = append(faults, lookup.NoRecord(trace))
		}
	}
	return faults, nil
}

// inOrder sorts entries by the beginnings of their conversations.
func (e *exporter) inOrder(list []store.Entry) ([]store.Entry, error) {
	starts, err := e.known.Starts()
	if err != nil {
		return nil, err
	}
	begin := func(one store.Entry) steering.Begin {
		return steering.Begin{Start: starts[one.Trace], Trace: string(one.Trace)}
	}
	slices.SortStableFunc(list, func(a, b store.Entry) int { return begin(a).Compare(begin(b)) })
	return list, nil
}

// wanted returns the named conversations and those that wrote lines of the named commits; nil for all conversations.
func (e *exporter) wanted() (map[events.TraceID]bool, error) {
	if len(e.traces)+len(e.revs) == 0 {
		return nil, nil
	}
	wanted := map[events.TraceID]bool{}
	for _, trace := range e.traces {
		wanted[trace] = true
	}
	if len(e.revs) == 0 {
		return wanted, nil
	}
	list, err := e.history()
	if err != nil {
		return nil, err
	}
	err = e.known.Commits(list, func(c *history.Commit, data *events.CommitData) error {
		e.leave(c)
		for i := range data.Owners {
			if data.Owners[i].Trace != "" {
				wanted[data.Owners[i].Trace] = true
			}
		}
		return nil
	})
	return wanted, err
}

// leave notes a commit that could not be read completely.
func (e *exporter) leave(c *history.Commit) {
	if len(c.Unread) > 0 {
		e.repo.LeftOut.Note(c.ID)
	}
}
