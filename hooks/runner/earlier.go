package runner

import (
	"context"
	"os"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records"
)

// A hook reads the session file of a conversation that began earlier, to number its prompts. These are the limits.
// Beyond them the prompts are numbered from 1.
const (
	mostEarlier = 16 << 20 // bytes
	longEarlier = time.Second
)

// earlierPrompts returns the number of prompts in a session file before the first prompt that hooks count. The
// parameter `b` is the first boundary of its conversation. The prompt of b does not count if hooks will count it:
// because a call names it, or because it is submitted now and the file already has it.
func earlierPrompts(b events.Boundary) int {
	info, err := os.Stat(b.Transcript)
	if err != nil || info.Size() == 0 || info.Size() > mostEarlier {
		return 0
	}
	agent, found := agentNamed(b.Agent)
	if !found || agent.Parser == nil {
		return 0
	}
	ctx, cancel := context.WithTimeout(context.Background(), longEarlier)
	defer cancel()
	asked := askedSink{ctx: ctx}
	if _, err := agent.Parser.Parse(ctx, b.Transcript, capability.ParseOptions{Session: b.Session}, &asked); err != nil {
		return 0
	}
	named := b.Prompt != nil && b.Prompt.ID != "" && b.Kind != events.PromptSubmit
	again := b.Kind == events.PromptSubmit && b.Prompt != nil && asked.last == b.Prompt.Text &&
		time.Since(asked.at) < time.Minute
	if asked.count > 0 && b.Subagent == "" && (named || again) {
		return asked.count - 1
	}
	return asked.count
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
