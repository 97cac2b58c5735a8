package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/redact"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/ledger"
)

// Limits for lists and searches of conversations, in milliseconds.
const (
	completeLimit = 30
	searchLimit   = 100
	listAllLimit  = 150 // ms for thirty thousand lines of text
)

// Every tenth conversation has no record yet, only its typed prompts.
const withoutRecord = 10

// stepsPerRecord is the number of steps in a conversation.
const stepsPerRecord = 30

// One further conversation is long. A person writes a prompt at every twentieth step.
const (
	longSession = "conversation-long"
	longSteps   = 1000
	longTurn    = 20
)

// conversing measures lists and searches of many conversations, some without a record. Each conversation has ten
// events, so 10,000 conversations make a log of 100,000 events.
func conversing(number int) scenario {
	name := size(number) + " conversations"
	return scenario{
		name: name,
		rows: []row{
			{"log -n 20, " + name, "log", "", limit, listLimit},
			{"log --json -n 20, " + name, "json", "", limit, listLimit},
			{"log, all of " + name, "all", "", limit, listAllLimit},
			{"completion of an id, " + name, "complete", "", limit, completeLimit},
			{"search, a word of many of " + name, "many", "", limit, searchLimit},
			{"search, two words, " + name, "two", "", limit, searchLimit},
			{"search, a prompt without a record, " + name, "typed", "", limit, searchLimit},
		},
		prepare: func(b *bench) (func(int, *recorder) error, error) {
			dir, err := b.place("conversations-"+size(number), func(dir string) error {
				return b.makeConversations(dir,
					number)
			})
			if err != nil {
				return nil, err
			}
			lists := []struct {
				name string
				args []string
			}{
				{"log", []string{"log", "-n", "20"}},
				{"json", []string{"log", "--json", "-n", "20"}},
				{"all", []string{"log"}},
				{"complete", []string{"__complete", "show", "a"}},
				{"many", []string{"search", "widget3"}},
				{"two", []string{"search", "render40 commit17"}},
				{"typed", []string{"search", "typed0"}},
			}
			return func(_ int, r *recorder) error {
				for _, list := range lists {
					if err := r.run(list.name, b.trace(dir, list.args...)); err != nil {
						return err
					}
				}
				return nil
			}, nil
		},
	}
}

// makeConversations makes a repository with a number of conversations and their events.
func (b *bench) makeConversations(dir string, number int) error {
	if err := b.check(b.git(dir, "init", "-q")); err != nil {
		return err
	}
	repo, err := refs.Discover(dir)
	if err != nil {
		return err
	}
	redactor, err := redact.New(redact.Options{})
	if err != nil {
		return err
	}
	kept := store.Open(repo)
	defer func() { _ = kept.Close() }()
	w := logWriter{bench: b, dir: dir, log: events.OpenLog(repo), rng: rand.New(rand.NewPCG(5, 5)),
		at: time.Date(2024, 1, 1, 9, 0, 0, 0, time.UTC)}
	prompts := ledger.NewPrompts(repo)
	const batch = 500
	var drafts []events.Draft
	var changes []store.Change
	for i := range number {
		w.session = fmt.Sprintf("conversation-%d", i)
		drafts = append(drafts, w.short()...)
		if i%withoutRecord == 0 {
			if err := prompts.Put(w.trace(), 1, fmt.Sprintf("typed%d: %s", i, words(w.rng, 30))); err != nil {
				return err
			}
		} else {
			record, err := redactor.Record(b.ctx, conversation(w.rng, string(w.trace()), w.session, stepsPerRecord, 2))
			if err != nil {
				return err
			}
			changes = append(changes, store.Change{Record: record})
		}
		if (i+1)%batch > 0 && i+1 < number {
			continue
		}
		if _, err := kept.PutAll(b.ctx, changes); err != nil {
			return err
		}
		for _, c := range changes {
			_ = c.Record.Close()
		}
		if w.err != nil {
			return w.err
		}
		for ; len(drafts) > 0; drafts = drafts[min(len(drafts), batch):] {
			if _, err := w.log.Append(context.Background(), drafts[:min(len(drafts), batch)]); err != nil {
				return err
			}
		}
		changes = changes[:0]
	}
	w.session = longSession
	record, err := redactor.Record(b.ctx, conversation(w.rng, string(w.trace()), w.session, longSteps, longTurn))
	if err != nil {
		return err
	}
	defer func() { _ = record.Close() }()
	if _, err := kept.PutAll(b.ctx, []store.Change{{Record: record}}); err != nil {
		return err
	}
	if _, err := w.log.Append(context.Background(), w.short()); err != nil {
		return err
	}
	return b.check(b.git(dir, "gc", "-q"))
}

// `short` returns the ten events of a conversation with two edits.
func (l *logWriter) short() []events.Draft {
	out := []events.Draft{
		l.draft(events.SessionStarted, "", events.SessionData{Source: "startup", Model: benchModel}),
		l.draft(events.PromptSubmitted, "", events.PromptData{Index: 1, Chars: 100, Kind: "user"}),
	}
	for i := int64(1); i <= 2; i++ {
		path, id := fileName(l.rng.IntN(historyOf)), fmt.Sprintf("toolu_%s_%d", l.session, i)
		window := events.WindowData{Tool: "Edit", Class: "edit", Prompt: 1, Model: benchModel, Paths: []string{path},
			Interval: i, Tree: l.oid()}
		out = append(out, l.draft(events.WindowOpened, id, window),
			l.draft(events.PatchRecorded, id, events.PatchData{
				Patch: l.patch(), Interval: i, Path: path, Before: l.oid(), After: l.oid(), OldStart: 10, OldCount: 1,
				NewStart: 10, NewCount: 3, Owner: events.OwnerAI, Tool: "Edit", Prompt: 1, Model: benchModel,
				Lines: events.EncodeFingerprints(make([]events.Fingerprint, 3)),
			}))
		window.Status, window.Patches = "done", 1
		out = append(out, l.draft(events.WindowClosed, id, window))
	}
	return append(out, l.draft(events.TurnEnded, "", events.TurnData{Prompt: 1, Interval: 2, Tree: l.oid()}),
		l.draft(events.SessionEnded, "", events.SessionData{Source: "prompt_input_exit"}))
}

// words returns a sentence. Its words differ in frequency like the words of a language.
func words(rng *rand.Rand, n int) string {
	stems := []string{"parse", "server", "close", "index", "render", "commit", "branch", "widget"}
	zipf := rand.NewZipf(rng, 1.2, 4, 2500)
	var out []string
	for range n {
		out = append(out, fmt.Sprintf("%s%d", stems[rng.IntN(len(stems))], zipf.Uint64()))
	}
	return strings.Join(out, " ")
}

// conversation returns a record that has prompts, and answers with one call each. The parameter `turn` is the number of
// steps in a turn.
func conversation(rng *rand.Rand, trace, session string, steps, turn int) *records.Record {
	title, model := words(rng, 12), "anthropic/"+benchModel
	r := &records.Record{
		TraceID: trace, SessionID: session, Agent: records.Agent{Name: "claude-code", Model: &model},
		Task: records.Task{Description: &title},
	}
	for i := range steps {
		text := words(rng, 40)
		step := records.Step{StepIndex: i + 1, Role: records.RoleUser, Content: &text}
		if i%turn > 0 {
			step.Role, step.Model = records.RoleAgent, &model
			step.ToolCalls = []records.ToolCall{{ToolCallID: fmt.Sprintf("toolu_%s_%d", session, i), ToolName: "Bash",
				Input: []byte(`{"command":"go test ./` + words(rng, 1) + `"}`)}}
		}
		r.Steps = append(r.Steps, step)
	}
	r.Metrics.TotalSteps = len(r.Steps)
	return r
}
