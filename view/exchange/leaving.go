package exchange

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/opentraces"
	"github.com/git-trace/git-trace/records/redact"
	"github.com/git-trace/git-trace/records/redact/configured"
	"github.com/git-trace/git-trace/records/steering"
	"github.com/git-trace/git-trace/refs"
)

// leaving receives a conversation that leaves. A parser passes it the steps, then Finish closes it with the rest of the
// record.
type leaving interface {
	records.Sink
	// Finish adds the rest of the record, and returns the whole conversation in the form of records.Encode.
	Finish(head *records.Record) (written, error)
	Close() error
}

// `written` is a whole conversation.
type written interface {
	Write(w io.Writer) error
	Close() error
}

// asItIs passes a conversation on unredacted.
type asItIs struct{ *records.Spool }

func (s asItIs) Finish(head *records.Record) (written, error) { return &whole{s.Spool, head}, nil }

type whole struct {
	steps *records.Spool
	head  *records.Record
}

func (w *whole) Write(out io.Writer) error { return w.steps.WriteRecord(out, w.head) }
func (w *whole) Close() error              { return w.steps.Close() }

// redacted removes secrets and names from a conversation that leaves.
type redacted struct{ *redact.Sink }

func (s redacted) Finish(head *records.Record) (written, error) { return s.Sink.Finish(head) }

// BeginLeaving returns a function that begins one conversation. The conversation is redacted unless the user wants it
// unchanged. Several conversations may be open at once.
func BeginLeaving(asTheyAre bool) (func(context.Context) leaving, error) {
	if asTheyAre {
		return func(context.Context) leaving { return asItIs{records.NewSpool("")} }, nil
	}
	repo, err := refs.Discover(".")
	if errors.Is(err, refs.ErrNotRepository) {
		repo, err = nil, nil
	}
	var redactor *redact.Redactor
	if err == nil {
		redactor, err = configured.Redactor(context.Background(), repo)
	}
	if err != nil {
		return nil, exit.Fail(exit.Unchecked, err, "--no-redact writes conversations as they are, secrets and names included")
	}
	abreast := redactor.Abreast()
	return func(ctx context.Context) leaving { return redacted{abreast.Sink(ctx, "")} }, nil
}

// Outgoing writes conversations in a format.
type Outgoing struct {
	Format Format
	Out    io.Writer
	Begin  func(ctx context.Context) leaving
	Tree   shelf // collects the conversations for a format that joins them
}

// record writes a record.
func (o *Outgoing) record(ctx context.Context, r *records.Record) error {
	return o.conversation(ctx, func(sink records.Sink) (*records.Record, error) {
		for i := range r.Steps {
			if err := sink.Step(&r.Steps[i]); err != nil {
				return nil, err
			}
		}
		head := *r
		head.Steps = nil
		return &head, nil
	})
}

// conversation writes a conversation. source passes the steps to a sink, then returns the rest of the record. Nothing
// is written before the conversation is complete.
func (o *Outgoing) conversation(ctx context.Context, source func(records.Sink) (*records.Record, error)) error {
	sink := o.Begin(ctx)
	head, err := source(sink)
	if err != nil {
		return errors.Join(err, sink.Close())
	}
	done, err := sink.Finish(head)
	if err != nil {
		return errors.Join(err, sink.Close())
	}
	return errors.Join(o.send(done, opentraces.Later(head)), done.Close())
}

// send writes a conversation. If a later version made the record (later), it is decoded and written again.
func (o *Outgoing) send(done written, later bool) error {
	if o.Format.Name == opentraces.Name && !later { // works in little memory for a record of any length
		if err := done.Write(o.Out); err != nil {
			return err
		}
		_, err := o.Out.Write([]byte("\n"))
		return err
	}
	var raw bytes.Buffer
	if err := done.Write(&raw); err != nil {
		return err
	}
	r, err := records.Decode(raw.Bytes())
	if err != nil {
		return err
	}
	if o.Format.Tree {
		return o.Tree.put(steering.BeginOf(r), raw.Bytes())
	}
	return o.Format.Write(o.Out, r)
}

// Blocked is the error for a record that must not leave this clone.
func Blocked(trace events.TraceID) error {
	return exit.Fail(exit.Unchecked,
		fmt.Errorf("conversation %.8s is left out: much of its session file could not be read", trace),
		"look at it with git trace show; export --force includes it")
}
