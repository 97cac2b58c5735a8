package openhands

import (
	"bytes"
	"cmp"
	"context"
	"path/filepath"
	"strings"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/jsonlines"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/rawjson"
)

// Parse reads a conversation.
func (s sessions) Parse(ctx context.Context, path string, options capability.ParseOptions,
	sink records.Sink) (*capability.Parsed, error) {
	kind := sessionfile.Kind{
		Agent: Name, Open: open,
		Session: func(path string, _ sessionfile.File) string {
			if filepath.Base(path) != stateFile {
				return ""
			}
			return idOf(stateOf(path), path)
		},
		Format: func(c *assemble.Conversation, of sessionfile.Place) sessionfile.Format {
			s := &session{c: c, answers: map[string]*assemble.Usage{},
				begun: map[string]foreignCall{}, ended: map[string]bool{}}
			s.ahead(of.Path)
			return s
		},
	}
	if filepath.Base(path) != stateFile {
		options.Cursor = nil // the state of the answers so far is not kept
	}
	return kind.Parse(ctx, path, options, sink)
}

// session is a conversation that is being read.
type session struct {
	sessionfile.Plain
	c       *assemble.Conversation
	cwd     string
	model   string
	answers map[string]*assemble.Usage // listed tokens by answer; nil once the answer has them
	sum     records.TokenUsage         // tokens of all answers so far, according to the conversation
	given   records.TokenUsage         // the part of it that answers have received
	total   records.TokenUsage         // tokens of all answers, according to the state
	last    string                     // the key of the last answer
	usage   records.TokenUsage         // the tokens of the last answer
	apart   bool                       // the file has the tokens of each answer
	cost    float64
	begun   map[string]foreignCall // unfinished calls of another agent, by call id
	ended   map[string]bool
	invalid []string // calls with invalid arguments and no result yet
}

// End adds the remaining tokens to the last answer.
func (s *session) End() error {
	if err := s.foreignLeft(); err != nil {
		return err
	}
	if err := s.invalidLeft(); err != nil {
		return err
	}
	s.c.Change(func(h *assemble.Head) { h.SetCost(s.cost) })
	if total := s.total; !s.apart && s.sum == (records.TokenUsage{}) && total != (records.TokenUsage{}) {
		s.c.Change(func(h *assemble.Head) { h.Usage = &total })
	}
	if rest := less(s.sum, s.given); !s.apart && rest != (records.TokenUsage{}) && s.last != "" && s.c.Waits(s.last) {
		s.usage.Add(rest)
		return s.c.Answer(assemble.Answer{Key: s.last, Usage: &assemble.Usage{TokenUsage: s.usage}})
	}
	return nil
}

// `less` subtracts b from a; no result is negative.
func less(a, b records.TokenUsage) records.TokenUsage {
	return records.TokenUsage{
		InputTokens: max(a.InputTokens-b.InputTokens, 0), OutputTokens: max(a.OutputTokens-b.OutputTokens, 0),
		CacheReadTokens:  max(a.CacheReadTokens-b.CacheReadTokens, 0),
		CacheWriteTokens: max(a.CacheWriteTokens-b.CacheWriteTokens, 0),
	}
}

// Object handles the state or an event.
func (s *session) Object(object jsonlines.Object) error {
	raw := object.Raw
	kind, id := rawjson.MemberText(raw, "kind"), rawjson.MemberText(raw, "id")
	at := records.Locator{Offset: object.Offset, Line: object.Line, ID: id}
	if kind == "" {
		s.c.Begin("")
		s.about(raw)
		return nil
	}
	s.c.Begin(id)
	if parent := rawjson.MemberText(raw, "parent_id"); parent != "" { // without a parent, it follows the previous event
		s.c.Hang(strings.TrimPrefix(parent, "__root__"))
	}
	time := rawjson.MemberText(raw, "timestamp")
	switch kind {
	case "SystemPromptEvent":
		s.system(raw)
	case "MessageEvent":
		return s.message(raw, time, at)
	case "ActionEvent":
		return s.action(raw, time, at)
	case "ObservationEvent", "UserRejectObservation", "AgentErrorEvent":
		return s.observed(kind, raw, time, at)
	case "ACPToolCallEvent":
		return s.foreign(raw, time, at)
	case "Condensation", "CondensationEvent":
		s.c.Append("compactions", "after_step", map[string]any{"timestamp": time})
		s.c.Summarised(rawjson.MemberText(raw, "summary"), time)
	case "ConversationErrorEvent":
		s.c.Broke(records.Failed, map[string]any{"timestamp": time,
			"text": assemble.Summary(rawjson.MemberText(raw, "detail"))})
	case "PauseEvent", "InterruptEvent":
		s.c.Broke(records.Interrupted, map[string]any{"timestamp": time})
	case "ConversationStateUpdateEvent":
		if rawjson.MemberText(raw, "key") != "stats" {
			s.c.Skip("state_update")
			return nil
		}
		s.stats(rawjson.Member(raw, "value"))
	default:
		s.c.Skip(sessionfile.Known(kind))
		return nil
	}
	s.c.Take()
	return nil
}

// about handles the state of the conversation.
func (s *session) about(raw []byte) {
	if rawjson.Member(raw, "agent") == nil {
		s.c.Skip("unknown")
		return
	}
	s.cwd = workingDir(raw)
	s.model = modelOf(rawjson.MemberText(rawjson.Member(rawjson.Member(raw, "agent"), "llm"), "model"))
	s.stats(rawjson.Member(raw, "stats"))
	s.total, s.sum = s.sum, records.TokenUsage{} // they come again later, one by one
	s.c.Change(func(h *assemble.Head) {
		h.WorksIn(s.cwd)
		h.SetMeta("timezone", "unknown")
	})
	s.c.Take()
}

// modelOf returns a model without the name of a proxy before it.
func modelOf(name string) string {
	return assemble.Model(strings.TrimPrefix(name, "litellm_proxy/"))
}

// stats reads the token counts so far: of each answer, if they are listed, and of all answers. The prompts' tokens
// include the cache. The condenser's tokens do not belong to an answer.
func (s *session) stats(raw []byte) {
	sum, cost := records.TokenUsage{}, 0.0
	metricsOf(raw, func(metrics []byte, answers bool) {
		spent := rawjson.NewDecoder(rawjson.Member(metrics, "accumulated_cost"))
		cost += max(spent.Float(), 0)
		if answers {
			sum.Add(tokens(rawjson.Member(metrics, "accumulated_token_usage")))
			s.each(metrics)
		}
	})
	s.sum, s.cost = sum, max(s.cost, cost)
}

// metricsOf calls the function `take` with the metrics of each use of a model, and whether the use gave answers.
func metricsOf(raw []byte, take func(metrics []byte, answers bool)) {
	d := rawjson.NewDecoder(rawjson.Member(raw, "usage_to_metrics"))
	for d.Open(); d.Member(); {
		answers := !strings.Contains(string(d.Key()), "condenser")
		take(d.Raw(), answers)
	}
}

// `each` reads the model, and the listed token counts of single answers.
func (s *session) each(metrics []byte) {
	s.model = cmp.Or(s.model, modelOf(rawjson.MemberText(metrics, "model_name")))
	d := rawjson.NewDecoder(rawjson.Member(metrics, "token_usages"))
	for d.OpenArray(); d.Element(); {
		one := d.Raw()
		if id := rawjson.MemberText(one, "response_id"); id != "" && len(s.answers) < maxEvents {
			if _, known := s.answers[id]; !known {
				s.answers[id] = &assemble.Usage{TokenUsage: tokens(one)}
			}
			s.apart = true
		}
	}
}

// `ahead` reads the model and the token counts of the answers in a file of events in advance, because they come after
// the answers, some only at the end. In a directory, the state has them and is read before the events.
func (s *session) ahead(path string) {
	if filepath.Base(path) == stateFile {
		return
	}
	sessionfile.Peek(path, func(file sessionfile.File) (none struct{}) {
		sessionfile.All(file, func(object jsonlines.Object) {
			if !bytes.Contains(object.Raw, []byte(`"usage_to_metrics"`)) || rawjson.MemberText(object.Raw, "key") != "stats" {
				return
			}
			metricsOf(rawjson.Member(object.Raw, "value"), func(metrics []byte, answers bool) {
				if answers {
					s.each(metrics)
				}
			})
		})
		return none
	})
}

func tokens(raw []byte) records.TokenUsage {
	u := sessionfile.Counts{Input: "prompt_tokens", Output: "completion_tokens", Read: "cache_read_tokens",
		Write: "cache_write_tokens"}.In(raw)
	u.InputTokens = max(u.InputTokens-u.CacheReadTokens-u.CacheWriteTokens, 0)
	return u
}

// system handles the system prompt and the tools.
func (s *session) system(raw []byte) {
	if prompt := textOf(rawjson.Member(raw, "system_prompt")); prompt != "" {
		s.c.SystemPrompt(prompt)
	}
	d := rawjson.NewDecoder(rawjson.Member(raw, "tools"))
	for d.OpenArray(); d.Element(); {
		definition := rawjson.Cleaned(d.Raw())
		if name := payload.Name(rawjson.MemberText(definition, "name")); name != "" {
			s.c.Change(func(h *assemble.Head) { h.AddTool(name, definition) })
		}
	}
}

// message handles a message of the user or the model.
func (s *session) message(raw []byte, time string, at records.Locator) error {
	said := rawjson.Member(raw, "llm_message")
	text := strings.TrimSpace(textOf(rawjson.Member(said, "content")))
	switch source := cmp.Or(rawjson.MemberText(raw, "source"), rawjson.MemberText(said, "role")); source {
	case "user":
		if text == "" {
			s.c.Skip("empty_prompt")
			return nil
		}
		if err := s.invalidLeft(); err != nil {
			return err
		}
		return s.c.Asked(assemble.Prompt{At: at, Time: time, Text: text}, false)
	case "agent", "assistant":
		return s.answer(assemble.Answer{At: at, Time: time, Key: rawjson.MemberText(raw, "llm_response_id"), Text: text,
			Thinking: rawjson.MemberText(said, "reasoning_content")})
	default:
		s.c.Skip("message:" + sessionfile.Known(source))
		return nil
	}
}

// answer adds a piece of an answer.
func (s *session) answer(a assemble.Answer) error {
	a.Key = cmp.Or(a.Key, a.At.ID)
	if a.Model = s.model; a.Key != s.last {
		s.last, s.usage = a.Key, records.TokenUsage{}
		usage, apart := s.answers[a.Key]
		switch {
		case apart:
			a.Usage = usage
			s.answers[a.Key] = nil
		case !s.apart:
			s.usage = less(s.sum, s.given)
			s.given = s.sum
			a.Usage = &assemble.Usage{TokenUsage: s.usage}
		}
	}
	return s.c.Answered(a)
}
