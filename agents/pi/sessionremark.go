package pi

import (
	"strings"

	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/rawjson"
)

// remark handles an entry about the conversation.
func (s *session) remark(e *entry, at records.Locator) error {
	switch e.kind {
	case "compaction":
		if prompt := rawjson.Member(e.raw, "systemMessage"); prompt != nil {
			var m message
			m.decode(prompt)
			s.system(&m)
		}
		if err := s.summary(e, at); err != nil {
			return err
		}
		s.c.Append("compactions", "after_step", map[string]any{"timestamp": e.time,
			"tokens_before": rawjson.MemberInt(e.raw, "tokensBefore")})
		s.c.Summarised(rawjson.MemberText(e.raw, "summary"), e.time)
		return nil
	case "branch_summary":
		return s.summary(e, at)
	case "usage":
		return s.spentApart(e, at)
	case "session_info":
		if title := strings.TrimSpace(rawjson.MemberText(e.raw, "name")); title != "" {
			s.c.Change(func(h *assemble.Head) { h.SetMeta("title", title) })
		}
	default: // model_change, thinking_level_change, label, custom and others
		s.c.Skip(sessionfile.Known(e.kind))
		return nil
	}
	s.c.Take()
	return nil
}

// summary handles the summary that replaces earlier text for the model. If it has tokens, it is an answer like any
// other.
func (s *session) summary(e *entry, at records.Locator) error {
	if usage := s.usage(rawjson.Member(e.raw, "usage")); usage != nil {
		a := assemble.Answer{At: at, Time: e.time, Model: s.state.Model, Text: rawjson.MemberText(e.raw, "summary"),
			Usage: usage}
		if err := s.c.Answer(a); err != nil {
			return err
		}
	}
	s.c.Take()
	return nil
}

// spentApart handles tokens without an answer, which the client spends to keep the provider's cache warm.
func (s *session) spentApart(e *entry, at records.Locator) error {
	model := sessionfile.ModelOf(rawjson.MemberText(e.raw, "provider"), rawjson.MemberText(e.raw, "model"))
	a := assemble.Answer{
		At: at, Time: e.time, Model: model, Usage: s.usage(rawjson.Member(e.raw, "usage")),
		Warmup: rawjson.MemberText(e.raw, "kind") == "cache_warm",
	}
	if a.Usage != nil {
		if err := s.c.Answer(a); err != nil {
			return err
		}
	}
	s.c.Take()
	return nil
}
