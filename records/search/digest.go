package search

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/declared"
	"github.com/git-trace/git-trace/refs"
)

// Digest is a summary of a conversation for lists and totals, which then need not read the record.
type Digest struct {
	Trace      events.TraceID
	Blob       refs.OID // the record's blob
	Own        bool     // this clone stored the record
	Agent      string
	Session    string
	Title      string // the first prompt, at most titleLength bytes
	Name       string // the title from the session file, with the same limit; "" if there is none
	Start      string // ISO 8601, in the agent's form
	End        string
	Generation int // generation of the record: a newer record of the same session replaces an older one
	Steps      int
	Prompts    int
	Calls      int
	Redactions int
	Input      int64 // tokens that did not come from the cache
	Output     int64
	CacheRead  int64
	CacheWrite int64
	Cost       *float64 // US dollars; nil if a price is unknown and the client reports no cost
	CostBy     string   // records.CostByPrices or CostByClient; "" without a cost
	PricesAsOf string   // the day of the prices, if known
	Models     []ModelUse
	Commits    []string // the commits that the record is linked to
	Unreadable string   // the reason why the record could not be read
	Blocked    bool     // a large part of the session file could not be read

	// The first prompt of the log in the record: its number (0 if there is none) and its text, at most PromptLength bytes.
	PromptIndex int
	PromptText  string
	HeldPrompts int // the number of the log's prompts in the record
	LastPrompt  int // the number of the last answered prompt

	segment      int
	conversation uint32
}

// ModelUse is the share of one model in a conversation.
type ModelUse struct {
	Model                                string
	Steps                                int
	Input, Output, CacheRead, CacheWrite int64
}

// titleLength is the greatest length of a title, in bytes.
const titleLength = 300

// PromptLength is the greatest length of a prompt in a digest, in bytes.
const PromptLength = 1000

// prompts finds the log's prompts in a record. The record's metadata has the step of each prompt. A later prompt in the
// record is the log's next one: the session file had it before the hook ran.
func (d *Digest) prompts(r *records.Record) {
	var held map[int]int
	if json.Unmarshal(r.Metadata["prompts"], &held) != nil {
		return
	}
	answered := 0 // the last step that is an answer
	for i := range r.Steps {
		if s := &r.Steps[i]; s.Role == records.RoleAgent && s.ParentStep == nil {
			answered = i + 1
		}
	}
	number, last := 0, 0 // the number of the last prompt, and its step
	hold := func(prompt, step int) {
		d.HeldPrompts++
		number, last = max(number, prompt), max(last, step)
		if step < answered {
			d.LastPrompt = max(d.LastPrompt, prompt)
		}
	}
	for prompt, step := range held {
		if prompt < 1 || step < 1 || step > len(r.Steps) {
			continue
		}
		hold(prompt, step)
		if content := r.Steps[step-1].Content; content != nil && (d.PromptIndex == 0 || prompt < d.PromptIndex) {
			d.PromptIndex, d.PromptText = prompt, cut(*content, PromptLength)
		}
	}
	for i := last; d.HeldPrompts > 0 && i < len(r.Steps); i++ {
		if r.Steps[i].Asks() {
			hold(number+1, i+1)
		}
	}
}

// `asked` returns the first prompt of a record, or its task if no step is a prompt.
func asked(r *records.Record) string {
	for i := range r.Steps {
		if s := &r.Steps[i]; s.Asks() && strings.TrimSpace(records.Value(s.Content)) != "" {
			return *s.Content
		}
	}
	return records.Value(r.Task.Description)
}

// digest summarises a record.
func digest(r *records.Record) Digest {
	d := Digest{
		Trace: events.TraceID(r.TraceID), Agent: r.Agent.Name, Session: r.SessionID, Steps: len(r.Steps),
		Redactions: r.Security.RedactionsApplied, Input: r.Metrics.TotalInputTokens, Output: r.Metrics.TotalOutputTokens,
		CacheRead: r.Metrics.TotalCacheReadTokens, CacheWrite: r.Metrics.TotalCacheCreationTokens,
		Start: records.Value(r.TimestampStart), End: records.Value(r.TimestampEnd), Title: cut(asked(r), titleLength),
	}
	_ = json.Unmarshal(r.Metadata["title"], &d.Name) // only text is a title
	d.Name = cut(d.Name, titleLength)
	d.Blocked, d.Generation = r.Blocked(), r.GenerationIndex
	d.prompts(r)
	d.Cost, d.CostBy, d.PricesAsOf = r.Cost()
	at := map[string]int{}
	for i := range r.Steps {
		s := &r.Steps[i]
		d.Calls += len(s.ToolCalls)
		if s.Asks() {
			d.Prompts++
		}
		if s.Role != records.RoleAgent {
			continue
		}
		name := records.Value(s.Model)
		k, known := at[name]
		if !known {
			k = len(d.Models)
			at[name] = k
			d.Models = append(d.Models, ModelUse{Model: name})
		}
		m := &d.Models[k]
		m.Steps++
		m.Input += s.TokenUsage.InputTokens
		m.Output += s.TokenUsage.OutputTokens
		m.CacheRead += s.TokenUsage.CacheReadTokens
		m.CacheWrite += s.TokenUsage.CacheWriteTokens
	}
	for _, link := range r.GitLinks {
		if link.Tier.Holds() {
			d.Commits = append(d.Commits, link.Revision)
		}
	}
	return d
}

// stepText limits the indexed text of a step, inputText the indexed text of a call's input, in bytes.
const (
	stepText  = 16 << 10
	inputText = 4 << 10
)

// textOf returns the indexed text of a step.
func textOf(s *records.Step) string {
	var b strings.Builder
	add := func(mark, text string, limit int) {
		if text = strings.TrimSpace(cut(unmarked(text), limit)); text != "" && b.Len() < stepText {
			if b.Len() > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(cut(mark+text, stepText-b.Len()))
		}
	}
	add("", records.Value(s.Content), stepText)
	for _, call := range s.ToolCalls {
		add(inputMark, call.ToolName, inputText)
		eachText(call.Input, func(text string, file bool) {
			if file {
				add(fileMark, text, inputText)
			} else {
				add(inputMark, text, inputText)
			}
		})
		for _, path := range patched(call.Input) {
			add(fileMark, path, inputText)
		}
	}
	return b.String()
}

// `patched` returns the files that a patch in an input names, without repetitions. The input has no member with these
// names.
func patched(input json.RawMessage) []string {
	if !bytes.Contains(input, []byte("*** ")) {
		return nil
	}
	_, edits := declared.Run(input)
	var out []string
	for _, e := range append(declared.Of(input).Edits, edits...) {
		if !slices.Contains(out, e.Path) {
			out = append(out, e.Path)
		}
	}
	return out
}

// The marks begin a part of a step's text: the input of a call, or a file name in the input.
const (
	inputMark = "\x01"
	fileMark  = "\x02"
)

// `unmarked` removes the marks from a text.
func unmarked(text string) string {
	if !strings.ContainsAny(text, inputMark+fileMark) {
		return text
	}
	return strings.NewReplacer(inputMark, "", fileMark, "").Replace(text)
}

// eachText yields the texts of a JSON value, and whether each is a file name.
func eachText(raw json.RawMessage, yield func(text string, file bool)) {
	var value any
	if json.Unmarshal(raw, &value) == nil {
		eachTextOf(value, false, yield)
	}
}

func eachTextOf(value any, file bool, yield func(text string, file bool)) {
	switch v := value.(type) {
	case string:
		yield(v, file)
	case []any:
		for _, element := range v {
			eachTextOf(element, file, yield)
		}
	case map[string]any:
		for _, name := range sortedNames(v) {
			eachTextOf(v[name], namesFiles(name), yield)
		}
	}
}

// namesFiles reports whether an input member with this name contains file names. Clients use different names:
// file_path, filePath, path, paths, notebook_path, absolute_path, file, files.
func namesFiles(input string) bool {
	lower := strings.TrimSuffix(strings.ToLower(input), "s")
	return strings.HasSuffix(lower, "path") || strings.HasSuffix(lower, "file") || strings.HasSuffix(lower, "filename")
}

// cut returns at most the first n bytes of a text, without an incomplete character at the end.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:max(n, 0)], "")
}
