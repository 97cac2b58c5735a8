package main

import (
	"context"
	"errors"

	"github.com/git-trace/git-trace/records/redact"
	"github.com/git-trace/git-trace/records/treetrace"
	"github.com/git-trace/git-trace/refs"
)

// gate looks once more at every text of a document before it leaves. Records are redacted when they are stored; a rule that was
// added later, and texts that were put together of several, are only seen here.
type gate struct {
	ctx      context.Context //nolint:containedctx // a gate lives as long as the command
	redactor *redact.Redactor
}

// newGate makes the gate of the repository at a directory; "" is where the command runs, and needs none.
func newGate(ctx context.Context, dir string) (*gate, error) {
	if dir == "" {
		dir = "."
	}
	repo, err := refs.Discover(dir)
	if errors.Is(err, refs.ErrNotRepository) {
		repo, err = nil, nil
	}
	if err != nil {
		return nil, err
	}
	redactor, err := newRedactor(ctx, repo)
	if err != nil {
		return nil, fail(exitLeak, err, "nothing is written while the rules of redaction cannot be read")
	}
	return &gate{ctx, redactor}, nil
}

// redact takes out of the texts what must not leave, and tells how many places that were.
func (g *gate) redact(d *treetrace.Document) (int, error) {
	found := 0
	err := d.Texts(func(text string) (string, error) {
		text, n, err := g.redactor.Text(g.ctx, text)
		found += n
		return text, err
	})
	if err != nil {
		return found, fail(exitLeak, err, "")
	}
	return found, nil
}
