package assemble

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/prices"
)

// Options describe a conversation.
type Options struct {
	Agent   string // the agent's name: claude-code
	Session string // the agent's own id of the session
	TraceID string
	Method  string        // the source of the conversation; "" is session_file
	Prices  *prices.Table // nil for git-trace's own table
	// Relative gives the path of a file within the repository; false for one outside. nil for the path below the
	// directory in which the conversation began.
	Relative func(path string) (string, bool)
	// Subagent is called when a step with a call that started a subagent has been handed on, if the result has its id. If
	// it finds the subagent's own session file, it reads it into the conversation that Child returns.
	Subagent func(parent *Conversation, step int, c *Call, id string) error
}

// Conversation puts one conversation together, or a subagent's.
type Conversation struct {
	*shared
	parent *Conversation // nil for the main conversation
	step   int           // the step whose call started the subagent; 0 for the main conversation or if unknown
	role   string        // the kind of the subagent
	id     string        // the agent's id of the subagent
	held   bool          // nothing leaves before the parent's step has left
	closed bool          // complete
	listed int           // place in the list of subagents, from 1

	queue     []*item
	byKey     map[string]*item
	byCall    map[string]*item
	registers json.RawMessage
	early     map[string]early // results that came before their calls
	before    int              // how many ids had been seen before this line
	leftAt    int64            // the last line about a step that has left
}

// shared holds the common facts of a conversation and its subagents.
type shared struct {
	options Options
	sink    records.Sink
	state   *state
	waiting int             // bytes that wait
	sides   []*Conversation // of subagents in the same file
	err     error
}

// New begins a conversation.
func New(sink records.Sink, options Options) *Conversation {
	if options.Prices == nil {
		options.Prices = prices.Default()
	}
	c := &Conversation{
		shared: &shared{options: options, sink: sink, state: newState()},
		byKey:  map[string]*item{}, byCall: map[string]*item{}, early: map[string]early{}, leftAt: -1,
	}
	return c
}

// fail keeps the first error of a sink; every later move gives it.
func (c *Conversation) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// Begin begins a line and reports whether it is new: its id did not come before. Session files that were forked or
// resumed hold copies of lines. A line without an id is always new.
func (c *Conversation) Begin(id string) bool {
	c.before = c.state.seen.len()
	if c.parent == nil { // a subagent is read while a line of the main conversation has no node yet: a prompt, say
		c.state.tree.settle(c.before)
	}
	return id == "" || c.state.seen.add(hashID(id))
}

// Remember sets the parser's state for going on from here, as any JSON. Resume returns it.
func (c *Conversation) Remember(registers json.RawMessage) { c.registers = registers }

// Prompt takes a prompt. One that the user wrote after the agent had finished ends the turn before it: the parser calls
// Settle first. One that was typed while the agent worked does not.
func (c *Conversation) Prompt(p Prompt) error {
	it := &item{at: p.At}
	c.push(it)
	c.plant(it)
	return c.prompt(it, p)
}

func (c *Conversation) prompt(it *item, p Prompt) error {
	step := &pending{time: p.Time, source: p.Source}
	if p.Warmup {
		step.CallType = new(records.CallWarmup)
	}
	step.Role = records.RoleUser
	if p.System {
		step.Role = records.RoleSystem
	}
	step.Content = records.Text(p.Text)
	step.Timestamp = records.Text(p.Time)
	step.sources = appendID(nil, p.At.ID)
	if n := c.state.tree.node(it.node); n != nil {
		n.prompt = !p.System
	}
	it.step, it.kept = step, false
	c.grow(it, len(p.Text))
	return c.relieve()
}

// Answer takes a piece of an answer.
func (c *Conversation) Answer(a Answer) error {
	it := c.byKey[a.Key]
	if a.Key == "" || it == nil {
		it = c.newAnswer(&a)
	}
	step := it.step
	it.last = max(it.last, a.At.Offset)
	step.time = later(step.time, a.Time)
	if a.Usage != nil {
		step.usage = a.Usage
	}
	if a.Text != "" || len(a.Calls) > 0 {
		step.sources = appendID(step.sources, a.At.ID)
	}
	step.stop = cmp.Or(a.Stop, step.stop)
	if a.Anew {
		step.Content, step.ReasoningContent = nil, nil
	}
	add(&step.Content, a.Text)
	if a.Thinking != records.Value(step.ReasoningContent) { // withheld thinking comes in pieces
		add(&step.ReasoningContent, a.Thinking)
	}
	if step.Model == nil {
		step.Model = records.Text(a.Model)
	}
	c.grow(it, len(a.Text)+len(a.Thinking))
	for i := range a.Calls {
		c.addCall(it, &a.Calls[i], a.Time)
	}
	return c.relieve()
}

func (c *Conversation) newAnswer(a *Answer) *item {
	step := &pending{key: a.Key, provider: a.Provider, providerID: a.ProviderID}
	step.Role = records.RoleAgent
	step.Timestamp = records.Text(a.Time)
	step.SystemPromptHash = records.Text(a.Prompt)
	step.ToolsAvailable = a.Tools
	if a.Warmup {
		step.CallType = new(records.CallWarmup)
	}
	it := &item{at: a.At, step: step}
	c.push(it)
	c.plant(it)
	if a.Key == "" {
		return it
	}
	if c.state.keys.has(hashID(a.Key)) { // the answer left already, with its tokens
		a.Usage = nil
		c.Drop("late_piece_tokens")
	}
	c.byKey[a.Key] = it
	return it
}

func (c *Conversation) addCall(it *item, one *Call, time string) {
	if one.ID == "" || c.byCall[one.ID] != nil || c.state.calls.has(hashID(one.ID)) {
		c.Drop("repeated_call")
		return
	}
	step := it.step
	step.calls = append(step.calls, &call{Call: *one, time: time})
	step.open++
	c.byCall[one.ID] = it
	c.grow(it, len(one.Input)+len(one.Name)+64)
	if before, found := c.early[one.ID]; found {
		delete(c.early, one.ID)
		it.needs = min(it.needs, before.offset)
		c.join(it, len(step.calls)-1, before.result)
	}
}

// plant adds a step of the main conversation to the tree.
func (c *Conversation) plant(it *item) {
	if c.parent == nil {
		it.node = c.state.tree.plant()
	}
}

// appendID adds the id of a line that a step is read from.
func appendID(ids []string, id string) []string {
	if id == "" || len(id) > maxIDBytes || len(ids) >= maxSourceIDs || slices.Contains(ids, id) {
		return ids
	}
	return append(ids, id)
}

// maxIDBytes is the length of the longest id of a line.
const maxIDBytes = 128

// early is a result that came before its call, and its line.
type early struct {
	result *Result
	offset int64
}

// Settle ends a turn: everything leaves, and a call without a result stays one.
func (c *Conversation) Settle() error {
	if c.held {
		return nil
	}
	for len(c.queue) > 0 {
		if err := c.leave(); err != nil {
			return err
		}
	}
	if len(c.early) > 0 {
		c.state.Dropped["result_without_call"] += len(c.early)
		clear(c.early)
	}
	if c.parent == nil {
		c.fail(c.settleSides())
	}
	return c.err
}

// add appends a block of text.
func add(to **string, s string) {
	switch {
	case s == "":
	case *to == nil:
		*to = &s
	default:
		*to = new(**to + "\n\n" + s)
	}
}
