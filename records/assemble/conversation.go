package assemble

import (
	"encoding/json"
	"slices"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/prices"
)

// Options say what a conversation is.
type Options struct {
	Agent   string // the agent's name: claude-code
	Session string // the agent's own id of the session
	TraceID string
	Prices  *prices.Table // nil stands for the table that comes with git-trace
	// Relative gives the path of a file within the repository; false for one outside. nil stands for the path below the
	// directory that the conversation began in.
	Relative func(path string) (string, bool)
	// Subagent is called when a step has been handed on whose call started a subagent, as far as the result tells its id. It
	// puts the subagent's own session file, if it finds one, into the conversation that Child gives.
	Subagent func(parent *Conversation, step int, c *Call, id string) error
}

// Conversation puts one conversation together, or that of one subagent.
type Conversation struct {
	*shared
	parent *Conversation // nil for the main conversation
	step   int           // the step whose call started the subagent; 0 for the main conversation or when it is not known
	role   string        // the kind of the subagent
	id     string        // the agent's id of the subagent
	held   bool          // nothing leaves before the parent's step has left
	listed int           // place in the list of subagents, from 1

	queue     []*item
	byKey     map[string]*item
	byCall    map[string]*item
	registers json.RawMessage
	early     map[string]early // results that came before their calls
	before    int              // how many ids had been seen before this line
	leftAt    int64            // the last line that had to do with a step that has left
}

// shared is what a conversation and those of its subagents have in common.
type shared struct {
	options Options
	sink    records.Sink
	state   *state
	waiting int // bytes that wait
	sides   int // subagents that are told in the same file
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

// Child begins the conversation of a subagent that has a session file of its own; its steps are handed on as they come.
func (c *Conversation) Child(step int, id, role string) *Conversation {
	return &Conversation{
		shared: c.shared, parent: c, step: step, id: id, role: role, leftAt: -1,
		byKey: map[string]*item{}, byCall: map[string]*item{}, early: map[string]early{},
	}
}

// Waiting gives a call that has no result yet and whose step has not left, nil for any other.
func (c *Conversation) Waiting(callID string) *Call {
	it := c.byCall[callID]
	if it == nil {
		return nil
	}
	for _, one := range it.step.calls {
		if one.ID == callID && one.result == nil {
			return &one.Call
		}
	}
	return nil
}

// Pending lists the calls of some tools that have no result yet, the latest first.
func (c *Conversation) Pending(tools ...string) []*Call {
	var calls []*Call
	for _, it := range slices.Backward(c.queue) {
		if it.step == nil {
			continue
		}
		for _, one := range slices.Backward(it.step.calls) {
			if one.result == nil && slices.Contains(tools, one.Name) {
				calls = append(calls, &one.Call)
			}
		}
	}
	return calls
}

// Side begins the conversation of a subagent that is told in the same file as its parent's. It is handed on after the step
// that holds the call; "" stands for a call that is not known.
func (c *Conversation) Side(callID, id, role string) *Conversation {
	side := c.Child(0, id, role)
	side.held = true
	c.sides++
	if it := c.byCall[callID]; it != nil {
		it.step.sides = append(it.step.sides, side)
		return side
	}
	side.step = c.state.steps[callID]
	c.remark(func(*state) { c.fail(side.release(side.step)) })
	return side
}

// release hands a held conversation on, and lets go what comes later.
func (c *Conversation) release(step int) error {
	if !c.held {
		return nil
	}
	c.held, c.step = false, step
	return c.Settle()
}

// fail keeps the first error of a sink; every later move gives it.
func (c *Conversation) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// Begin begins a line and tells whether it is new: none with its id was taken before. Session files that were forked or
// resumed hold copies of lines. A line without an id is always new.
func (c *Conversation) Begin(id string) bool {
	c.before = c.state.seen.len()
	return id == "" || c.state.seen.add(hashID(id))
}

// Remember sets what the parser must know to go on from here: any JSON. It is given back by Resume.
func (c *Conversation) Remember(registers json.RawMessage) { c.registers = registers }

// Take counts a line that is in the record.
func (c *Conversation) Take() {
	if it := c.lastItem(); it != nil {
		it.lines++
		return
	}
	c.state.Lines++
}

// Skip counts a line that is not in the record, with its reason.
func (c *Conversation) Skip(reason string) {
	it := c.lastItem()
	if it == nil {
		c.state.skip(reason, 1)
		return
	}
	if it.skipped == nil {
		it.skipped = map[string]int{}
	}
	if len(it.skipped) >= maxReasons && it.skipped[reason] == 0 {
		reason = "other"
	}
	it.skipped[reason]++
}

// lastItem is what remarks are added to, nil when nothing waits.
func (c *Conversation) lastItem() *item {
	if len(c.queue) == 0 {
		if !c.held {
			return nil
		}
		c.push(&item{})
	}
	return c.queue[len(c.queue)-1]
}

// Drop counts something else that is not in the record, with its reason.
func (c *Conversation) Drop(reason string) {
	c.remark(func(s *state) { s.Dropped[reason]++ })
}

// Append adds a value to a list of the metadata. If after is not "", the value becomes an object with a member of this
// name that holds the number of the step before it.
func (c *Conversation) Append(list, after string, value map[string]any) {
	c.remark(func(s *state) {
		if after != "" {
			value[after] = s.Next
		}
		s.appendTo(list, value)
	})
}

// Change changes what is known of the conversation as a whole, when everything before it has been handed on.
func (c *Conversation) Change(change func(h *Head)) {
	c.remark(func(s *state) { change(&s.Head) })
}

func (c *Conversation) remark(apply func(s *state)) {
	it := c.lastItem()
	if it == nil {
		apply(c.state)
		return
	}
	it.remarks = append(it.remarks, apply)
	c.grow(it, 64)
}

// Prompt takes a prompt. One that the user wrote after the agent had finished ends the turn before it: the parser calls
// Settle first. One that was typed while the agent worked does not.
func (c *Conversation) Prompt(p Prompt) error {
	it := &item{at: p.At}
	c.push(it)
	return c.prompt(it, p)
}

func (c *Conversation) prompt(it *item, p Prompt) error {
	step := &pending{time: p.Time, source: p.Source}
	if p.Warmup {
		step.CallType = new(records.CallWarmup)
	}
	step.Role = records.RoleUser
	step.Content = text(p.Text)
	step.Timestamp = text(p.Time)
	it.step, it.kept = step, false
	c.grow(it, len(p.Text))
	return c.relieve()
}

// Place is kept for a prompt of which only a later line will tell whether it is one.
type Place struct{ it *item }

// Keep keeps a place for a prompt.
func (c *Conversation) Keep(at records.Locator) *Place {
	it := &item{at: at, kept: true}
	c.push(it)
	return &Place{it}
}

// Release gives up a place and adds a value to a list of the metadata in its stead, with the number of the step before it.
func (c *Conversation) Release(place *Place, list string, value map[string]any) {
	note := func(s *state) {
		value["after_step"] = s.Next
		s.appendTo(list, value)
	}
	if place.it.gone {
		c.remark(note)
		return
	}
	place.it.kept = false
	place.it.remarks = append(place.it.remarks, note)
}

// Fill puts a prompt into its place. What stands before it leaves: a turn has ended.
func (c *Conversation) Fill(place *Place, p Prompt) error {
	if place.it.gone {
		return c.Prompt(p)
	}
	for !c.held && c.queue[0] != place.it {
		if err := c.leave(); err != nil {
			return err
		}
	}
	return c.prompt(place.it, p)
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
	add(&step.Content, a.Text)
	if a.Thinking != deref(step.ReasoningContent) { // what a provider withholds it withholds in pieces
		add(&step.ReasoningContent, a.Thinking)
	}
	if step.Model == nil {
		step.Model = text(a.Model)
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
	step.Timestamp = text(a.Time)
	step.SystemPromptHash = text(a.Prompt)
	step.ToolsAvailable = a.Tools
	if a.Warmup {
		step.CallType = new(records.CallWarmup)
	}
	it := &item{at: a.At, step: step}
	c.push(it)
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

// early is a result that came before its call, and the line that it came with.
type early struct {
	result *Result
	offset int64
}

// join gives a call its result.
func (c *Conversation) join(it *item, i int, r *Result) {
	it.step.calls[i].result = r
	it.step.open--
	it.step.time = later(it.step.time, r.Time)
	size := 0
	if r.Content != nil {
		size = len(*r.Content)
	}
	for _, edit := range r.Edits {
		size += len(edit.Text)
	}
	c.grow(it, size)
}

// Result takes the result of a call.
func (c *Conversation) Result(at records.Locator, callID string, r Result) error {
	it := c.byCall[callID]
	if it == nil {
		return c.late(at, callID, r)
	}
	it.last = max(it.last, at.Offset)
	i := slices.IndexFunc(it.step.calls, func(one *call) bool { return one.ID == callID })
	if it.step.calls[i].result != nil {
		c.Drop("repeated_result")
		return nil
	}
	c.join(it, i, &r)
	return c.relieve()
}

// maxEarly is how many results may wait for their calls.
const maxEarly = 64

// late takes a result whose step has left, or whose call has not come yet: lines are written by several hands.
func (c *Conversation) late(at records.Locator, callID string, r Result) error {
	step, waited := c.state.steps[callID]
	switch {
	case waited:
	case c.state.calls.has(hashID(callID)):
		c.Drop("repeated_result")
		return nil
	case callID == "" || len(c.early) >= maxEarly:
		c.Drop("result_without_call")
		return nil
	default:
		c.early[callID] = early{&r, at.Offset}
		return nil
	}
	observation := observe(callID, &r)
	c.remark(func(s *state) {
		delete(s.steps, callID)
		s.Dropped["no_result"]--
		s.LateResults++
		c.fail(c.sink.Late(step, observation))
		if r.Subagent != "" && c.options.Subagent != nil {
			c.fail(c.options.Subagent(c, step, &Call{ID: callID}, r.Subagent))
		}
	})
	return c.err
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
	return c.err
}

// text is a pointer to a text, nil for an empty one.
func text(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// add adds a block of text to what is there.
func add(to **string, s string) {
	switch {
	case s == "":
	case *to == nil:
		*to = &s
	default:
		*to = new(**to + "\n\n" + s)
	}
}
