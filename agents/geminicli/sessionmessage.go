package geminicli

import (
	"cmp"
	"strings"

	"github.com/git-trace/git-trace/agents/geminiform"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/rawjson"
)

// message handles a message. The client may write a message again, with its calls and their results.
func (s *session) message(m *message, at records.Locator) error {
	fresh := s.c.Begin(m.id)
	switch m.kind {
	case "gemini":
		return s.answer(m, at, fresh)
	case "user":
		if fresh {
			return s.user(m, at)
		}
	case "info", "warning", "error":
		if fresh {
			return s.notice(m)
		}
	default:
		s.skip(sessionfile.Known(m.kind))
		return nil
	}
	s.skip("repeated")
	return nil
}

// answer handles an answer of the model, or a further part of it.
func (s *session) answer(m *message, at records.Locator, fresh bool) error {
	key := cmp.Or(m.id, at.ID)
	if fresh || s.c.Waits(key) {
		a := assemble.Answer{
			At: at, Key: key, Time: m.time, Model: assemble.Model(m.model), Provider: "google", Anew: true,
			Text: strings.Join(geminiform.ReadParts(m.content, "").Texts, "\n\n"), Thinking: thinking(m.thoughts),
			Usage: usageOf(m.tokens),
		}
		for _, one := range s.calls(m.calls) {
			if !s.c.Called(one.call.ID) {
				a.Calls = append(a.Calls, one.call)
			}
		}
		if err := s.c.Answer(a); err != nil {
			return err
		}
	}
	for _, one := range s.calls(m.calls) {
		if err := s.result(&one, at); err != nil {
			return err
		}
	}
	s.c.Change(func(h *assemble.Head) { h.Terminal = "" })
	s.take()
	return nil
}

func thinking(raw []byte) string {
	var thoughts []string
	d := rawjson.NewDecoder(raw)
	for d.OpenArray(); d.Element(); {
		one := d.Raw()
		thought := strings.TrimSpace(rawjson.MemberText(one, "subject") + "\n" + rawjson.MemberText(one, "description"))
		if thought != "" {
			thoughts = append(thoughts, thought)
		}
	}
	return strings.Join(thoughts, "\n\n")
}

// usageOf returns the tokens of an answer. The input includes the cached tokens. Thinking is added to the output, and
// the prompts of tools to the input.
func usageOf(raw []byte) *assemble.Usage {
	d := rawjson.NewDecoder(raw)
	if d.Kind() != rawjson.Object {
		return nil
	}
	u := &assemble.Usage{}
	for d.Open(); d.Member(); {
		switch string(d.Key()) {
		case "input", "tool":
			u.InputTokens += max(d.Int(), 0)
		case "output", "thoughts":
			u.OutputTokens += max(d.Int(), 0)
		case "cached":
			u.CacheReadTokens = max(d.Int(), 0)
		}
	}
	u.InputTokens = max(u.InputTokens-u.CacheReadTokens, 0)
	return u
}

type done struct {
	call                assemble.Call
	result, display     []byte
	status, time, agent string
}

func (s *session) calls(raw []byte) []done {
	var list []done
	d := rawjson.NewDecoder(raw)
	for d.OpenArray(); d.Element(); {
		one := done{call: assemble.Call{Input: []byte("{}")}}
		for d.Open(); d.Member(); {
			switch string(d.Key()) {
			case "name":
				one.call.Name = sessionfile.Known(d.Text())
			case "args":
				one.call.Input = rawjson.Cleaned(d.Raw())
			default:
				d.Take("id", &one.call.ID, "result", &one.result, "status", &one.status, "timestamp", &one.time,
					"resultDisplay", &one.display, "agentId", &one.agent)
			}
		}
		geminiform.Describe(&one.call, s.state.Cwd)
		list = append(list, one)
	}
	return list
}

// result handles the result of a call, once.
func (s *session) result(one *done, at records.Locator) error {
	responses := geminiform.Responses(one.result)
	waiting := s.c.Waiting(one.call.ID)
	if len(responses) == 0 || waiting == nil && !s.c.Expects(one.call.ID) {
		return nil
	}
	response := responses[0]
	for _, more := range responses[1:] {
		response.Output += "\n" + more.Output
	}
	result := response.Result(waiting, geminiform.Outcome{Status: one.status, Display: one.display, Cwd: s.state.Cwd},
		one.time)
	result.Subagent = one.agent
	if n := geminiform.UserLines(one.display); n > 0 {
		s.c.Append("user_modified_edits", "after_step", map[string]any{"tool_call_id": one.call.ID, "lines": n})
	}
	return s.c.Result(at, one.call.ID, result)
}

// user handles a message with the role user: a prompt, the client's text for the model, or results of calls, which the
// calls contain too.
func (s *session) user(m *message, at records.Locator) error {
	parts := geminiform.ReadParts(m.content, s.state.Cwd)
	if len(parts.Responses) > 0 {
		for _, response := range parts.Responses {
			call := s.c.Waiting(response.ID)
			if call == nil {
				continue
			}
			if err := s.c.Result(at, response.ID, response.Result(call, geminiform.Outcome{Cwd: s.state.Cwd},
				m.time)); err != nil {
				return err
			}
		}
		s.take()
		return nil
	}
	if m.shown != nil { // the typed text, without the files that it refers to
		parts = geminiform.ReadParts(m.shown, "")
	}
	text := strings.TrimSpace(strings.Join(parts.Texts, ""))
	if tag, tagged := sessionfile.Tagged(text); tagged && (strings.HasSuffix(tag, "_context") || tag == "state_snapshot") {
		s.place(workspace(text))
		s.skip("injected_context")
		return nil
	}
	if text == "" || strings.HasPrefix(text, "This is the Gemini CLI. We are setting up the context") {
		s.skip("injected_context")
		return nil
	}
	if !s.listed {
		if err := s.c.Settle(); err != nil {
			return err
		}
	}
	if err := s.c.Prompt(assemble.Prompt{At: at, Time: m.time, Text: text}); err != nil {
		return err
	}
	s.c.Change(func(h *assemble.Head) { h.Terminal = "" })
	s.take()
	return nil
}

// workspace returns the first directory in the client's text for the model.
func workspace(text string) string {
	_, rest, found := strings.Cut(text, "**Workspace Directories:**\n  - ")
	if !found {
		return ""
	}
	dir, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSpace(dir)
}

// notice handles the client's message to the user.
func (s *session) notice(m *message) error {
	text := strings.Join(geminiform.ReadParts(m.content, "").Texts, "\n")
	switch {
	case m.kind == "error":
		s.c.Broke(records.Failed, map[string]any{"timestamp": m.time, "text": assemble.Summary(text)})
	case strings.HasPrefix(text, "Request cancelled"):
		s.c.Broke(records.Interrupted, map[string]any{"timestamp": m.time})
	default:
		s.skip(m.kind)
		return nil
	}
	s.take()
	return nil
}
