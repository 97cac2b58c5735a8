package pi

import (
	"cmp"
	"strings"

	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/rawjson"
)

// message is an entry of the conversation.
type message struct {
	role, model, provider, responseID, stop, failure string
	callID, tool                                     string
	failed                                           bool
	content, usage, details, raw                     []byte
}

func (m *message) decode(raw []byte) {
	*m = message{raw: raw}
	_ = rawjson.Fill(raw, "role", &m.role, "content", &m.content, "model", &m.model, "provider", &m.provider,
		"responseId", &m.responseID, "stopReason", &m.stop, "errorMessage", &m.failure, "usage", &m.usage,
		"toolCallId", &m.callID, "toolName", &m.tool, "details", &m.details, "isError", &m.failed)
}

func (s *session) message(e *entry, at records.Locator) error {
	var m message
	m.decode(e.message)
	switch m.role {
	case "user":
		return s.prompt(e, at, sessionfile.Blocks(m.content))
	case "assistant":
		return s.answer(e, &m, at)
	case "toolResult":
		return s.result(e, &m, at)
	case "bashExecution":
		s.c.Append("user_shell", "after_step", map[string]any{"command": rawjson.MemberText(m.raw, "command"),
			"timestamp": e.time})
		s.c.Take()
	case "system":
		s.system(&m)
		s.c.Take()
	default: // messages that extensions and summaries add to the conversation
		s.c.Skip("message:" + sessionfile.Known(m.role))
	}
	return nil
}

// prompt handles the text that the user typed. For a skill, the client writes the skill's text before it.
func (s *session) prompt(e *entry, at records.Locator, said string) error {
	p := assemble.Prompt{At: at, Time: e.time, Text: said}
	skill, args, found := skillOf(said)
	if found {
		p.Source, p.Text = "skill", cmp.Or(args, "/skill:"+skill)
	}
	if strings.TrimSpace(p.Text) == "" {
		s.c.Skip("empty_prompt")
		return nil
	}
	if err := s.c.Asked(p, s.state.Open > 0); err != nil {
		return err
	}
	if found {
		s.c.Append("skill_invocations", "step", map[string]any{
			"skill": skill, "args": args, "command": "/skill:" + skill, "source": "slash_command", "timestamp": e.time,
			"line": at.Line, "uuid": e.id,
		})
	}
	return nil
}

// skillOf parses the client's text for /skill:name arguments.
func skillOf(said string) (name, args string, found bool) {
	rest, found := strings.CutPrefix(said, `<skill name="`)
	if !found {
		return "", "", false
	}
	name, rest, found = strings.Cut(rest, `"`)
	if !found || name == "" || len(name) > 100 {
		return "", "", false
	}
	_, args, found = strings.Cut(rest, "\n</skill>")
	return payload.Name(name), strings.TrimSpace(args), found
}

// answer handles an answer of the model.
func (s *session) answer(e *entry, m *message, at records.Locator) error {
	a := assemble.Answer{
		At: at, Time: e.time, Model: sessionfile.ModelOf(m.provider, m.model), Provider: m.provider, ProviderID: m.responseID,
		Prompt: s.state.Prompt, Usage: s.usage(m.usage), Stop: m.stop,
	}
	s.state.Model = a.Model
	if strings.HasPrefix(m.provider, "openai") {
		a.Provider = "openai"
	}
	var said, thought []string
	d := rawjson.NewDecoder(m.content)
	for d.OpenArray(); d.Element(); {
		block := d.Raw()
		switch rawjson.MemberText(block, "type") {
		case "text":
			said = append(said, rawjson.MemberText(block, "text"))
		case "thinking":
			thought = append(thought, cmp.Or(rawjson.MemberText(block, "thinking"), sessionfile.Withheld))
		case "toolCall":
			a.Calls = append(a.Calls, tools.Call(rawjson.MemberText(block, "id"), rawjson.MemberText(block, "name"),
				rawjson.Member(block, "arguments"), s.state.Cwd))
		}
	}
	a.Text, a.Thinking = strings.Join(said, "\n\n"), strings.Join(thought, "\n\n")
	s.state.Open += len(a.Calls)
	if s.state.Open < 0 {
		s.state.Open = 0
	}
	if len(said)+len(thought)+len(a.Calls) > 0 || a.Usage != nil && a.Usage.TokenUsage != (records.TokenUsage{}) {
		if err := s.c.Answer(a); err != nil {
			return err
		}
	}
	s.ended(e, m)
	s.c.Take()
	return nil
}

// `ended` records an answer that was interrupted or failed.
func (s *session) ended(e *entry, m *message) {
	switch m.stop {
	case "aborted":
		s.c.Broke(records.Interrupted, map[string]any{"timestamp": e.time})
	case "error":
		s.c.Broke(records.Failed, map[string]any{"timestamp": e.time, "text": assemble.Summary(m.failure)})
	default:
		s.c.Change(func(h *assemble.Head) { h.Terminal = "" })
		return
	}
	s.state.Open = 0 // calls of such an answer are not made
}

// usage returns the tokens of an answer. The prompt's tokens do not include the cache.
func (s *session) usage(raw []byte) *assemble.Usage {
	u := sessionfile.Counts{Input: "input", Output: "output", Read: "cacheRead", Write: "cacheWrite"}.Usage(raw)
	if u != nil {
		s.spent(rawjson.Member(raw, "cost"))
		u.CacheWrite1H = min(max(rawjson.MemberInt(raw, "cacheWrite1h"), 0), u.CacheWriteTokens)
	}
	return u
}

func (s *session) spent(cost []byte) {
	d := rawjson.NewDecoder(rawjson.Member(cost, "total"))
	if total := d.Float(); total > 0 && total < 1e6 {
		s.state.Cost += total
		sum := s.state.Cost
		s.c.Change(func(h *assemble.Head) { h.SetCost(sum) })
	}
}

// system handles the system prompt and the tools of the following answers. Later entries change parts of them.
func (s *session) system(m *message) {
	prompt := sessionfile.Blocks(m.content)
	d := rawjson.NewDecoder(m.raw)
	for d.Open(); d.Member(); {
		switch string(d.Key()) {
		case "sections":
			for d.Open(); d.Member(); {
				prompt += "\n\n" + d.Text()
			}
		case "toolsAdded":
			for d.OpenArray(); d.Element(); {
				definition := rawjson.Cleaned(d.Raw())
				if name := rawjson.MemberText(definition, "name"); name != "" {
					s.c.Change(func(h *assemble.Head) { h.AddTool(name, definition) })
				}
			}
		}
	}
	if prompt = strings.TrimSpace(prompt); prompt != "" {
		s.state.Prompt = s.c.SystemPrompt(prompt)
	}
}
