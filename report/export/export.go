package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/correlate/history"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/opentraces"
	"github.com/git-trace/git-trace/records/steering"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/view/exchange"
	"github.com/git-trace/git-trace/view/lookup"
)

// Exporter writes the chosen conversations or commits in a format.
type Exporter struct {
	Repo   *refs.Repo
	Known  *lookup.Conversations
	Format exchange.Format
	Out    *terminal.StickyWriter
	Err    io.Writer
	Force  bool // also write records that a person should check first
	Names  bool // write prompts with the names that commands accept

	Traces []events.TraceID // the named conversations
	ctx    context.Context  // an exporter lives for one command
	revs   []string         // the named revisions and ranges
	byTime bool             // sorted by their beginnings
}

// Choose sorts the words into conversations and revisions.
func (e *Exporter) Choose(ctx context.Context, words []string) error {
	e.ctx = ctx
	for _, word := range words {
		if strings.Contains(word, "..") || strings.HasPrefix(word, "^") {
			e.revs = append(e.revs, word)
			continue
		}
		trace, err := e.Known.FindTrace(word)
		if err == nil {
			e.Traces = append(e.Traces, trace)
			continue
		}
		if _, gitErr := e.Repo.Git(e.ctx, nil, "rev-parse", "--verify", "--quiet", "--end-of-options",
			word+"^{commit}"); gitErr != nil {
			var none *exit.Failure
			if errors.As(err, &none) && none.Code == exit.Finding {
				return exit.Fail(exit.Git, fmt.Errorf("'%s' is neither a conversation nor a commit", word), none.Hint)
			}
			return err
		}
		e.revs = append(e.revs, word)
	}
	if len(e.revs) > 0 && len(e.Traces) > 0 {
		return exit.Usage("name conversations or revisions, not both")
	}
	return nil
}

// Conversations writes stored records.
func (e *Exporter) Conversations() error {
	told := 0
	faults, err := e.each(func(record *records.Record) error {
		if e.Format.Name == opentraces.Name {
			if err := e.Known.Hooked(record); err != nil {
				return err
			}
		}
		if err := e.Format.Write(e.Out, record); err != nil {
			return err
		}
		told++
		return nil
	})
	if err != nil {
		return err
	}
	if told == 0 && len(faults) == 0 {
		fmt.Fprintln(e.Err, lookup.NoneStored)
	}
	return terminal.Faults(e.Err, faults)
}

// each yields the wanted stored records. A fault in one does not stop the others.
func (e *Exporter) each(yield func(*records.Record) error) (faults []error, err error) {
	s := e.Known.Prompts().Records
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
		case record.Blocked() && !e.Force:
			err = exchange.Blocked(entry.Trace)
		default:
			err = yield(record)
		}
		if e.Out.Err != nil {
			return nil, fmt.Errorf("write records: %w", err)
		}
		if err != nil {
			faults = append(faults, err)
		}
	}
	for _, trace := range e.Traces {
		if wanted[trace] {
			faults = append(faults, lookup.NoRecord(trace))
		}
	}
	return faults, nil
}

// inOrder sorts entries by the beginnings of their conversations.
func (e *Exporter) inOrder(list []store.Entry) ([]store.Entry, error) {
	starts, err := e.Known.Starts()
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
func (e *Exporter) wanted() (map[events.TraceID]bool, error) {
	if len(e.Traces)+len(e.revs) == 0 {
		return nil, nil
	}
	wanted := map[events.TraceID]bool{}
	for _, trace := range e.Traces {
		wanted[trace] = true
	}
	if len(e.revs) == 0 {
		return wanted, nil
	}
	list, err := e.history()
	if err != nil {
		return nil, err
	}
	err = e.Known.Commits(list, func(c *history.Commit, data *events.CommitData) error {
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

// `leave` notes a commit that could not be read completely.
func (e *Exporter) leave(c *history.Commit) {
	if len(c.Unread) > 0 {
		e.Repo.LeftOut.Note(c.ID)
	}
}
