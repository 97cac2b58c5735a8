package runner

import (
	"context"
	"os"
	"time"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records"
)

// What a hook reads of a session file to number the prompts of a conversation that it meets: longer files are not
// read, nor is one that takes longer. Their prompts are numbered from 1.
const (
	mostEarlier = 16 << 20 // bytes
	longEarlier = time.Second
)

// earlierPrompts counts the prompts of a session file from before the first that hooks tell of, of which a boundary is
// the first sign. That of a turn under way is told by hooks where they name it, and so is one that is being submitted
// and already stands in the file.
func earlierPrompts(b events.Boundary) int {
	info, err := os.Stat(b.Transcript)
	if err != nil || info.Size() == 0 || info.Size() > mostEarlier {
		return 0
	}
	home, _ := os.UserHomeDir()
	agent, found := agents.Lookup(capability.Env{Home: home, Getenv: os.Getenv}, b.Agent)
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

// Late takes a result, which is no prompt.
func (a *askedSink) Late(int, records.Observation) error { return a.ctx.Err() }

var _ records.Sink = (*askedSink)(nil)
