package foreign

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/rawjson"
)

// maxUnlinked limits the number of results without a call that are kept.
const maxUnlinked = 20

// ErrNothing reports a row without a conversation.
var ErrNothing = errors.New("there is no conversation in it")

// Origin describes the source of a conversation.
type Origin struct {
	Format, Version string
	Agent, Session  string // without a session, the row's hash is the id
	Context         records.ExecutionContext
	Cwd             string // the directory in which the agent worked
}

// Talk assembles the conversation of a row, or of a subagent in it.
type Talk struct {
	*assemble.Conversation
	*row
	open   []string          // calls without a result
	ids    map[string]string // id in the record, by the id of a call in the row
	prompt string            // the hash of the system prompt
}

// row holds the data that a conversation and its subagents have in common.
type row struct {
	origin   Origin
	place    Place
	file     string
	steps    *records.Collector
	made     int
	used     map[string]bool          // the ids of calls that are in use
	edits    map[string]assemble.Edit // edit of each call, which counts once the call has succeeded
	unlinked []map[string]any
	lost     int // the number of results without a call
	strange  int // the number of inconsistent token counts
	cost     float64
	took     float64 // the duration of the next call that is answered, in seconds
}

// Begin starts the conversation of a row.
func Begin(d *Document, origin Origin) *Talk {
	if origin.Session == "" {
		origin.Session = d.ID()
	}
	origin.Agent = cmp.Or(origin.Agent, "unknown")
	t := &Talk{ids: map[string]string{}, row: &row{origin: origin, place: d.Place, file: d.File,
		steps: &records.Collector{}, used: map[string]bool{}, edits: map[string]assemble.Edit{}}}
	t.Conversation = assemble.New(t.steps, assemble.Options{Agent: origin.Agent, Session: origin.Session,
		TraceID: string(events.NewTraceID(origin.Agent, origin.Session)), Method: "import"})
	t.Change(func(h *assemble.Head) { h.AddCwd(origin.Cwd) })
	return t
}

// Sub starts the conversation of a subagent that a call of the previous step started; "" means that the call is
// unknown.
func (t *Talk) Sub(call, id, role string) *Talk {
	return &Talk{Conversation: t.Side(t.ids[call], id, role), row: t.row, ids: map[string]string{}}
}

// ID derives an id from a row's content: equal rows are the same conversation.
func (d *Document) ID() string {
	canonical, err := rawjson.AppendCanonical(nil, d.Raw)
	if err != nil {
		canonical = d.Raw
	}
	sum := sha256.Sum256(canonical)
	return SumID(sum[:])
}

// SumID returns a conversation's id from the SHA-256 of its content.
func SumID(sum []byte) string { return "sha256:" + hex.EncodeToString(sum[:16]) }

// System adds a system prompt. At the start of the conversation it becomes the model's system prompt, later a separate
// step.
func (t *Talk) System(text, stamp string) error {
	if t.made == 0 {
		t.SystemPrompt(text)
		return nil
	}
	return t.SystemStep(text, stamp)
}

// SystemPrompt sets the model's system prompt.
func (t *Talk) SystemPrompt(text string) {
	if text == "" {
		return
	}
	t.prompt = t.Conversation.SystemPrompt(text)
}

// SystemStep adds a message from the client to the model within the conversation.
func (t *Talk) SystemStep(text, stamp string) error {
	if err := t.step(); err != nil {
		return err
	}
	return errors.Join(t.Settle(), t.Prompt(assemble.Prompt{Text: text, Time: stamp, System: true}))
}

// User adds a prompt.
func (t *Talk) User(text, stamp, source string) error {
	if err := t.step(); err != nil {
		return err
	}
	return errors.Join(t.Settle(), t.Prompt(assemble.Prompt{Text: text, Time: stamp, Source: source}))
}

// Agent adds an answer. Calls without an id, or with an id that is already used, get a new id.
func (t *Talk) Agent(a assemble.Answer) error {
	if a.Key == "" || !t.Waits(a.Key) {
		if err := t.step(); err != nil {
			return err
		}
	}
	for i := range a.Calls {
		t.name(&a.Calls[i], i)
		t.open = append(t.open, a.Calls[i].ID)
	}
	a.Prompt = cmp.Or(a.Prompt, t.prompt)
	return t.Answer(a)
}

// step counts one more step, of any role.
func (t *Talk) step() error {
	if t.made++; t.made > records.MaxSteps {
		return records.ErrSteps
	}
	return nil
}

// name gives a call its id in the record, and sets its effects if the tool is known.
func (t *Talk) name(c *assemble.Call, i int) {
	id := c.ID
	if id == "" {
		c.ID = fmt.Sprintf("call_%d_%d", t.made, i+1)
	}
	for n := 2; t.used[c.ID]; n++ {
		c.ID = fmt.Sprintf("%s_%d_%d", cmp.Or(id, "call"), t.made, i+n)
	}
	t.used[c.ID] = true
	if id != "" {
		t.ids[id] = c.ID
	}
	if rawjson.NewDecoder(c.Input).Kind() != rawjson.Object {
		c.Input = []byte("{}")
	}
	if edit, writes := describe(c); writes {
		t.edits[c.ID] = edit
	}
}

// Answered adds the result of a call; if `id` is "", of the first call without a result. A result without a call is
// kept in the metadata (see Unlinked).
func (t *Talk) Answered(id string, r assemble.Result) error {
	known := t.ids[id]
	if id == "" && len(t.open) > 0 {
		known = t.open[0]
	}
	at := -1
	for i, open := range t.open {
		if open == known {
			at = i
		}
	}
	if at < 0 {
		t.Unlinked(id, r)
		return nil
	}
	t.open = append(t.open[:at], t.open[at+1:]...)
	if t.took > 0 && t.took < 1e7 && r.DurationMS == nil {
		r.DurationMS = new(int64(t.took * 1000))
	}
	t.took = 0
	if edit, writes := t.edits[known]; writes && r.Error == "" && len(r.Edits) == 0 {
		r.Edits = []assemble.Edit{edit}
	}
	return t.Result(records.Locator{}, known, r)
}

// Took sets the duration of the next call that is answered, in seconds.
func (t *Talk) Took(seconds float64) { t.took = seconds }

// Open returns the number of calls without a result.
func (t *Talk) Open() int { return len(t.open) }

// Abandon forgets the calls without a result: their results will not come.
func (t *Talk) Abandon() { t.open = nil }

// Unlinked keeps a result whose call is missing.
func (t *Talk) Unlinked(id string, r assemble.Result) {
	if t.lost++; len(t.unlinked) >= maxUnlinked {
		return
	}
	one := map[string]any{"after_step": t.made}
	if id != "" {
		one["tool_call_id"] = id
	}
	if r.Content != nil {
		one["content"] = *r.Content
	}
	if r.Error != "" {
		one["error"] = r.Error
	}
	t.unlinked = append(t.unlinked, one)
}

// Usage returns token counts that do not overlap, from a number of input tokens that includes cache reads and writes.
func (t *Talk) Usage(input, output, cacheRead, cacheWrite int64) *assemble.Usage {
	input, output, cacheRead, cacheWrite = bounded(input), bounded(output), bounded(cacheRead), bounded(cacheWrite)
	if input+output+cacheRead+cacheWrite == 0 {
		return nil
	}
	if input < cacheRead+cacheWrite {
		t.strange++
		input = cacheRead + cacheWrite
	}
	return &assemble.Usage{TokenUsage: records.TokenUsage{InputTokens: input - cacheRead - cacheWrite,
		OutputTokens: output, CacheReadTokens: cacheRead, CacheWriteTokens: cacheWrite}}
}

// mostTokens is the greatest plausible number of tokens.
const mostTokens = 1 << 40

func bounded(n int64) int64 {
	if n < 0 || n > mostTokens {
		return 0
	}
	return n
}

// Cost adds to the cost that the client reports, in US dollars.
func (t *Talk) Cost(usd float64) {
	if usd > 0 && usd < 1e6 {
		t.cost += usd
	}
}

// Total sets the token counts of the whole conversation, if no answer has tokens.
func (t *Talk) Total(r *records.Record, u *assemble.Usage) {
	m := &r.Metrics
	if u == nil || m.TotalInputTokens+m.TotalOutputTokens+m.TotalCacheReadTokens+m.TotalCacheCreationTokens > 0 {
		return
	}
	m.TotalInputTokens, m.TotalOutputTokens = u.InputTokens, u.OutputTokens
	m.TotalCacheReadTokens, m.TotalCacheCreationTokens = u.CacheReadTokens, u.CacheWriteTokens
}

// Made returns the number of steps.
func (t *Talk) Made() int { return t.made }

// Record ends the conversation and returns its record.
func (t *Talk) Record() (*records.Record, error) {
	if t.made == 0 {
		return nil, ErrNothing
	}
	r, err := t.Finish()
	if err != nil {
		return nil, err
	}
	r.Steps = t.steps.Steps
	if t.origin.Context != "" {
		r.ExecutionContext = new(t.origin.Context)
	}
	source := map[string]any{"format": t.origin.Format, "row": t.place.Row, "converter": "git-trace"}
	if t.origin.Version != "" {
		source["version"] = t.origin.Version
	}
	if t.file != "" {
		source["file"] = t.file
	}
	r.SetMeta("source", source)
	if t.lost > 0 {
		r.SetMeta("unlinked_results", map[string]any{"count": t.lost, "first": t.unlinked})
	}
	if t.strange > 0 {
		r.SetMeta("usage_inconsistent", t.strange)
	}
	if t.cost > 0 {
		r.SetMeta(records.MetaClientCost, records.Float(math.Round(t.cost*1e9)/1e9))
	}
	if faults := r.Check(); len(faults) > 0 {
		return nil, fmt.Errorf("%w: %s", ErrForm, strings.Join(faults[:min(len(faults), 3)], "; "))
	}
	return r, nil
}

// ExitCode returns the error of a command with an exit code; "" for 0.
func ExitCode(n int64) string {
	if n == 0 {
		return ""
	}
	return "exit_code:" + strconv.FormatInt(n, 10)
}

// Epoch converts seconds since 1970 to the form of records; "" for an invalid time.
func Epoch(seconds float64) string {
	if !(seconds > 0 && seconds < 1<<33) {
		return ""
	}
	whole, part := math.Modf(seconds)
	return time.Unix(int64(whole), int64(math.Round(part*1e6))*1e3).UTC().Format(time.RFC3339Nano)
}

// Arguments returns the input of a call, given as a JSON object or as a text that contains one. Anything else is kept
// as a text, and `ok` is false.
func Arguments(raw []byte) (input json.RawMessage, ok bool) {
	d := rawjson.NewDecoder(raw)
	switch d.Kind() {
	case rawjson.Object:
		return rawjson.Cleaned(raw), true
	case rawjson.String:
		return ArgumentsText(d.Text())
	case rawjson.Null, rawjson.None:
		return json.RawMessage("{}"), true
	default:
		return (&rawjson.Members{}).Text("arguments", string(raw)).End(), false
	}
}

// ArgumentsText returns the input in a text that is not quoted, as Arguments does for a quoted one.
func ArgumentsText(text string) (input json.RawMessage, ok bool) {
	trimmed := []byte(strings.TrimSpace(text))
	if len(trimmed) == 0 {
		return json.RawMessage("{}"), true
	}
	if d := rawjson.NewDecoder(trimmed); d.Kind() == rawjson.Object {
		if clean, err := rawjson.AppendClean(nil, trimmed); err == nil {
			return clean, true
		}
	}
	return (&rawjson.Members{}).Text("arguments", text).End(), false
}

// Tools keeps tool definitions, given as a JSON array.
func (t *Talk) Tools(raw []byte) {
	d := rawjson.NewDecoder(raw)
	for d.OpenArray(); d.Element(); {
		definition := rawjson.Cleaned(d.Raw())
		name := cmp.Or(rawjson.MemberText(definition, "name"),
			rawjson.MemberText(rawjson.Member(definition, "function"), "name"), string(definition))
		t.Change(func(h *assemble.Head) { h.AddTool(name, definition) })
	}
}
