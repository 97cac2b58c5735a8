package kimi

import (
	"cmp"
	"strings"

	"github.com/git-trace/git-trace/agents/jsonlines"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/rawjson"
)

// parser returns the parser of an agent's file.
func (s sessions) parser() sessionfile.Kind {
	return sessionfile.Kind{
		Agent: Name, Subagent: subagentFile,
		Session: func(path string, _ sessionfile.File) string { return s.SessionID(path) },
		Format: func(c *assemble.Conversation, of sessionfile.Place) sessionfile.Format {
			return newSession(c, aboutOf(cmp.Or(of.Main, of.Path)))
		},
	}
}

// session is the file of an agent that is being read.
type session struct {
	sessionfile.Plain
	c     *assemble.Conversation
	cwd   string
	state state
}

// state holds the data of earlier records that later records need.
type state struct {
	Model  string `json:"model,omitempty"`
	Prompt string `json:"prompt,omitempty"` // the hash of the system prompt
}

func (s *session) State() any { return &s.state }

func newSession(c *assemble.Conversation, a about) *session {
	c.Change(func(h *assemble.Head) {
		h.WorksIn(a.dir)
		h.AddMeta("title", a.title)
	})
	return &session{c: c, cwd: a.dir}
}

// Object handles a record.
func (s *session) Object(object jsonlines.Object) error {
	raw := object.Raw
	at := records.Locator{Offset: object.Offset, Line: object.Line}
	kind, time := rawjson.MemberText(raw, "type"), sessionfile.Millis(rawjson.MemberInt(raw, "time"))
	s.c.Begin("")
	switch kind {
	case "profile.bind":
		s.state.Prompt = s.c.SystemPrompt(rawjson.MemberText(raw, "systemPrompt"))
	case "llm.request":
		s.state.Model = assemble.Model(rawjson.MemberText(raw, "model"))
	case "llm.tools_snapshot":
		s.tools(rawjson.Member(raw, "tools"))
	case "context.append_message":
		return s.message(rawjson.Member(raw, "message"), time, at)
	case "context.append_loop_event":
		return s.event(rawjson.Member(raw, "event"), time, at)
	case "context.apply_compaction":
		s.c.Append("compactions", "after_step", map[string]any{"timestamp": time})
		s.c.Summarised(cmp.Or(rawjson.MemberText(raw, "summary"), rawjson.MemberText(raw, "contextSummary")), time)
	case "context.undo":
		s.c.Append("rollbacks", "after_step", map[string]any{"timestamp": time})
		s.c.BackTurns(rawjson.MemberInt(raw, "count"))
	case "turn.ended":
		if rawjson.MemberText(raw, "reason") == "cancelled" {
			s.c.Broke(records.Interrupted, map[string]any{"timestamp": time})
		}
	default:
		s.c.Skip(sessionfile.Known(kind))
		return nil
	}
	s.c.Take()
	return nil
}

// tools stores the tool definitions.
func (s *session) tools(list []byte) {
	d := rawjson.NewDecoder(list)
	for d.OpenArray(); d.Element(); {
		definition := d.Raw()
		s.c.Change(func(h *assemble.Head) { h.AddTool(rawjson.MemberText(definition, "name"), definition) })
	}
}

// message handles a message to the model.
func (s *session) message(raw []byte, time string, at records.Locator) error {
	origin := rawjson.MemberText(rawjson.Member(raw, "origin"), "kind")
	text := strings.TrimSpace(sessionfile.Blocks(rawjson.Member(raw, "content")))
	if rawjson.MemberText(raw, "role") != "user" || origin != "user" || text == "" {
		s.c.Skip("message:" + sessionfile.Known(origin))
		return nil
	}
	at.ID = rawjson.MemberText(raw, "id")
	return s.c.Said(assemble.Prompt{At: at, Time: time, Text: text}, false, "")
}

// event handles a piece of an answer, or the result of a call.
func (s *session) event(raw []byte, time string, at records.Locator) error {
	kind := rawjson.MemberText(raw, "type")
	a := assemble.Answer{
		At: at, Key: cmp.Or(rawjson.MemberText(raw, "stepUuid"), rawjson.MemberText(raw, "uuid")), Time: time,
		Model: s.state.Model, Prompt: s.state.Prompt,
	}
	switch kind {
	case "step.begin", "step.end":
		a.Stop, a.Usage = rawjson.MemberText(raw, "finishReason"), counts.Usage(rawjson.Member(raw, "usage"))
		if a.Usage == nil {
			s.c.Skip(kind)
			return nil
		}
	case "content.part":
		part := rawjson.Member(raw, "part")
		a.Text, a.Thinking = rawjson.MemberText(part, "text"), rawjson.MemberText(part, "think")
	case "tool.call":
		a.Calls = []assemble.Call{tools.Call(rawjson.MemberText(raw, "toolCallId"), rawjson.MemberText(raw, "name"),
			rawjson.Member(raw, "args"), s.cwd)}
	case "tool.result":
		return s.result(rawjson.MemberText(raw, "toolCallId"), rawjson.Member(raw, "result"), time, at)
	default:
		s.c.Skip(sessionfile.Known(kind))
		return nil
	}
	return s.c.Answered(a)
}

// counts has the names of an answer's tokens.
var counts = sessionfile.Counts{
	Input: "inputOther", Output: "output", Read: "inputCacheRead", Write: "inputCacheCreation",
}

// result handles the result of a call.
func (s *session) result(id string, raw []byte, time string, at records.Locator) error {
	content := sessionfile.Blocks(rawjson.Member(raw, "output"))
	r := assemble.Result{Time: time, Content: &content}
	if took := rawjson.MemberInt(raw, "durationMs"); took > 0 {
		r.DurationMS = &took
	}
	call := s.c.Waiting(id)
	if string(rawjson.Member(raw, "isError")) == "true" {
		r.Error = records.ErrorTool
	}
	tools.Result(call, &r, s.cwd)
	r.Subagent, r.Seen = startedBy(call, content), nil // the text has line numbers before its lines
	s.c.Take()
	return s.c.Result(at, id, r)
}
