package view

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"sync"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records/redact"
	"github.com/git-trace/git-trace/records/redact/configured"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/ledger"
)

// Prompts gives the texts of prompts: the typed text, redacted, until a record has the prompt, and then the record's
// text. A cache keeps texts of records, because a record can be large; later versions of a record do not change these
// texts.
type Prompts struct {
	repo    *refs.Repo
	typed   *ledger.Prompts
	Records *store.Store
	known   map[events.TraceID]knownPrompts
	// redactor follows the user's configuration. It is made for the first text that is not in a record.
	redactor func() (*redact.Redactor, error)
	// empty reports whether there are no records. It is called once, not for each conversation.
	empty func() bool
}

// knownPrompts holds the texts of a conversation's prompts, by number.
type knownPrompts struct {
	texts map[int]string
	read  bool // read from the record itself, which has all prompts
}

func newPrompts(ctx context.Context, repo *refs.Repo) *Prompts {
	p := &Prompts{
		repo: repo, typed: ledger.NewPrompts(repo), Records: store.Open(repo), known: map[events.TraceID]knownPrompts{},
		redactor: sync.OnceValues(func() (*redact.Redactor, error) {
			return configured.Redactor(ctx, repo)
		}),
	}
	p.Forget()
	return p
}

// Forget drops the memory of missing texts: call it when new records have arrived.
func (p *Prompts) Forget() {
	clear(p.known)
	p.empty = sync.OnceValue(func() bool {
		empty, err := p.Records.Empty(context.Background())
		return err == nil && empty
	})
}

func (p *Prompts) Close() { _ = p.Records.Close() }

// Get returns the text of a prompt. The bool is false if the text is not kept here.
func (p *Prompts) Get(trace events.TraceID, index int) (string, bool, error) {
	if text, found, err := p.typed.Get(trace, index); found || err != nil {
		if found {
			text, err = p.Redacted(text)
		}
		return text, found && err == nil, err
	}
	known, asked := p.known[trace]
	if !asked {
		known = p.cached(trace)
	}
	text, found := known.texts[index]
	if !found && !known.read {
		known = p.load(trace)
		text, found = known.texts[index]
	}
	p.known[trace] = known
	return text, found, nil
}

// Redacted redacts a text, so that it may be shown. Without a redactor it fails.
func (p *Prompts) Redacted(text string) (string, error) {
	redactor, err := p.redactor()
	if err != nil {
		return "", err
	}
	text, _, err = redactor.Text(context.Background(), text)
	return text, err
}

// NoPrompts has no texts, for commands that show none.
type NoPrompts struct{}

func (NoPrompts) Get(events.TraceID, int) (string, bool, error) { return "", false, nil }

func (p *Prompts) cachePath(trace events.TraceID) string {
	return filepath.Join(store.PromptCache(p.repo), filepath.Base(string(trace))+".json")
}

func (p *Prompts) cached(trace events.TraceID) knownPrompts {
	var known knownPrompts
	if raw, err := os.ReadFile(p.cachePath(trace)); err == nil {
		_ = json.Unmarshal(raw, &known.texts) // a damaged cache is an empty one
	}
	return known
}

// load reads the prompts of a record; none if the record cannot be read.
func (p *Prompts) load(trace events.TraceID) knownPrompts {
	known := knownPrompts{texts: map[int]string{}, read: true}
	if p.empty() {
		return known
	}
	record, _, err := p.Records.Get(context.Background(), trace)
	if err != nil {
		return known
	}
	for step, prompt := range PromptNumbers(record) {
		if content := record.Steps[step-1].Content; content != nil {
			known.texts[prompt] = *content
		}
	}
	if raw, err := json.Marshal(known.texts); err == nil {
		_ = refs.WriteFileAtomic(p.cachePath(trace), raw, 0o600) // without it the record is read again
	}
	return known
}
