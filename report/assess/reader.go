package assess

import (
	"context"
	"errors"
	"io"
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

// Reader reads the records that words name. A word names an existing file, or else a conversation.
type Reader struct {
	Ctx  context.Context // a reader lives for one command
	Err  io.Writer
	Open func() (*refs.Repo, *lookup.Conversations, error) // called once, if a word names a conversation

	Repo  *refs.Repo            // nil until a word names a conversation
	Known *lookup.Conversations // nil until a word names a conversation
	fatal error                 // the reason why no conversation can be read
}

// read passes the records that a word names to take, with their file; "" for a stored record.
func (n *Reader) read(word string, take func(r *records.Record, file string) error) error {
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

func (n *Reader) open() error {
	if n.Known != nil || n.fatal != nil {
		return n.fatal
	}
	n.Repo, n.Known, n.fatal = n.Open()
	return n.fatal
}

// Close closes what was opened.
func (n *Reader) Close() {
	if n.Known != nil {
		n.Known.Close()
	}
}

func (n *Reader) stored(word string) (*records.Record, error) {
	if err := n.open(); err != nil {
		return nil, err
	}
	trace, err := n.Known.FindTrace(word)
	if err != nil {
		return nil, err
	}
	r, _, err := n.Known.Prompts().Records.Get(n.Ctx, trace)
	if errors.Is(err, store.ErrNotFound) {
		err = lookup.NoRecord(trace)
	}
	return r, err
}

// file calls take for each record of a file. A file in an exchange format may hold several, and a session file holds
// one.
func (n *Reader) file(name string, take func(r *records.Record, file string) error) error {
	format, found, err := exchange.Identify(name)
	if err != nil {
		return err
	}
	if found && format.Read == nil {
		return exchange.NoConversation(format)
	}
	if found {
		return (&exchange.Rules{Err: n.Err}).EachRecord(format, name, func(_ int,
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
	parsed, err := agent.Parser.Parse(n.Ctx, name, agents.ParseOptions{}, &steps)
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
