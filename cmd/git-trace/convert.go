package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/agents/packed"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/internal/version"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/steering"
	"github.com/git-trace/git-trace/records/treetrace"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/view/transcripts"
)

func convertCommand() *command {
	return &command{
		name: "convert",
		does: "turn session files into records of another format",
		form: "git trace convert [--from <format>] --format <format> [--no-redact] [--limit <number>]\n" +
			"   [--skip-bad-rows] <file>|<directory>…",
		about: "Reads session files of agents, or files of exchange formats, and writes one JSON object a line to\n" +
			"standard output; treetrace is one object for all files. It needs no repository. It removes\n" +
			"secrets and names from its output. Files may be compressed with gzip or zstd.\n" +
			"In a directory it converts each file of a known agent or format.",
		options: slices.Concat([]optionUse{
			opt("from", "an agent or a format; without it, each file's content decides"),
			opt("format", formatNames(exchange.converted)),
		}, options("no-redact", "words", "limit", "skip-bad-rows"), trainingFlags()),
		examples: []example{
			{"git trace convert --format opentraces session.jsonl", "a session file as a record, redacted"},
		},
		run:    (*app).convert,
		traits: atOnce,
		tries:  []string{"--format opentraces nothing.json", "--format opentraces data.json"},
	}
}

func (a *app) convert(c *call, ops operands) error {
	names := ops.all()
	to, err := exchangeTo(c.String("format"), exchange.converted)
	if err != nil {
		return notThere(names, err)
	}
	if len(names) == 0 {
		return exit.Usage("no file was named")
	}
	if to.tables {
		return exit.Fail(exit.Misuse, fmt.Errorf("%s writes tables of a repository", to.name),
			"git trace export --format "+to.name+" writes them")
	}
	if !to.converted() {
		return &exit.Failure{
			Code: exit.Misuse, Err: fmt.Errorf("%s describes commits, and a session file has none", to.name),
			Hint: "git trace export --format " + to.name + " writes it for commits of a repository",
		}
	}
	env, err := systemEnv()
	if err != nil {
		return err
	}
	if c.IsSet("words") && !to.tree {
		return exit.Usage("option '--words' needs --format %s", treetrace.Name)
	}
	train, err := a.training(c, to)
	if err != nil {
		return err
	}
	if err := teachConverted(c, train); err != nil {
		return err
	}
	out := &outgoing{format: train.into(to), out: terminal.Quietly(a.std.out)}
	collectBeyond(convertRoom)
	rows, err := a.newRowRules(c)
	if err != nil {
		return err
	}
	converter := converter{app: a, env: env, from: c.String("from"), out: out, rows: rows}
	if err := converter.known(); err != nil {
		return err
	}
	if out.begin, err = beginLeaving(c.Bool("no-redact")); err != nil {
		return err
	}
	faults, err := converter.all(c.Context, names)
	if err != nil {
		return err
	}
	if err := rows.done(); err != nil {
		faults = append(faults, err)
	}
	if len(out.tree.books) > 0 {
		if err := errors.Join(a.convertTree(c, out), out.tree.close()); err != nil {
			faults = append(faults, err)
		}
	}
	return errors.Join(train.done(), a.allFaults(faults))
}

// teachConverted reads the answers of teachers, and redacts them like conversations.
func teachConverted(c *call, t *training) error {
	if t == nil || len(t.files) == 0 {
		return nil
	}
	if c.Bool("no-redact") {
		return t.teach(func(text string) (string, error) { return text, nil })
	}
	g, err := newGate(c.Context, nil)
	if err != nil {
		return err
	}
	return t.teach(g.text)
}

// convertTree writes the conversations of all files as one tree. It redacts a text again if the text was joined from
// redacted ones.
func (a *app) convertTree(c *call, out *outgoing) error {
	known, err := wordTable(c)
	if err != nil {
		return err
	}
	b, err := steering.New(steering.Options{Version: version.Number, Words: known})
	if err != nil {
		return err
	}
	if err := out.tree.each(func(r *records.Record) { b.Add(&steering.Conversation{Record: r}) }); err != nil {
		return err
	}
	d := b.Document()
	if !c.Bool("no-redact") {
		gate, err := newGate(c.Context, nil)
		if err != nil {
			return err
		}
		if _, err := gate.redact(d); err != nil {
			return err
		}
	}
	text, err := treetrace.Encode(d)
	if err != nil {
		return err
	}
	_, err = out.out.Write(text)
	return err
}

// converter converts files.
type converter struct {
	app  *app
	env  agents.Env
	from string // an agent or a format; "": recognise each file
	out  *outgoing
	rows *rowRules
}

// known checks the name in from.
func (v *converter) known() error {
	if v.from == "" {
		return nil
	}
	named, found := agents.Lookup(v.env, v.from)
	if found && named.Parser != nil {
		return nil
	}
	var names []string
	for _, e := range exchanges() {
		switch {
		case e.name == v.from && e.read == nil:
			return noConversation(e)
		case e.name == v.from:
			return nil
		}
		if e.read != nil {
			names = append(names, e.name)
		}
	}
	for _, agent := range agents.All(v.env) {
		if agent.Parser != nil {
			names = append(names, agent.Name)
		}
	}
	if found {
		return exit.Usage("session files of %s cannot be read", named.Name)
	}
	return exit.Usage("cannot convert from '%s'; known formats are %s", v.from, strings.Join(names, ", "))
}

// noConversation returns the error for a format that has owners of lines, and no conversations.
func noConversation(format exchange) error {
	if !format.taken() {
		return exit.Usage("%s can be written, but not read", format.name)
	}
	return &exit.Failure{
		Code: exit.Misuse, Err: fmt.Errorf("%s describes commits and has no conversation to convert", format.name),
		Hint: "git trace import --from " + format.name + " imports the owners of the lines",
	}
}

// all converts every named file, and every file of a known format in a named directory.
func (v *converter) all(ctx context.Context, names []string) (faults []error, err error) {
	files, over, err := inDirectories(v.env, names)
	if err != nil {
		return nil, err
	}
	for _, n := range files {
		if v.rows.full() {
			return faults, nil
		}
		if n.dir != "" && v.from != "" && !v.recognised(n.file, v.from) {
			over.note(n.dir, true)
			continue
		}
		err := v.file(ctx, n.file)
		none := errors.Is(err, errUnknownFile) || errors.Is(err, errNoConversation)
		if n.dir != "" {
			over.note(n.dir, none)
		}
		if err != nil && (n.dir == "" || !none) {
			faults = append(faults, fileFault(n.file, err))
		}
	}
	return append(faults, over.tell(v.app, "file of any known agent or format")...), nil
}

// recognised reports whether the content of a file has the form of an agent or a format.
func (v *converter) recognised(name, as string) bool {
	if format, found, err := identifyExchange(name); err != nil || found {
		return err == nil && format.name == as
	}
	agent, found, err := packed.Identify(v.env, name)
	return err == nil && found && agent.Name == as
}

// errNoConversation reports a session file without a conversation.
var errNoConversation = errors.New("holds no conversation")

// errUnknownFile reports a file that no agent and no format recognises.
var errUnknownFile = errors.New("not a file of any known agent or format")

func (v *converter) file(ctx context.Context, name string) error {
	if v.from != "" {
		if agent, found := agents.Lookup(v.env, v.from); found && agent.Parser != nil {
			return v.session(ctx, packed.Agent(agent, v.env.Unzstd), name)
		}
		format, err := exchangeOf("from", v.from, exchange.taken)
		if err != nil {
			return err
		}
		return v.exchanged(ctx, format, name)
	}
	format, found, err := identifyExchange(name)
	if err != nil {
		return err
	}
	if found && format.read == nil {
		return noConversation(format)
	}
	if found {
		return v.exchanged(ctx, format, name)
	}
	agent, found, err := packed.Identify(v.env, name)
	switch {
	case err != nil:
		return err
	case !found:
		return exit.Fail(exit.Unchecked, errUnknownFile, "give its format with --from")
	}
	return v.session(ctx, agent, name)
}

// session converts a session file of an agent, or the sessions of a database, one after the other. If one session of a
// database cannot be read, it converts the others.
func (v *converter) session(ctx context.Context, agent agents.Agent, name string) error {
	if _, err := os.Stat(name); err != nil {
		return refs.PathCause(err)
	}
	empty, converted := errors.New(""), 0
	var faults []error
	for _, t := range transcripts.In(agent, name) {
		err := v.out.conversation(ctx, func(sink records.Sink) (*records.Record, error) {
			counting := &countingSink{Sink: sink}
			parsed, err := agent.Parser.Parse(ctx, name, agents.ParseOptions{Session: t.ID}, counting)
			if err != nil {
				return nil, err
			}
			if parsed.Lost > 0 {
				place := ""
				if at := parsed.LostAt; at.Line > 0 {
					place = fmt.Sprintf("line %d, byte %d: ", at.Line, at.Offset)
				}
				fmt.Fprintf(v.app.std.err, "git-trace: warning: %s\n", cells.Message(
					fmt.Sprintf("%s: %s%s could not be read, whole or in part", name, place, numbers.Count(parsed.Lost, "line"))))
			}
			if what := agent.Untested(parsed.Head); what != "" {
				fmt.Fprintf(v.app.std.err, "git-trace: warning: %s\n", cells.Message(name+": "+what))
			}
			if counting.steps == 0 {
				return nil, empty
			}
			return parsed.Head, nil
		})
		switch {
		case errors.Is(err, empty):
			continue
		case errors.Is(err, errNoLines):
			err = v.withoutLines(name)
		}
		if err != nil {
			faults = append(faults, err)
			continue
		}
		if converted++; v.rows.take(nil) != nil {
			break
		}
	}
	if converted+len(faults) == 0 {
		return fmt.Errorf("%w of %s", errNoConversation, agent.Title)
	}
	return errors.Join(faults...)
}

// countingSink counts the steps that pass through it.
type countingSink struct {
	records.Sink
	steps int
}

func (s *countingSink) Step(step *records.Step) error {
	s.steps = max(s.steps, step.StepIndex)
	return s.Sink.Step(step)
}

// exchanged converts a file of an exchange format. It writes nothing unless the whole file can be read: it holds the
// output until then. It counts states while it writes them, so it reads the file once before.
func (v *converter) exchanged(ctx context.Context, format exchange, name string) error {
	if isTraining(v.out.format) {
		return v.rows.eachRecord(format, name, v.records(ctx, name))
	}
	file, err := openForeign(name)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	held, to, books := &heldOutput{}, v.out.out, len(v.out.tree.books)
	defer held.close()
	v.out.out = held
	err = v.eachAbreast(ctx, format, file, name)
	if v.out.out = to; err != nil {
		v.out.tree.books = v.out.tree.books[:books]
		return refs.PathCause(err)
	}
	return held.give(to)
}

// eachAbreast converts the records of a file in parallel, one a processor. The records of a tree are collected first.
func (v *converter) eachAbreast(ctx context.Context, format exchange, file *foreignFile, name string) error {
	if v.out.format.tree {
		return v.rows.readRecords(format, file, name, v.records(ctx, name))
	}
	work := goAbreast(ctx, *v.out, func(one *became) error {
		if err := v.told(name, one.number, one.record, one.err); err != nil {
			return err
		}
		return one.text.give(v.out.out)
	})
	err := v.rows.readRecords(format, file, name, work.record)
	if failed := work.end(); failed != nil {
		return failed
	}
	return err
}

func (v *converter) records(ctx context.Context, name string) func(int, *records.Record) error {
	return func(line int, r *records.Record) error { return v.told(name, line, r, v.out.record(ctx, r)) }
}

// told reports a record's faults, whether the record was converted or not.
func (v *converter) told(name string, line int, r *records.Record, err error) error {
	if err == nil && len(r.Steps) == 0 && !v.out.format.lines {
		fmt.Fprintf(v.app.std.err, "git-trace: warning: %s\n",
			cells.Message(fmt.Sprintf("%s:%d: it holds no texts: the conversation is written without a step", name, line)))
	}
	if errors.Is(err, errNoLines) {
		return v.withoutLines(fmt.Sprintf("%s:%d", name, line))
	}
	return err
}

// withoutLines prints a note that a file had nothing to write, which is not an error.
func (v *converter) withoutLines(name string) error {
	fmt.Fprintf(v.app.std.err, "git-trace: hint: %s\n", cells.Message(name+": "+errNoLines.Error()))
	return nil
}

// identifyHead is the number of bytes that are read to identify a file.
const identifyHead = 64 << 10

// identifyExchange reports whether the beginning of a file shows an exchange format.
func identifyExchange(name string) (exchange, bool, error) {
	file, err := openForeign(name)
	if err != nil {
		return exchange{}, false, err
	}
	defer func() { _ = file.Close() }()
	head, err := io.ReadAll(io.LimitReader(file, identifyHead))
	if err != nil {
		return exchange{}, false, refs.PathCause(err)
	}
	format, found := recogniseExchange(head)
	return format, found, nil
}
