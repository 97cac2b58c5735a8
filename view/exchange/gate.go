package exchange

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/redact"
	"github.com/git-trace/git-trace/records/redact/configured"
	"github.com/git-trace/git-trace/records/treetrace"
	"github.com/git-trace/git-trace/refs"
)

// gate searches every text of a document for private text before the document leaves. Records were redacted when they
// were stored. Only the gate applies rules that were added later, and only the gate sees texts that were joined.
type gate struct {
	ctx      context.Context // a gate lives for one command
	redactor *redact.Redactor
	Short    func(events.TraceID) string
}

// NewGate makes the gate of a repository. nil means the repository of the current directory, if it is one.
func NewGate(ctx context.Context, repo *refs.Repo) (*gate, error) {
	if repo == nil {
		var err error
		if repo, err = refs.Discover("."); errors.Is(err, refs.ErrNotRepository) {
			repo, err = nil, nil
		}
		if err != nil {
			return nil, err
		}
	}
	redactor, err := configured.Redactor(ctx, repo)
	if err != nil {
		return nil, exit.Fail(exit.Leak, err, "nothing is written while the rules of redaction cannot be read")
	}
	return &gate{ctx: ctx, redactor: redactor}, nil
}

// Text returns a text redacted.
func (g *gate) Text(text string) (string, error) {
	text, _, err := g.redactor.Text(g.ctx, text)
	return text, exit.Fail(exit.Leak, err, "")
}

// Redact removes secrets and names from the texts, and returns the number of places.
func (g *gate) Redact(d *treetrace.Document) (int, error) {
	found := 0
	err := d.Texts(func(text string) (string, error) {
		text, n, err := g.redactor.Text(g.ctx, text)
		found += n
		return text, err
	})
	return found, exit.Fail(exit.Leak, err, "")
}

// Pass refuses a document if the rules find secrets or names in its conversations, unless takeOut removes them. The
// error lists the steps concerned. A text that was cut or joined for the document may only look like a secret: pass
// removes it, and does not refuse the document for it.
func (g *gate) Pass(d *treetrace.Document, takeOut bool, stored func(events.TraceID) (*records.Record, error)) error {
	all, nodes, found := map[events.TraceID]bool{}, d.Nodes, 0
	for i := range d.Sessions {
		all[events.TraceID(d.Sessions[i].Trace)] = true
	}
	suspects := map[events.TraceID]bool{}
	for i := range nodes {
		n, err := g.Redact(&treetrace.Document{Nodes: nodes[i : i+1]})
		if err != nil {
			return err
		}
		if found += n; n > 0 {
			suspects[events.TraceID(d.TraceOf(nodes[i].Session))] = true
		}
	}
	d.Nodes = nil
	n, err := g.Redact(d)
	d.Nodes = nodes
	if found += n; err != nil || found == 0 || takeOut {
		return err
	}
	if len(suspects) == 0 {
		suspects = all
	}
	found = 0
	var where []string
	for _, trace := range slices.Sorted(maps.Keys(suspects)) {
		record, err := stored(trace)
		if err != nil {
			return err
		}
		n, steps, err := g.steps(record)
		if err != nil {
			return err
		}
		found, where = found+n, append(where, steps...)
	}
	if found == 0 {
		return nil
	}
	return exit.Fail(exit.Leak, fmt.Errorf("the rules of redaction keep %s of the conversations here: %s",
		numbers.Count(found, "piece"), numbers.SomeOf(where)),
		"--redact-auto removes it from the output, git trace purge from the stored data")
}

// steps searches a stored conversation as a whole. It returns the number of places, and the steps with private text:
// "4f2a:12 (host)".
func (g *gate) steps(record *records.Record) (found int, where []string, err error) {
	look := func(part *records.Record, name string) error {
		n, kinds, err := g.kinds(part)
		if found += n; n > 0 {
			where = append(where, name+" ("+strings.Join(kinds, ", ")+")")
		}
		return err
	}
	if record == nil {
		return 0, nil, exit.Fail(exit.Leak, errors.New("a conversation cannot be checked again: its record is gone"), "")
	}
	name := g.Short(events.TraceID(record.TraceID))
	for i := range record.Steps {
		step := record.Steps[i]
		step.StepIndex = 1
		part := &records.Record{SchemaVersion: record.SchemaVersion, TraceID: record.TraceID, SessionID: record.SessionID,
			Agent: records.Agent{Name: record.Agent.Name}, Steps: []records.Step{step}}
		if err := look(part, name+":"+strconv.Itoa(i+1)); err != nil {
			return 0, nil, err
		}
	}
	head := *record
	head.Steps = nil
	return found, where, look(&head, name)
}

// kinds returns the number and the kinds of private texts in a part of a record.
func (g *gate) kinds(part *records.Record) (n int, kinds []string, err error) {
	clean, err := g.redactor.Record(g.ctx, part)
	if err != nil {
		return 0, nil, exit.Fail(exit.Leak, err, "")
	}
	defer func() { _ = clean.Close() }()
	if n = clean.Head().Security.RedactionsApplied - part.Security.RedactionsApplied; n == 0 {
		return 0, nil, nil
	}
	before, err := records.Encode(part)
	if err != nil {
		return 0, nil, err
	}
	var after bytes.Buffer
	if err := clean.Write(&after); err != nil {
		return 0, nil, err
	}
	return n, redact.Added(before, after.Bytes()), nil
}
