package exchange

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/agents/packed"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/view/transcripts"
)

// Converter converts files.
type Converter struct {
	Err  io.Writer // for hints and warnings
	Env  agents.Env
	From string // an agent or a format; "": recognise each file
	Out  *Outgoing
	Rows *Rules
}

// Known checks the name in from.
func (v *Converter) Known() error {
	if v.From == "" {
		return nil
	}
	named, found := agents.Lookup(v.Env, v.From)
	if found && named.Parser != nil {
		return nil
	}
	var names []string
	for _, e := range Formats() {
		switch {
		case e.Name == v.From && e.Read == nil:
			return NoConversation(e)
		case e.Name == v.From:
			return nil
		}
		if e.Read != nil {
			names = append(names, e.Name)
		}
	}
	for _, agent := range agents.All(v.Env) {
		if agent.Parser != nil {
			names = append(names, agent.Name)
		}
	}
	if found {
		return exit.Usage("session files of %s cannot be read", named.Name)
	}
	return exit.Usage("cannot convert from '%s'; known formats are %s", v.From, strings.Join(names, ", "))
}

// NoConversation returns the error for a format that has owners of lines, and no conversations.
func NoConversation(format Format) error {
	if !format.Taken() {
		return exit.Usage("%s can be written, but not read", format.Name)
	}
	return &exit.Failure{
		Code: exit.Misuse, Err: fmt.Errorf("%s describes commits and has no conversation to convert", format.Name),
		Hint: "git trace import --from " + format.Name + " imports the owners of the lines",
	}
}

// All converts every named file, and every file of a known format in a named directory.
func (v *Converter) All(ctx context.Context, names []string) (faults []error, err error) {
	files, over, err := InDirectories(v.Env, names)
	if err != nil {
		return nil, err
	}
	for _, n := range files {
		if v.Rows.full() {
			return faults, nil
		}
		if n.Dir != "" && v.From != "" && !v.recognised(n.File, v.From) {
			over.Note(n.Dir, true)
			continue
		}
		err := v.file(ctx, n.File)
		none := errors.Is(err, ErrUnknownFile) || errors.Is(err, errNoConversation)
		if n.Dir != "" {
			over.Note(n.Dir, none)
		}
		if err != nil && (n.Dir == "" || !none) {
			faults = append(faults, FileFault(n.File, err))
		}
	}
	return append(faults, over.Tell(v.Err, "file of any known agent or format")...), nil
}

// recognised reports whether the content of a file has the form of an agent or a format.
func (v *Converter) recognised(name, as string) bool {
	if format, found, err := Identify(name); err != nil || found {
		return err == nil && format.Name == as
	}
	agent, found, err := packed.Identify(v.Env, name)
	return err == nil && found && agent.Name == as
}

// errNoConversation reports a session file without a conversation.
var errNoConversation = errors.New("holds no conversation")

// ErrUnknownFile reports a file that no agent and no format recognises.
var ErrUnknownFile = errors.New("not a file of any known agent or format")

func (v *Converter) file(ctx context.Context, name string) error {
	if v.From != "" {
		if agent, found := agents.Lookup(v.Env, v.From); found && agent.Parser != nil {
			return v.session(ctx, packed.Agent(agent, v.Env.Unzstd), name)
		}
		format, err := Find("from", v.From, Format.Taken)
		if err != nil {
			return err
		}
		return v.exchanged(ctx, format, name)
	}
	format, found, err := Identify(name)
	if err != nil {
		return err
	}
	if found && format.Read == nil {
		return NoConversation(format)
	}
	if found {
		return v.exchanged(ctx, format, name)
	}
	agent, found, err := packed.Identify(v.Env, name)
	switch {
	case err != nil:
		return err
	case !found:
		return exit.Fail(exit.Unchecked, ErrUnknownFile, "give its format with --from")
	}
	return v.session(ctx, agent, name)
}

// session converts a session file of an agent, or the sessions of a database, one after the other. If one session of a
// database cannot be read, it converts the others.
func (v *Converter) session(ctx context.Context, agent agents.Agent, name string) error {
	if _, err := os.Stat(name); err != nil {
		return refs.PathCause(err)
	}
	empty, converted := errors.New(""), 0
	var faults []error
	for _, t := range transcripts.In(agent, name) {
		err := v.Out.conversation(ctx, func(sink records.Sink) (*records.Record, error) {
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
				fmt.Fprintf(v.Err, "git-trace: warning: %s\n", cells.Message(
					fmt.Sprintf("%s: %s%s could not be read, whole or in part", name, place, numbers.Count(parsed.Lost, "line"))))
			}
			if what := agent.Untested(parsed.Head); what != "" {
				fmt.Fprintf(v.Err, "git-trace: warning: %s\n", cells.Message(name+": "+what))
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
		if converted++; v.Rows.take(nil) != nil {
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
// output until then. It counts states while it writes them, so it first reads the whole file once.
func (v *Converter) exchanged(ctx context.Context, format Format, name string) error {
	if IsTraining(v.Out.Format) {
		return v.Rows.EachRecord(format, name, v.records(ctx, name))
	}
	file, err := Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	held, to, books := &heldOutput{}, v.Out.Out, len(v.Out.Tree.Books)
	defer held.close()
	v.Out.Out = held
	err = v.eachAbreast(ctx, format, file, name)
	if v.Out.Out = to; err != nil {
		v.Out.Tree.Books = v.Out.Tree.Books[:books]
		return refs.PathCause(err)
	}
	return held.give(to)
}

// eachAbreast converts the records of a file in parallel, one a processor. The records of a tree are collected first.
func (v *Converter) eachAbreast(ctx context.Context, format Format, file *foreignFile, name string) error {
	if v.Out.Format.Tree {
		return v.Rows.readRecords(format, file, name, v.records(ctx, name))
	}
	work := goAbreast(ctx, *v.Out, func(one *became) error {
		if err := v.told(name, one.number, one.record, one.err); err != nil {
			return err
		}
		return one.text.give(v.Out.Out)
	})
	err := v.Rows.readRecords(format, file, name, work.record)
	if failed := work.end(); failed != nil {
		return failed
	}
	return err
}

func (v *Converter) records(ctx context.Context, name string) func(int, *records.Record) error {
	return func(line int, r *records.Record) error { return v.told(name, line, r, v.Out.record(ctx, r)) }
}

// Told reports a record's faults, whether the record was converted or not.
func (v *Converter) told(name string, line int, r *records.Record, err error) error {
	if err == nil && len(r.Steps) == 0 && !v.Out.Format.Lines {
		fmt.Fprintf(v.Err, "git-trace: warning: %s\n",
			cells.Message(fmt.Sprintf("%s:%d: it holds no texts: the conversation is written without a step", name, line)))
	}
	if errors.Is(err, errNoLines) {
		return v.withoutLines(fmt.Sprintf("%s:%d", name, line))
	}
	return err
}

// withoutLines prints a note that a file had nothing to write, which is not an error.
func (v *Converter) withoutLines(name string) error {
	fmt.Fprintf(v.Err, "git-trace: hint: %s\n", cells.Message(name+": "+errNoLines.Error()))
	return nil
}

// identifyHead is the number of bytes that are read to identify a file.
const identifyHead = 64 << 10

// Identify reports whether the beginning of a file shows an exchange format.
func Identify(name string) (Format, bool, error) {
	file, err := Open(name)
	if err != nil {
		return Format{}, false, err
	}
	defer func() { _ = file.Close() }()
	head, err := io.ReadAll(io.LimitReader(file, identifyHead))
	if err != nil {
		return Format{}, false, refs.PathCause(err)
	}
	format, found := Recognise(head)
	return format, found, nil
}
