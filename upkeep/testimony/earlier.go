package testimony

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records"
)

// PrintEarlier prints the number of prompts in a session file before the first prompt that hooks count. The input is
// the first boundary of the conversation, as JSON. Without the number it prints nothing.
func PrintEarlier(ctx context.Context, env agents.Env, in io.Reader, out io.Writer) {
	var b events.Boundary
	if err := json.NewDecoder(in).Decode(&b); err != nil {
		return
	}
	if n, err := earlierPrompts(ctx, env, b); err == nil {
		fmt.Fprintln(out, n)
	}
}

// earlierPrompts counts these prompts. It leaves out the prompt of b if hooks will count that prompt: a call names it,
// or it is submitted now and is already in the file.
func earlierPrompts(ctx context.Context, env agents.Env, b events.Boundary) (int, error) {
	agent, found := agents.Lookup(env, b.Agent)
	if !found || agent.Parser == nil {
		return 0, nil
	}
	asked := askedSink{ctx: ctx}
	if _, err := agent.Parser.Parse(ctx, b.Transcript, agents.ParseOptions{Session: b.Session}, &asked); err != nil {
		return 0, fmt.Errorf("count earlier prompts: %w", err)
	}
	named := b.Prompt != nil && b.Prompt.ID != "" && b.Kind != events.PromptSubmit
	again := b.Kind == events.PromptSubmit && b.Prompt != nil && asked.last == b.Prompt.Text &&
		time.Since(asked.at) < time.Minute
	if asked.count > 0 && b.Subagent == "" && (named || again) {
		return asked.count - 1, nil
	}
	return asked.count, nil
}

// askedSink counts the prompts of a conversation.
type askedSink struct {
	ctx   context.Context
	count int
	last  string
	at    time.Time
}

// Step counts a step with a prompt.
func (a *askedSink) Step(step *records.Step) error {
	if step.Asks() {
		a.count++
		a.last = records.Value(step.Content)
		a.at, _ = time.Parse(time.RFC3339Nano, records.Value(step.Timestamp))
	}
	return a.ctx.Err()
}

// Late ignores a result, because it is not a prompt.
func (a *askedSink) Late(int, records.Observation) error { return a.ctx.Err() }
