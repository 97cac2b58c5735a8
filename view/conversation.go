package view

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/records/search"
	"github.com/git-trace/git-trace/refs"
)

// Conversation is what is known of a conversation, from all sources.
type Conversation struct {
	Trace   events.TraceID `json:"trace"`
	Agent   string         `json:"agent"`
	Session string         `json:"session"`
	Writer  string         `json:"writer"` // the clone whose log has it; empty where only a record is here
	Sources []Source       `json:"sources"`
	Models  []string       `json:"models"` // in the order of their first use
	First   time.Time      `json:"first,omitzero"`
	Last    time.Time      `json:"last,omitzero"`
	Prompts int            `json:"prompts"`
	Calls   int            `json:"calls"`
	Added   int            `json:"added"` // lines that it wrote, and took away, as far as hooks saw it
	Removed int            `json:"removed"`
	Files   int            `json:"files"`   // index.MostFiles stands for as many or more
	Commits []CommitLines  `json:"commits"` // that hold lines of it; set by Reader.Complete
	Lost    []CommitLines  `json:"lost"`    // the same of commits that no ref leads to
	Prompt  *Prompt        `json:"prompt"`  // the first whose text is kept; set by Reader.Complete
	Usage   *Usage         `json:"usage"`   // nil without a record
	Blocked bool           `json:"blocked"` // much of its session file could not be read: not to be given away before somebody has looked

	held []index.Held
}

// Source is where something of a conversation is known from.
type Source string

// The sources.
const (
	Hooks    Source = "hooks"
	Backfill Source = "backfill"
	Record   Source = "record"
)

// Seen tells whether hooks saw the conversation, so that it is known what it wrote.
func (c *Conversation) Seen() bool { return slices.Contains(c.Sources, Hooks) }

// Prompt is a prompt with its text.
type Prompt struct {
	Index int    `json:"index"`
	Text  string `json:"text"`
}

// Usage is what a conversation used, by its record. Tokens are in four buckets that do not overlap.
type Usage struct {
	Steps      int      `json:"steps"`
	Input      int64    `json:"input"`
	Output     int64    `json:"output"`
	CacheRead  int64    `json:"cache_read"`
	CacheWrite int64    `json:"cache_write"`
	CostUSD    *float64 `json:"cost_usd"` // nil when a price is not known
	Redactions int      `json:"redactions"`

	Models []search.ModelUse `json:"-"`
}

// Reader unites what is known of conversations.
type Reader struct {
	repo    *refs.Repo
	log     *index.Index
	sums    func() ([]search.Digest, error)
	records map[events.TraceID]search.Digest // nil until they are asked for
	prompts *Prompts
	lines   *Lineage                // nil until it is asked for
	typed   map[events.TraceID]bool // conversations with prompts that no record holds yet
}

// NewReader reads the log and, when a conversation is asked for, the sums of the records. The prompts give texts; nil gives none.
func NewReader(repo *refs.Repo, log *index.Index, sums func() ([]search.Digest, error), prompts *Prompts) *Reader {
	return &Reader{repo: repo, log: log, sums: sums, prompts: prompts}
}

// readSums reads the sums of the records, once.
func (r *Reader) readSums() error {
	if r.records != nil {
		return nil
	}
	digests, err := r.sums()
	if err != nil {
		return err
	}
	r.records = map[events.TraceID]search.Digest{}
	for _, d := range digests {
		if d.Unreadable == "" {
			r.records[d.Trace] = d
		}
	}
	return nil
}

// Lines finds the commits that hold lines of conversations.
func (r *Reader) Lines() (*Lineage, error) {
	if r.lines == nil {
		lines, err := NewLineage(r.log)
		if err != nil {
			return nil, err
		}
		r.lines = lines
	}
	return r.lines, nil
}

// Conversations lists all, the one that went on last first. Those of unknown time come at the end, in the order of their ids.
func (r *Reader) Conversations() ([]Conversation, error) {
	if err := r.readSums(); err != nil {
		return nil, err
	}
	logged, err := r.log.Traces()
	if err != nil {
		return nil, err
	}
	out := make([]Conversation, 0, len(logged)+len(r.records))
	known := make(map[events.TraceID]bool, len(logged))
	for i := range logged {
		c, err := r.unite(&logged[i])
		if err != nil {
			return nil, err
		}
		known[c.Trace] = true
		out = append(out, c)
	}
	for id := range r.records {
		if !known[id] {
			c, err := r.unite(&index.Trace{ID: id})
			if err != nil {
				return nil, err
			}
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b Conversation) int {
		return cmp.Or(b.Last.Compare(a.Last), cmp.Compare(a.Trace, b.Trace))
	})
	return out, nil
}

// Conversation is the one with an id; found is false where there is none.
func (r *Reader) Conversation(id events.TraceID) (c Conversation, found bool, err error) {
	if err := r.readSums(); err != nil {
		return c, false, err
	}
	sum, logged, err := r.log.Trace(id)
	if err != nil {
		return c, false, err
	}
	if _, recorded := r.records[id]; !logged && !recorded {
		return c, false, nil
	}
	sum.ID = id
	c, err = r.unite(&sum)
	return c, err == nil, err
}

// unite puts together what the log and the record say.
func (r *Reader) unite(t *index.Trace) (Conversation, error) {
	c := Conversation{
		Trace: t.ID, Agent: t.Agent, Session: t.Session, Writer: t.Writer, Sources: []Source{}, Models: append([]string{}, t.Models...),
		First: t.First, Last: t.Last, Prompts: t.Prompts, Calls: t.Calls, Added: t.Added, Removed: t.Removed, Files: t.Files(),
		Commits: []CommitLines{}, Lost: []CommitLines{}, held: t.Held,
	}
	switch {
	case t.Hooked > 0:
		c.Sources = append(c.Sources, Hooks)
	case !t.First.IsZero():
		c.Sources = append(c.Sources, Backfill)
	}
	d, recorded := r.records[t.ID]
	if !recorded {
		return c, nil
	}
	c.Sources = append(c.Sources, Record)
	c.Agent, c.Session = cmp.Or(c.Agent, d.Agent), cmp.Or(c.Session, d.Session)
	c.addModels(&d)
	c.spread(d.Start)
	c.spread(d.End)
	c.Usage, c.Blocked = usage(&d), d.Blocked
	var err error
	c.Prompts = max(t.Prompts, d.Prompts+max(t.Prompts-d.HeldPrompts, 0))
	if d.HeldPrompts == 0 { // it is not known which of the record's prompts are the log's
		c.Prompts = max(t.Prompts, d.Prompts)
	}
	c.Calls, err = r.calls(t, &d)
	return c, err
}

// calls counts the calls of the record, and those of the log that came after it.
func (r *Reader) calls(t *index.Trace, d *search.Digest) (int, error) {
	if d.HeldPrompts == 0 || t.Prompts <= d.HeldPrompts {
		return max(t.Calls, d.Calls), nil
	}
	recorded, err := r.log.ByTrace(t.ID)
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

// ModelName is a model without its provider, which hooks do not tell.
func ModelName(model string) string { return model[strings.LastIndexByte(model, '/')+1:] }

// addModels adds the models of the record. The log and the record may name one with or without its provider.
func (c *Conversation) addModels(d *search.Digest) {
	for _, m := range d.Models {
		at := slices.IndexFunc(c.Models, func(have string) bool { return ModelName(have) == ModelName(m.Model) })
		switch {
		case m.Model == "":
		case at < 0:
			c.Models = append(c.Models, m.Model)
		case len(m.Model) > len(c.Models[at]):
			c.Models[at] = m.Model
		}
	}
}

// spread widens the time of the conversation to a time as agents write it; what is no time says nothing.
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

// usage takes the sums of the record, or of its steps where these come to more.
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
		CostUSD: d.Cost, Redactions: d.Redactions, Models: d.Models,
	}
}

// Complete finds the commits that hold lines of the conversations, and their first prompts.
func (r *Reader) Complete(ctx context.Context, list []Conversation) error {
	lines, err := r.Lines()
	if err != nil {
		return err
	}
	all := make([][]CommitLines, len(list))
	asked := map[refs.OID]bool{}
	for i := range list {
		if all[i], err = lines.Holding(list[i].held); err != nil {
			return err
		}
		for _, c := range all[i] {
			asked[c.Commit] = true
		}
	}
	lost, err := r.unreachable(ctx, asked)
	if err != nil {
		return err
	}
	for i := range list {
		for _, c := range all[i] {
			if lost[c.Commit] {
				list[i].Lost = append(list[i].Lost, c)
			} else {
				list[i].Commits = append(list[i].Commits, c)
			}
		}
		if list[i].Prompt, err = r.firstPrompt(&list[i]); err != nil {
			return err
		}
	}
	return nil
}

// unreachable tells which of the commits no ref leads to, nor HEAD. Commits that are gone are among them.
func (r *Reader) unreachable(ctx context.Context, commits map[refs.OID]bool) (map[refs.OID]bool, error) {
	out := map[refs.OID]bool{}
	if len(commits) == 0 {
		return out, nil
	}
	ids := make([]string, 0, len(commits))
	for id := range commits {
		ids = append(ids, id.String())
	}
	slices.Sort(ids)
	input := strings.Join(ids, "\n") + "\n"
	there, err := r.repo.Git(ctx, strings.NewReader(input), "cat-file", "--batch-check=%(objectname)")
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for line := range strings.FieldsSeq(string(there)) {
		known[line] = true
	}
	for id := range commits {
		out[id] = !known[id.String()]
	}
	left, err := r.repo.Git(ctx, strings.NewReader(input), "rev-list", "--ignore-missing", "--stdin", "--not", "--exclude=refs/traces/*", "--all")
	if err != nil {
		return nil, err
	}
	for line := range strings.FieldsSeq(string(left)) {
		if id, err := refs.ParseOID(line); err == nil && commits[id] {
			out[id] = true
		}
	}
	return out, nil
}

// earliest is how many prompts are looked at for the first whose text is here. Those before it may have been submitted before
// recording began.
const earliest = 3

// firstPrompt finds the first prompt whose text this machine has. A record is not read where its sum has the text.
func (r *Reader) firstPrompt(c *Conversation) (*Prompt, error) {
	if r.prompts == nil {
		return nil, nil
	}
	if r.typed == nil {
		typed, err := r.prompts.typed.Traces()
		if err != nil {
			return nil, err
		}
		r.typed = typed
	}
	d, recorded := r.records[c.Trace]
	switch whole := len(d.PromptText) < search.PromptLength-utf8.UTFMax; {
	case r.typed[c.Trace]:
	case !recorded:
		return nil, nil
	case d.PromptIndex == 0 && d.Title != "": // nobody told the log of its prompts
		return &Prompt{1, strings.ToValidUTF8(d.Title, "\ufffd")}, nil
	case d.PromptIndex == 0 || d.PromptIndex > earliest:
		return nil, nil
	case whole:
		return &Prompt{d.PromptIndex, strings.ToValidUTF8(d.PromptText, "\ufffd")}, nil
	}
	for i := 1; i <= min(c.Prompts, earliest); i++ {
		if text, ok, err := r.prompts.Get(c.Trace, i); err == nil && ok {
			return &Prompt{i, strings.ToValidUTF8(text, "\ufffd")}, nil
		}
	}
	return nil, nil
}
