package opencode

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/rawjson"
)

// answer handles an answer of the model with its calls and their results.
func (s *session) answer(m *message, parts []byte, at records.Locator) error {
	if s.main {
		s.place(m.cwd)
	}
	a := assemble.Answer{
		At: at, Key: cmp.Or(m.id, fmt.Sprintf("@%d", at.Offset)), Time: sessionfile.Millis(m.created),
		Model: sessionfile.ModelOf(m.provider, m.model), Usage: usageOf(m.tokens),
		Stop: m.finish,
	}
	var said, thought []string
	var made []tool
	d := rawjson.NewDecoder(parts)
	for d.OpenArray(); d.Element(); {
		part := d.Raw()
		switch rawjson.MemberText(part, "type") {
		case "text":
			if text := rawjson.MemberText(part, "text"); text != "" && !flag(part, "synthetic") {
				said = append(said, text)
			}
		case "reasoning":
			thought = append(thought, cmp.Or(rawjson.MemberText(part, "text"), sessionfile.Withheld))
		case "tool":
			one := s.tool(part)
			made = append(made, one)
			a.Calls = append(a.Calls, one.call)
		}
	}
	a.Text, a.Thinking = strings.Join(said, "\n\n"), strings.Join(thought, "\n\n")
	if err := s.c.Answer(a); err != nil {
		return err
	}
	if m.summary {
		s.c.Summarised(a.Text, a.Time)
	}
	for i := range made {
		if result, done := s.result(&made[i]); done {
			if err := s.c.Result(at, made[i].call.ID, result); err != nil {
				return err
			}
		}
	}
	s.ended(m)
	s.c.Take()
	return nil
}

// `ended` records an answer that was interrupted or failed, and the answer's cost.
func (s *session) ended(m *message) {
	switch {
	case m.failure == "MessageAbortedError":
		s.c.Broke(records.Interrupted, map[string]any{"timestamp": sessionfile.Millis(m.created)})
	case m.failure != "":
		s.c.Broke(records.Failed, map[string]any{
			"timestamp": sessionfile.Millis(m.created), "text": assemble.Summary(cmp.Or(m.fault, m.failure)),
		})
	default:
		s.c.Change(func(h *assemble.Head) { h.Terminal = "" })
	}
	if m.cost > 0 && m.cost < 1e6 {
		s.state.Cost += m.cost
	}
	sum := s.state.Cost
	s.c.Change(func(h *assemble.Head) { h.SetCost(sum) })
}

// usageOf returns the tokens of an answer, which the client counts without overlap. In versions with a total, the
// output excludes the reasoning; in older versions it includes it.
func usageOf(raw []byte) *assemble.Usage {
	d := rawjson.NewDecoder(raw)
	if d.Kind() != rawjson.Object {
		return nil
	}
	u := &assemble.Usage{}
	var total, reasoning int64
	for d.Open(); d.Member(); {
		switch string(d.Key()) {
		case "cache":
			cache := d.Raw()
			u.CacheReadTokens, u.CacheWriteTokens = max(rawjson.MemberInt(cache, "read"), 0),
				max(rawjson.MemberInt(cache, "write"), 0)
		default:
			d.Take("total", &total, "input", rawjson.Count(&u.InputTokens),
				"output", rawjson.Count(&u.OutputTokens), "reasoning", rawjson.Count(&reasoning))
		}
	}
	if u.InputTokens+u.OutputTokens+u.CacheReadTokens+u.CacheWriteTokens+reasoning <= total {
		u.OutputTokens += reasoning
	}
	return u
}
