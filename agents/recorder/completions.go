package recorder

import (
	"context"
	"encoding/json"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/waiting"
)

// Completion is an editor completion that a person accepted, from the log.
type Completion struct {
	Call  string
	Model string // model in the editor's spelling; "" if the editor does not report it
	Path  string
	At    time.Time
}

// completions holds all completions of a conversation. There is no session file, so the record has a step for each
// completion, without its text.
type completions struct {
	agent string
	trace events.TraceID
	list  []Completion
}

// `completed` updates the record of a conversation that consists only of completions.
func (r *Recorder) completed(ctx context.Context, s waiting.Session, list []Completion) (Outcome, error) {
	w := &work{Recorder: r, session: s, calls: newCallBook(), size: int64(len(list)), changed: list[len(list)-1].At}
	defer w.close()
	if err := w.load(ctx); err != nil {
		return Outcome{}, err
	}
	if w.current() {
		return w.relink(ctx)
	}
	return w.read(ctx, completions{s.Agent, s.Trace, list})
}

// Parse passes the completions to the sink, like the steps of a session file.
func (c completions) Parse(
	_ context.Context, _ string, o capability.ParseOptions, sink records.Sink,
) (*capability.Parsed, error) {
	out := assemble.New(sink, assemble.Options{
		Agent: c.agent, Session: o.Session, TraceID: string(c.trace), Method: string(events.HookToolAfter),
		Prices: o.Prices, Relative: o.Relative,
	})
	for i, one := range c.list {
		input, err := json.Marshal(map[string]string{"path": one.Path})
		if err != nil {
			return nil, err
		}
		place, at := records.Locator{Line: int64(i) + 1}, one.At.UTC().Format(time.RFC3339Nano)
		err = out.Answer(assemble.Answer{
			At: place, Time: at, Model: assemble.Model(one.Model),
			Calls: []assemble.Call{{ID: one.Call, Name: events.ToolCompletion, Input: input, Writes: []string{one.Path}}},
		})
		if err == nil {
			err = out.Result(place, one.Call, assemble.Result{Time: at, Content: new("accepted")})
		}
		if err != nil {
			return nil, err
		}
	}
	head, err := out.Finish()
	return &capability.Parsed{Head: head, FirstStep: 1, Lines: len(c.list)}, err
}
