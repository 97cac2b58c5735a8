package recorder

import (
	"bytes"
	"context"
	"errors"
	"os"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/collected"
	"github.com/git-trace/git-trace/records/foreign"
	"github.com/git-trace/git-trace/records/otel"
	"github.com/git-trace/git-trace/records/redact"
	"github.com/git-trace/git-trace/records/waiting"
)

// `collected` updates the record of a conversation without a session file from the telemetry that its client sent. It
// does nothing if there is no telemetry, or if the stored record was made from a session file, which has more data.
func (r *Recorder) collected(ctx context.Context, s waiting.Session) (out Outcome, done bool, err error) {
	path := collected.Path(r.Repo, s.Trace)
	info, err := os.Stat(path)
	if err != nil {
		return Outcome{}, false, nil // the client sent nothing
	}
	with := *r
	if r.Prompts != nil {
		with.Prompts = redactedPrompts{r.Prompts, ctx, r.Redactor}
	}
	w := &work{Recorder: &with, session: s, path: path, calls: newCallBook(), size: info.Size(), changed: info.ModTime()}
	defer w.close()
	if err := w.load(ctx); err != nil {
		return Outcome{}, true, err
	}
	switch {
	case w.prior != nil && !otel.Made(w.prior):
		return Outcome{}, false, nil
	case w.current():
		out, err = w.relink(ctx)
	default:
		out, err = w.read(ctx, telemetry{s})
	}
	if errors.Is(err, foreign.ErrNothing) { // not yet
		return Outcome{}, false, nil
	}
	return out, true, err
}

// redactedPrompts returns the redacted texts of prompts, for collected events.
type redactedPrompts struct {
	Prompts
	ctx      context.Context
	redactor *redact.Redactor
}

// List returns the texts by prompt number.
func (p redactedPrompts) List(trace events.TraceID) (map[int]string, error) {
	texts, err := p.Prompts.List(trace)
	for n, text := range texts {
		clean, _, failed := p.redactor.Text(p.ctx, text)
		texts[n], err = clean, errors.Join(err, failed)
	}
	return texts, err
}

// telemetry reads collected events like a session file.
type telemetry struct{ waiting.Session }

// Parse passes the steps of the conversation to the sink.
func (t telemetry) Parse(
	_ context.Context, path string, _ capability.ParseOptions, sink records.Sink,
) (*capability.Parsed, error) {
	lines, err := collected.Lines(path)
	if err != nil {
		return nil, err
	}
	head, err := otel.Conversation(bytes.NewReader(bytes.Join(lines, nil)), t.Agent, t.Session.Session)
	if err != nil {
		return nil, err
	}
	for i := range head.Steps {
		if err := sink.Step(&head.Steps[i]); err != nil {
			return nil, err
		}
	}
	head.Steps = nil
	head.Security.RedactionsApplied = collected.Redactions(lines)
	return &capability.Parsed{Head: head, FirstStep: 1, Lines: len(lines)}, nil
}
