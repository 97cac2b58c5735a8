package otel

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/foreign"
	"github.com/git-trace/git-trace/records/messages"
	"github.com/git-trace/git-trace/records/rawjson"
)

// Read reads the conversations of a file, in the order of their first spans. It keeps the whole file in memory, because
// the spans of a conversation may be anywhere in it.
func Read(r io.Reader, yield func(row int, record *records.Record) error) error {
	var all []*span
	err := foreign.Documents(r, nil, func(d *foreign.Document) error {
		d.Keep() // the spans refer to it
		list, err := spansOf(d)
		if err != nil {
			return d.Fault(err)
		}
		if all = append(all, list...); len(all) > maxSpans {
			return d.Fault(errMany)
		}
		return nil
	})
	if err == nil && len(all) == 0 {
		return &foreign.Fault{Place: foreign.Place{Row: 1}, Err: foreign.ErrEmpty}
	}
	if err != nil {
		return err
	}
	order, groups := grouped(all)
	said := false
	for _, id := range order {
		from := &groups[id][0].from
		record, err := conversation(id, "", groups[id])
		switch {
		case errors.Is(err, foreign.ErrNothing): // for example, spans of web requests
			continue
		case err != nil:
			return from.Fault(fmt.Errorf("conversation %.60s: %w", id, err))
		}
		said = true
		if err := yield(from.Row, record); err != nil {
			return err
		}
	}
	if !said {
		return groups[order[0]][0].from.Fault(foreign.ErrNothing)
	}
	return nil
}

// `grouped` groups spans by conversation. Spans of tools and agents often have no conversation id. They then belong to
// the only conversation of their trace.
func grouped(all []*span) (order []string, groups map[string][]*span) {
	several, only := map[string]bool{}, map[string]string{}
	for _, s := range all {
		if id := s.conversation(); id != "" && s.trace != "" {
			several[s.trace] = several[s.trace] || only[s.trace] != "" && only[s.trace] != id
			only[s.trace] = id
		}
	}
	groups = map[string][]*span{}
	for _, s := range all {
		id := s.conversation()
		if id == "" && !several[s.trace] {
			id = only[s.trace]
		}
		if id = cmp.Or(id, s.trace, fmt.Sprintf("row-%d", s.from.Row)); groups[id] == nil {
			order = append(order, id)
		}
		groups[id] = append(groups[id], s)
	}
	return order, groups
}

func (s *span) conversation() string {
	return s.text("gen_ai.conversation.id", "session.id", "conversation.id")
}

// talk is a conversation that is being assembled.
type talk struct {
	*foreign.Talk
	history  []string
	seen     map[string]bool
	answered map[string]bool
	tools    map[string]*span // tool spans, by call id
	*told
}

// `told` holds the data that a conversation and its subagents have in common.
type told struct {
	scopes    *scopes
	items     map[*span][]item
	wraps     map[string][]string // the outputs of the model spans directly below a span
	responses map[string]bool
	gaps      int
	absent    int // answers whose content was not recorded
	truncated int // answers whose messages were cut off
	faults    int
}

// Conversation reads all lines of [Items] as one conversation.
func Conversation(r io.Reader, agent, session string) (*records.Record, error) {
	var all []*span
	err := foreign.Documents(r, nil, func(d *foreign.Document) error {
		d.Keep()
		list, err := spansOf(d)
		all = append(all, list...)
		return err
	})
	if err != nil {
		return nil, err
	}
	return conversation(session, agent, all)
}

// Made reports whether a record was made from spans or events.
func Made(r *records.Record) bool {
	return rawjson.MemberText(r.Metadata["source"], "format") == Name
}

// conversation assembles a conversation. The parameter `agent` is the name of its agent; "" if the spans have the name.
func conversation(id, agent string, list []*span) (*records.Record, error) {
	list = spansOfEvents(list)
	slices.SortStableFunc(list, func(a, b *span) int { return a.start.Compare(b.start) })
	if len(list) == 0 {
		return nil, foreign.ErrNothing
	}
	named, service := "", ""
	wraps := map[string][]string{} // the outputs of the model spans directly below a span
	for _, s := range list {
		named, service = cmp.Or(named, s.text("gen_ai.agent.name", "agent.name")), cmp.Or(service, s.service)
		if s.kind() == model {
			wraps[s.parent] = append(wraps[s.parent], saidBy(s))
		}
	}
	answering(list)
	c := scopesOf(list)
	t := newTalk(&told{scopes: c, items: c.items(list), wraps: wraps, responses: map[string]bool{}})
	t.Talk = foreign.Begin(&list[0].from, foreign.Origin{Format: Name, Agent: cmp.Or(agent, named, service), Session: id,
		Context: records.Runtime})
	err := t.play(nil)
	for _, s := range list {
		if _, within := c.above[s]; err == nil && s.agent() && !within {
			err = t.rest(s)
		}
	}
	if err != nil {
		return nil, err
	}
	if t.Made() == 0 {
		return nil, foreign.ErrNothing
	}
	record, err := t.Record()
	if err != nil {
		return nil, err
	}
	for name, n := range map[string]int{"gap": t.gaps, "content_absent": t.absent, "truncated_attributes": t.truncated,
		"api_errors": t.faults} {
		if n > 0 {
			record.SetMeta(name, n)
		}
	}
	return record, nil
}

// answering treats the spans of the outermost agents as answers, with their input and output, if there are no model
// spans.
func answering(list []*span) {
	ids := map[string]*span{}
	for _, s := range list {
		if s.kind() == model {
			return
		}
		ids[s.id] = s
	}
	for _, s := range list {
		within := false
		for at, n := ids[s.parent], 0; at != nil && n < maxAgentDepth && !within; at, n = ids[at.parent], n+1 {
			within = at.answers || at.agent()
		}
		_, told := outputs(s)
		s.answers = s.agent() && !within && (told || s.text("gen_ai.request.model", "gen_ai.response.model") != "")
	}
}

// rest adds the messages after the last answer of an agent.
func (t *talk) rest(agent *span) error {
	if agent.text(deltaAttr) == "" {
		return nil
	}
	for _, m := range inputs(agent) {
		if err := t.message(&m, stamp(agent.end)); err != nil {
			return err
		}
	}
	return nil
}

func newTalk(of *told) *talk {
	return &talk{told: of, seen: map[string]bool{}, answered: map[string]bool{}, tools: map[string]*span{}}
}

// play adds an agent's spans in the order of time. An inner agent is added at its start.
func (t *talk) play(agent *span) error {
	list := t.items[agent]
	var calls []*span
	for i, one := range list {
		switch s := one.span; {
		case one.sub != nil:
			side := newTalk(t.told)
			side.Talk = t.Sub(t.scopes.call[one.sub], one.sub.id, one.sub.agentName())
			if err := errors.Join(side.play(one.sub), side.rest(one.sub), side.Close()); err != nil {
				return err
			}
		case s.kind() == tool:
			calls = append(calls, s)
		case s.kind() == asked:
			if err := t.message(&messages.Message{Role: "user", Text: s.text("prompt")}, stamp(s.start)); err != nil {
				return err
			}
		case t.twice(s):
		default:
			if err := t.answer(s, callsAfter(list[i+1:])); err != nil {
				return err
			}
		}
	}
	for _, s := range calls {
		if err := t.ended(s); err != nil {
			return err
		}
	}
	return nil
}

// `twice` reports whether another span has the same answer: a span below this one, or a span with the same response id.
func (t *talk) twice(s *span) bool {
	response := s.text("gen_ai.response.id", "ai.response.id")
	if s.id != "" && slices.Contains(t.wraps[s.id], saidBy(s)) || response != "" && t.responses[response] {
		return true
	}
	t.responses[response] = true
	return false
}

// saidBy returns a key of a span's output. A span around another one may have the same output.
func saidBy(s *span) string {
	out, _ := outputs(s)
	return key(&out)
}

// kind is the kind of a span.
type kind int

const (
	other kind = iota
	model
	tool
	asked
)

func (s *span) kind() kind {
	if s.asks {
		return asked
	}
	if s.answers {
		return model
	}
	switch s.text("gen_ai.operation.name") {
	case "chat", "generate_content", "text_completion":
		return model
	case "execute_tool":
		return tool
	}
	switch s.text("openinference.span.kind") {
	case "LLM":
		return model
	case "TOOL":
		return tool
	}
	switch s.name {
	case "ai.generateText.doGenerate", "ai.streamText.doStream", "ai.generateObject.doGenerate",
		"ai.streamObject.doStream":
		return model
	case "ai.toolCall":
		return tool
	}
	return other
}

// answer adds the messages before an answer, then the answer and the data about its calls.
func (t *talk) answer(s *span, called []*span) error {
	at := stamp(s.start)
	if t.Made() == 0 {
		t.SystemPrompt(instructions(s))
		t.Tools(s.json("gen_ai.tool.definitions"))
	}
	for _, m := range t.unsaid(s) {
		if err := t.message(&m, at); err != nil {
			return err
		}
	}
	if s.cut() {
		t.truncated++
	}
	out, told := outputs(s)
	if s.failed && !told {
		t.faults++
		return nil
	}
	if !told || s.untold {
		t.absent++
	}
	if !told || s.answers {
		for i, one := range called {
			input, _ := foreign.Arguments(one.attrs["gen_ai.tool.call.arguments"])
			id := cmp.Or(one.callID(), fmt.Sprintf("span_%d_%d", t.Made(), i))
			one.attrs["gen_ai.tool.call.id"] = []byte(`"` + id + `"`)
			out.Calls = append(out.Calls, assemble.Call{ID: id, Name: one.tool(), Input: input})
		}
	}
	t.said(&out)
	usage := t.Usage(s.int("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt",
		"ai.usage.promptTokens"), s.int("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens",
		"llm.token_count.completion", "ai.usage.completionTokens"),
		s.int("gen_ai.usage.cache_read.input_tokens", "llm.token_count.prompt_details.cache_read"),
		s.int("gen_ai.usage.cache_creation.input_tokens", "llm.token_count.prompt_details.cache_write"))
	cost := rawjson.NewDecoder(s.attrs["llm.cost.total"])
	t.Cost(cost.Float())
	t.Take()
	name := s.text("gen_ai.response.model", "gen_ai.request.model", "llm.model_name", "ai.model.id")
	err := t.Agent(assemble.Answer{Time: cmp.Or(stamp(s.end), at), Text: out.Text, Thinking: out.Thinking,
		Calls: out.Calls, Model: assemble.Model(name), Usage: usage})
	for _, one := range called {
		if id := one.callID(); err == nil && id != "" {
			t.tools[id] = one
		}
	}
	return err
}

// instructions returns the system instructions that are not part of the messages.
func instructions(s *span) string {
	d := rawjson.NewDecoder(s.json("gen_ai.system_instructions"))
	if d.Kind() != rawjson.Array {
		return s.text("gen_ai.system_instructions")
	}
	text := ""
	for d.OpenArray(); d.Element(); {
		text += rawjson.Unquote(first(d.Raw(), "content", "text"))
	}
	return text
}

// `unsaid` returns the new messages in the input of an answer: the messages after the part that equals the history or,
// if nothing is equal, after the last known message.
func (t *talk) unsaid(s *span) []messages.Message {
	list := inputs(s)
	if s.text(deltaAttr) != "" {
		return list
	}
	n := 0
	for n < len(list) && n < len(t.history) && key(&list[n]) == t.history[n] {
		n++
	}
	for i := len(list) - 1; n == 0 && i >= 0; i-- {
		if t.seen[key(&list[i])] {
			n = i + 1
		}
	}
	return list[n:]
}

func (t *talk) said(m *messages.Message) {
	id := key(m)
	t.history = append(t.history, id)
	t.seen[id] = true
}

// message adds a message before an answer.
func (t *talk) message(m *messages.Message, at string) error {
	t.said(m)
	for _, r := range m.Results {
		if err := t.result(r.ID, r.Result); err != nil {
			return err
		}
	}
	switch m.Role {
	case "system", "developer":
		return t.System(m.Text, at)
	case "assistant", "model":
		t.gaps++
		return t.Agent(assemble.Answer{Time: at, Text: m.Text, Thinking: m.Thinking, Calls: m.Calls})
	}
	if m.Text == "" || m.Role == "tool" {
		return nil
	}
	for id, s := range t.tools {
		if err := t.endedOf(id, s); err != nil {
			return err
		}
	}
	return t.User(m.Text, at, "")
}
