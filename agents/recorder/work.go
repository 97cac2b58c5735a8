package recorder

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/rawjson"
	"github.com/git-trace/git-trace/records/redact"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/records/waiting"
)

// work is one update of a record.
type work struct {
	*Recorder
	session waiting.Session
	path    string
	earlier []string // other files of the same conversation, which are read first
	size    int64    // the total size of all files
	changed time.Time
	calls   *callBook

	base  store.Entry     // the stored version; its blob is zero if there is none
	prior *records.Record // the head of the stored version
	steps [][]byte        // the steps of the stored version, encoded
	state state           // the end of the last reading; zero if it cannot be used

	sink    *redact.Sink
	matcher *matcher
}

// load reads the stored version and the state of its reading.
func (w *work) load(ctx context.Context) error {
	e, err := w.Store.Find(ctx, w.session.Trace)
	if errors.Is(err, store.ErrNotFound) || err == nil && !e.Own() {
		return nil // missing, or from another clone: this clone starts a new record
	}
	if err != nil {
		return err
	}
	raw, err := w.Store.Raw(e)
	if err != nil {
		return err
	}
	w.base = e
	if w.prior, w.steps, err = split(raw); err != nil {
		return err
	}
	w.state = w.loadState()
	if w.state.Form != form || w.state.Blob != e.Blob || w.state.Path != w.path ||
		!slices.Equal(w.state.Earlier, w.earlier) || w.state.Fingerprint != w.Redactor.Fingerprint() {
		w.state = state{}
	}
	return nil
}

// split splits a record into its head and its encoded steps.
func split(raw []byte) (*records.Record, [][]byte, error) {
	d := rawjson.NewDecoder(raw)
	var steps [][]byte
	var head []byte
	for d.Open(); d.Member(); {
		if string(d.Key()) != "steps" {
			d.Skip()
			continue
		}
		start := d.Pos()
		for d.OpenArray(); d.Element(); {
			steps = append(steps, d.Raw())
		}
		head = slices.Concat(raw[:start], []byte("[]"), raw[d.Pos():])
	}
	if d.Err() != nil {
		return nil, nil, fmt.Errorf("read stored record: %w", d.Err())
	}
	record, err := records.Decode(head)
	if err != nil {
		return nil, nil, fmt.Errorf("read stored record: %w", err)
	}
	return record, steps, nil
}

// `current` reports whether the stored version contains the whole session file.
func (w *work) current() bool {
	return w.prior != nil && w.state.Size == w.size && w.state.Changed.Equal(w.changed) && w.state.Blob == w.base.Blob &&
		!w.asked()
}

// `asked` reports whether a prompt was kept since the session file was read. The file may have had this prompt before
// its hook came.
func (w *work) asked() bool {
	if w.Prompts == nil {
		return false
	}
	kept, err := w.Prompts.List(w.session.Trace)
	if err != nil {
		return false // unreadable, so the answer is unknown
	}
	for index := range kept {
		if index > w.state.Prompt {
			return true
		}
	}
	return false
}

// relink stores the record with the current facts about its commits, without reading the session file again.
func (w *work) relink(ctx context.Context) (Outcome, error) {
	head := *w.prior
	for i, raw := range w.steps {
		w.calls.stored(i+1, raw)
	}
	if err := w.gather(ctx, &head); err != nil {
		return Outcome{}, err
	}
	same, err := sameHead(w.prior, &head)
	if err != nil {
		return Outcome{}, err
	}
	if same {
		return Outcome{
			Stored: store.Stored{Entry: w.base}, Steps: len(w.steps),
			Redactions: w.prior.Security.RedactionsApplied, Generation: w.prior.GenerationIndex,
		}, nil
	}
	w.sink = w.Redactor.Sink(ctx, "")
	for _, raw := range w.steps {
		if err := w.sink.Redacted(raw, 0); err != nil { // the head has the total
			return Outcome{}, err
		}
	}
	return w.store(ctx, &head, nil, Outcome{})
}

// gather adds the facts from the log and the repository to the head of a record.
func (w *work) gather(ctx context.Context, head *records.Record) error {
	if w.Facts == nil {
		return nil
	}
	facts, err := w.Facts(ctx, head, w.prior)
	if err != nil {
		return fmt.Errorf("find the facts of the conversation: %w", err)
	}
	facts.put(head, w.prior, w.Said, w.calls)
	return nil
}

// sameHead reports whether two heads are equal.
func sameHead(a, b *records.Record) (bool, error) {
	one, err := json.Marshal(a)
	if err != nil {
		return false, fmt.Errorf("compare records: %w", err)
	}
	other, err := json.Marshal(b)
	if err != nil {
		return false, fmt.Errorf("compare records: %w", err)
	}
	return bytes.Equal(one, other), nil
}

// read parses the new part of the session file.
func (w *work) read(ctx context.Context, parser capability.SessionParser) (Outcome, error) {
	var err error
	if w.matcher, err = newMatcher(w.Prompts, w.session.Trace); err != nil {
		return Outcome{}, err
	}
	w.sink = w.Redactor.Sink(ctx, "")
	cursor := w.state.Cursor
	if len(w.state.Counts) != len(w.steps) {
		cursor = nil
	}
	if cursor != nil {
		for i, raw := range w.steps {
			w.calls.stored(i+1, raw)
			if err := w.sink.Redacted(raw, w.state.Counts[i]); err != nil {
				return Outcome{}, err
			}
		}
	}
	watched := &watch{Sink: w.sink, matcher: w.matcher, calls: w.calls}
	parsed, err := parser.Parse(ctx, w.path, capability.ParseOptions{
		Session: w.session.Session, Cursor: cursor, Prices: w.Prices, Relative: w.Relative,
	}, watched)
	if err != nil {
		return Outcome{}, err
	}
	if watched.last == 0 {
		if err := w.sink.Truncate(parsed.FirstStep - 1); err != nil {
			return Outcome{}, err
		}
	}
	head := *parsed.Head
	if string(w.session.Trace) != head.TraceID {
		return Outcome{}, fmt.Errorf("the session file is of conversation %.60q", head.TraceID)
	}
	if err := w.gather(ctx, &head); err != nil {
		return Outcome{}, err
	}
	w.hold(&head, parsed.FirstStep)
	if parsed.Blocked() {
		head.SetMeta("blocked", true)
	}
	return w.store(ctx, &head, parsed.Cursor, Outcome{})
}

// `hold` stores in the record the step of each prompt: for new prompts and for prompts of the stored version. The typed
// text of prompts of the stored version was deleted. If their step was read again, it is found by its time.
func (w *work) hold(head *records.Record, first int) {
	held := map[int]int{}
	if w.prior != nil {
		for prompt, step := range PromptSteps(w.prior) {
			if step >= first {
				step = w.matcher.times[w.timeOf(step)]
			}
			if step > 0 {
				held[prompt] = step
			}
		}
	}
	maps.Copy(held, w.matcher.found)
	if len(held) > 0 {
		head.SetMeta(promptsMember, held)
	}
}

// timeOf returns the time of a step in the stored version; "" if there is none.
func (w *work) timeOf(step int) string {
	var stored struct{ Timestamp string }
	if step < 1 || step > len(w.steps) || json.Unmarshal(w.steps[step-1], &stored) != nil {
		return ""
	}
	return stored.Timestamp
}

// store finishes the record, and stores it unless it equals the stored one in everything except its version number.
func (w *work) store(ctx context.Context, head *records.Record, cursor json.RawMessage, out Outcome) (Outcome, error) {
	if w.prior != nil {
		head.GenerationIndex = w.prior.GenerationIndex
	}
	secrets, counts := w.sink.Secrets(), w.sink.Counts()
	record, err := w.sink.Finish(head)
	if err != nil {
		return out, err
	}
	defer func() { _ = record.Close() }()
	out.Steps, out.Redactions = record.Steps(), record.Head().Security.RedactionsApplied
	out.Stored.Entry = w.base
	hash, err := record.Hash()
	if err != nil {
		return out, err
	}
	if w.prior == nil || w.prior.ContentHash == nil || *w.prior.ContentHash != hash {
		if w.prior != nil {
			record.SetGeneration(w.prior.GenerationIndex + 1)
		}
		if out.Stored, err = w.Store.Put(ctx, record, w.base.Blob); err != nil {
			return out, err
		}
		if err := w.tell(ctx, record, out.Stored); err != nil {
			return out, err
		}
	}
	out.Generation = record.Head().GenerationIndex
	w.dropPrompts()
	switch {
	case w.matcher == nil: // the session file was not read
		cursor, counts = w.state.Cursor, w.state.Counts
	case secrets:
		// A later repetition of a secret is only recognised in the whole file, so the next run reads all of it.
		cursor = nil
	case w.Redactor.HoldsPurged(string(cursor)):
		cursor = nil
	}
	prompt := w.state.Prompt
	if w.matcher != nil && len(w.matcher.order) > 0 {
		prompt = max(prompt, slices.Max(w.matcher.order))
	}
	w.saveState(state{
		Path: w.path, Earlier: w.earlier, Size: w.size, Changed: w.changed, Blob: out.Stored.Blob,
		Fingerprint: w.Redactor.Fingerprint(), Cursor: cursor,
		Counts: counts, Prompt: prompt,
	})
	return out, nil
}

// tell appends the event. A batch that is stored for a later append counts as appended.
func (w *work) tell(ctx context.Context, record *redact.Record, stored store.Stored) error {
	if w.Log == nil {
		return nil
	}
	head := record.Head()
	data, err := events.Encode(events.RecordData{
		Commit: stored.Commit, Blob: stored.Blob, Generation: head.GenerationIndex, Steps: record.Steps(),
		Redactions: head.Security.RedactionsApplied, Lifecycle: string(head.Lifecycle),
	})
	if err != nil {
		return err
	}
	_, err = w.Log.Append(ctx, []events.Draft{{
		Type: events.RecordStored, Time: time.Now(), Method: []events.Method{events.HookStop}, Trace: w.session.Trace,
		Agent: w.session.Agent, Session: w.session.Session, Data: data,
	}})
	if errors.Is(err, events.ErrSpooled) {
		return nil
	}
	return err
}

func (w *work) close() {
	if w.sink != nil {
		_ = w.sink.Close()
	}
}
