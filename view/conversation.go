package view

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/search"
)

// Conversation holds the facts of a conversation from all sources.
type Conversation struct {
	Trace   events.TraceID `json:"trace"`
	Agent   string         `json:"agent"`
	Session string         `json:"session"`
	Writer  string         `json:"writer"` // the clone whose log has it; empty if there is only a record
	Sources []Source       `json:"sources"`
	Models  []string       `json:"models"` // models in the order of their first use
	First   time.Time      `json:"first,omitzero"`
	Last    time.Time      `json:"last,omitzero"`
	Prompts int            `json:"prompts"`
	Calls   int            `json:"calls"`
	Added   int            `json:"added"` // lines that hooks saw it add and remove
	Removed int            `json:"removed"`
	Files   int            `json:"files"`   // index.MostFiles means this number or more
	Commits []CommitLines  `json:"commits"` // commits with its lines; set by Reader.Complete
	Lines   int            `json:"lines"`   // number of lines in these commits, each counted once
	Lost    []CommitLines  `json:"lost"`    // the same for commits that no ref leads to
	Absent  []CommitLines  `json:"absent"`  // the same for commits that only another clone has
	Title   string         `json:"title"`   // title from the session file; empty without one
	Prompt  *Prompt        `json:"prompt"`  // the first whose text is kept; set by Reader.Complete
	Usage   *Usage         `json:"usage"`   // nil without a record
	// much of its session file could not be read: a person should look before it is shared
	Blocked bool `json:"blocked"`

	// Elsewhere holds the facts that other clones saw, from fetched logs. The figures above do not include them.
	Elsewhere []index.Elsewhere `json:"elsewhere"`

	held []index.Held
	own  bool // this clone's log has events of the conversation
}

// Source is a source of facts about a conversation.
type Source string

// The sources.
const (
	Hooks    Source = "hooks"
	Digest   Source = "digest" // the part that its clone published: prompts and commits, not calls
	Backfill Source = "backfill"
	Record   Source = "record"
	Lines    Source = "lines" // only the owners of commits' lines, from another program's file
)

// Seen reports whether hooks saw the conversation. Then its changes are known.
func (c *Conversation) Seen() bool { return slices.Contains(c.Sources, Hooks) }

// CallsKnown is false if the conversation comes only from a digest: then 0 calls means unknown.
func (c *Conversation) CallsKnown() bool { return len(c.Sources) != 1 || c.Sources[0] != Digest }

// Prompt is a prompt with its text.
type Prompt struct {
	Index int    `json:"index"`
	Text  string `json:"text"`
}

// Usage holds the tokens and the cost of a conversation, by its record. Tokens are in four buckets that do not
// overlap.
type Usage struct {
	Steps      int      `json:"steps"`
	Input      int64    `json:"input"`
	Output     int64    `json:"output"`
	CacheRead  int64    `json:"cache_read"`
	CacheWrite int64    `json:"cache_write"`
	CostUSD    *float64 `json:"cost_usd"`     // nil if a price is unknown and the client gives no cost
	CostBy     string   `json:"cost_by"`      // records.CostByPrices or CostByClient; empty without a cost
	PricesAsOf string   `json:"prices_as_of"` // the day of the prices, if known
	Redactions int      `json:"redactions"`

	Models []search.ModelUse `json:"-"`
}

// unite joins the facts of the log and of the record.
func (r *Reader) unite(t *index.Trace) (Conversation, error) {
	c := Conversation{
		Trace: t.ID, Agent: t.Agent, Session: t.Session, Writer: t.Writer, Sources: []Source{},
		Models: sharedModels(t.Models),
		First:  t.First, Last: t.Last, Prompts: t.Prompts, Calls: t.Calls, Added: t.Added, Removed: t.Removed,
		Files:   t.Files(),
		Commits: []CommitLines{}, Lost: []CommitLines{}, Absent: []CommitLines{}, held: t.Held, own: t.Own,
		Elsewhere: append([]index.Elsewhere{}, t.Elsewhere...),
	}
	switch {
	case t.Hooked > 0 && t.Published:
		c.Sources = append(c.Sources, Digest)
	case t.Hooked > 0:
		c.Sources = append(c.Sources, Hooks)
	case !t.First.IsZero():
		c.Sources = append(c.Sources, Backfill)
	}
	d, recorded := r.records[t.ID]
	if !recorded {
		if len(c.Sources) == 0 {
			c.Sources = append(c.Sources, Lines)
		}
		return c, nil
	}
	c.Sources = append(c.Sources, Record)
	c.name(&d)
	c.spread(d.Start)
	c.spread(d.End)
	c.Usage, c.Blocked, c.Title = usage(&d), d.Blocked, strings.ToValidUTF8(d.Name, "\ufffd")
	r.estimate(&d, c.Usage)
	var err error
	c.Prompts = max(t.Prompts, d.Prompts+max(t.Prompts-d.HeldPrompts, 0))
	if d.HeldPrompts == 0 { // the record's prompts cannot be matched with the log's
		c.Prompts = max(t.Prompts, d.Prompts)
	}
	c.Calls, err = r.calls(t, &d)
	return c, err
}

// calls counts the calls of the record, and the later calls of the log.
func (r *Reader) calls(t *index.Trace, d *search.Digest) (int, error) {
	if d.HeldPrompts == 0 || t.Prompts <= d.HeldPrompts {
		return max(t.Calls, d.Calls), nil
	}
	recorded, err := r.log.Told(t.ID)
	if err != nil {
		return 0, err
	}
	later := 0
	for _, e := range recorded {
		if e.Type == events.WindowOpened && events.DataOf[events.WindowData](e).Prompt > d.LastPrompt {
			later++
		}
	}
	return max(t.Calls, d.Calls+later), nil
}

// SharedModel returns a model's name in the form of records, so that the name stays the same when the record arrives.
// It does not change a name that records do not know.
func SharedModel(model string) string { return cmp.Or(assemble.Model(model), model) }

// sharedModels returns the shared names of models, each once.
func sharedModels(list []string) []string {
	out := []string{}
	for _, m := range list {
		if m = SharedModel(m); !slices.Contains(out, m) {
			out = append(out, m)
		}
	}
	return out
}

// ModelName returns a model without its provider.
func ModelName(model string) string { return model[strings.LastIndexByte(model, '/')+1:] }

// name takes the agent and its models from the record.
func (c *Conversation) name(d *search.Digest) {
	c.Agent, c.Session = cmp.Or(c.Agent, d.Agent), cmp.Or(c.Session, d.Session)
	for _, m := range d.Models {
		at := slices.IndexFunc(c.Models, func(have string) bool { return sameModel(have, m.Model) })
		switch {
		case m.Model == "":
		case at < 0:
			c.Models = append(c.Models, SharedModel(m.Model))
		case len(m.Model) > len(c.Models[at]): // with its provider, which git-trace does not know
			c.Models[at] = m.Model
		}
	}
}

// spread widens the time of the conversation to a time in the agent's form; it ignores a text that is not a time.
func (c *Conversation) spread(stamp string) {
	at, err := time.Parse(time.RFC3339Nano, stamp)
	if err != nil || at.Unix() <= 0 {
		return
	}
	if c.First.IsZero() || at.Before(c.First) {
		c.First = at.UTC()
	}
	if at.After(c.Last) {
		c.Last = at.UTC()
	}
}

// usage takes the sums of the record, or of its steps if the latter are larger.
func usage(d *search.Digest) *Usage {
	var steps search.ModelUse
	for _, m := range d.Models {
		steps.Input += m.Input
		steps.Output += m.Output
		steps.CacheRead += m.CacheRead
		steps.CacheWrite += m.CacheWrite
	}
	return &Usage{
		Steps: d.Steps, Input: max(d.Input, steps.Input), Output: max(d.Output, steps.Output),
		CacheRead: max(d.CacheRead, steps.CacheRead), CacheWrite: max(d.CacheWrite, steps.CacheWrite),
		CostUSD: d.Cost, CostBy: d.CostBy, PricesAsOf: d.PricesAsOf, Redactions: d.Redactions, Models: d.Models,
	}
}
