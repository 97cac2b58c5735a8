package main

import (
	"context"
	"errors"
	"os"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/agents/packed"
	"github.com/git-trace/git-trace/internal/companion"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/view/exchange"
	"github.com/git-trace/git-trace/view/lookup"
)

// recordReader reads the records that words name. A word names an existing file, or else a conversation.
type recordReader struct {
	app   *app
	ctx   context.Context
	repo  *refs.Repo            // nil until a word names a conversation
	known *lookup.Conversations // nil until a word names a conversation
	fatal error                 // the reason why no conversation can be read
}

// read passes the records that a word names to take, with their file; "" for a stored record.
func (n *recordReader) read(word string, take func(r *records.Record, file string) error) error {
	if info, err := os.Stat(word); err == nil && !info.IsDir() {
		if err := n.file(word, take); err != nil {
			return exchange.FileFault(word, err)
		}
		return nil
	}
	r, err := n.stored(word)
	if err != nil {
		return err
	}
	return take(r, "")
}

func (n *recordReader) open() error {
	if n.known != nil || n.fatal != nil {
		return n.fatal
	}
	if n.repo, n.fatal = n.app.repo(); n.fatal == nil {
		n.known, n.fatal = n.app.openConversations(n.ctx, n.repo)
	}
	return n.fatal
}

func (n *recordReader) close() {
	if n.known != nil {
		n.known.Close()
	}
}

func (n *recordReader) stored(word string) (*records.Record, error) {
	if err := n.open(); err != nil {
		return nil, err
	}
	trace, err := n.known.FindTrace(word)
	if err != nil {
		return nil, err
	}
	r, _, err := n.known.Prompts().Records.Get(n.ctx, trace)
	if errors.Is(err, store.ErrNotFound) {
		err = lookup.NoRecord(trace)
	}
	return r, err
}

// file calls take for each record of a file. A file in an exchange format may hold several, and a session file holds
// one.
func (n *recordReader) file(name string, take func(r *records.Record, file string) error) error {
	format, found, err := exchange.Identify(name)
	if err != nil {
		return err
	}
	if found && format.Read == nil {
		return exchange.NoConversation(format)
	}
	if found {
		return (&exchange.Rules{Err: n.app.std.err}).EachRecord(format, name, func(_ int,
			r *records.Record) error {
			return take(r, name)
		})
	}
	env, err := companion.Env()
	if err != nil {
		return err
	}
	agent, found, err := packed.Identify(env, name)
	if err != nil {
		return err
	}
	if !found || agent.Parser == nil {
		return exchange.ErrUnknownFile
	}
	var steps records.Collector
	parsed, err := agent.Parser.Parse(n.ctx, name, agents.ParseOptions{}, &steps)
	if err != nil {
		return err
	}
	if len(steps.Steps) == 0 {
		return errors.New("holds no conversation")
	}
	parsed.Head.Steps = steps.Steps
	if _, err := records.Encode(parsed.Head); err != nil { // Encode sets the defaults
		return err
	}
	return take(parsed.Head, name)
}
