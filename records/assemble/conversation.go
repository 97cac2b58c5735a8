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
	Agent   string // the agent's name, as in claude-code
	Session string // the agent's own id of the session
	TraceID string
	Method  string        // the source of the conversation; "" means session_file
	Prices  *prices.Table // nil for git-trace's own table
	// Relative returns the path of a file relative to the repository; false for a file outside. Without it, paths are
	// relative to the directory in which the conversation began.
	Relative func(path string) (string, bool)
	// Subagent is called after a step was passed to the sink, once for each call of the step; id is the subagent that the
	// call started, or "". If Subagent finds a separate session file of the subagent, it reads the file into the
	// conversation that Child returns.
	Subagent func(parent *Conversation, step int, c *Call, id string) error
}

// Conversation assembles the main conversation, or the conversation of a subagent.
type Conversation struct {
	*shared
	parent *Conversation // nil for the main conversation
	step   int           // the step whose call started the subagent; 0 if unknown, or for the main conversation
	role   string        // the kind of subagent
	id     string        // the agent's id of the subagent
	held   bool          // no step is passed on before the parent's step
	closed bool          // complete
	listed int           // the position in the list of subagents, from 1

	queue     []*item
	byKey     map[string]*item
	byCall    map[string]*item
	registers json.RawMessage
	early     map[string]early // results that came before their calls
	before    int              // the number of ids that had been seen before this line
	leftAt    int64            // the offset of the last line about a step that was passed on
}

// shared holds the data that a conversation and its subagents have in common.
type shared struct {
	options Options
	sink    records.Sink
	state   *state
	waiting int             // the size of the waiting steps, in bytes
	sides   []*Conversation // the subagents in the same file
	err     error
}

// New starts a conversation.
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

// fail keeps the first error of a sink; every later method returns it.
func (c *Conversation) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// Begin starts a line and reports whether the line is new: its id has not occurred before. Session files of forked or
// resumed sessions contain copies of lines. A line without an id is always new.
func (c *Conversation) Begin(id string) bool {
	c.before = c.state.seen.len()
	if c.parent == nil { // a subagent may be read before a line of the main conversation has a node
		c.state.tree.settle(c.before)
	}
	return id == "" || c.state.seen.add(hashID(id))
}

// Remember stores the parser's state, as any JSON, for a later continuation at this line. Resume gets it back in the
// cursor.
func (c *Conversation) Remember(registers json.RawMessage) { c.registers = registers }

// Prompt adds a prompt. If the user wrote the prompt after the agent had finished, the parser calls Settle first, to
// end the previous turn. It does not do so for a prompt that was typed while the agent worked.
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

// Answer adds a piece of an answer.
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
	if c.state.keys.has(hashID(a.Key)) { // the answer was already passed on with its tokens
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

// appendID adds the id of a line from which a step was read.
func appendID(ids []string, id string) []string {
	if id == "" || len(id) > maxIDBytes || len(ids) >= maxSourceIDs || slices.Contains(ids, id) {
		return ids
	}
	return append(ids, id)
}

// maxIDBytes is the greatest length of a line's id that is kept.
const maxIDBytes = 128

// early is a result that came before its call, with the offset of its line.
type early struct {
	result *Result
	offset int64
}

// Settle ends a turn: all waiting steps are passed on, even if a call has no result.
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

// add appends a block to a text.
func add(to **string, s string) {
	switch {
	case s == "":
	case *to == nil:
		*to = &s
	default:
		*to = new(**to + "\n\n" + s)
	}
}
