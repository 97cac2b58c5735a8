package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-trace/git-trace/records/redact"
	"github.com/git-trace/git-trace/records/redact/configured"
	"github.com/git-trace/git-trace/records/treetrace"
	"github.com/git-trace/git-trace/refs"
)

// gate looks once more at every text of a document before it leaves. Records are redacted when they are stored; a rule
// that was added later, and texts that were put together of several, are only seen here.
type gate struct {
	ctx      context.Context // a gate lives as long as the command
	redactor *redact.Redactor
}

// newGate makes the gate of a repository; nil stands for the repository around the current directory, if there is
// one.
func newGate(ctx context.Context, repo *refs.Repo) (*gate, error) {
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
		return nil, fail(exitLeak, err, "nothing is written while the rules of redaction cannot be read")
	}
	return &gate{ctx, redactor}, nil
}

// text returns a text as it may leave.
func (g *gate) text(text string) (string, error) {
	text, _, err := g.redactor.Text(g.ctx, text)
	return text, fail(exitLeak, err, "")
}

// redact takes secrets and names out of the texts, and returns the number of places.
func (g *gate) redact(d *treetrace.Document) (int, error) {
	found := 0
	err := d.Texts(func(text string) (string, error) {
		text, n, err := g.redactor.Text(g.ctx, text)
		found += n
		return text, err
	})
	return found, fail(exitLeak, err, "")
}

// pass refuses a document with secrets or names, unless they are taken out. It tells which prompts have them.
func (g *gate) pass(d *treetrace.Document, takeOut bool) error {
	nodes, found := d.Nodes, 0
	var where []string
	for i := range nodes {
		n, err := g.redact(&treetrace.Document{Nodes: nodes[i : i+1]})
		if err != nil {
			return err
		}
		if name := d.Names[nodes[i].ID]; n > 0 && name != "" {
			where = append(where, name)
		}
		found += n
	}
	d.Nodes = nil
	n, err := g.redact(d)
	d.Nodes = nodes
	if found += n; err != nil || found == 0 || takeOut {
		return err
	}
	places := ""
	if len(where) > 0 {
		places = ": " + someOf(where)
	}
	return fail(exitLeak, fmt.Errorf("by the present rules of redaction %s of the conversations must not leave%s",
		plural(found, "piece"), places),
		"--redact-auto removes it from the output, git trace purge from the stored data")
}
