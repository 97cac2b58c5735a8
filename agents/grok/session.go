package grok

import (
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/agents/jsonlines"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/rawjson"
)

// parser returns the parser of a session's updates.
func (s sessions) parser() sessionfile.Kind {
	return sessionfile.Kind{
		Agent: Name, Subagent: subagentFile,
		Session: func(path string, _ sessionfile.File) string { return s.SessionID(path) },
		Format: func(c *assemble.Conversation, of sessionfile.Place) sessionfile.Format {
			return newSession(c, aboutOf(of.Path), of.Main == "")
		},
	}
}

// session is a session that is being read.
type session struct {
	c     *assemble.Conversation
	cwd   string
	main  bool // the session is not a subagent's
	state state
}

// state holds the data of earlier updates that later updates need.
type state struct {
	Model string             `json:"model,omitempty"`
	Turn  bool               `json:"turn,omitempty"` // the turn is still running
	Usage records.TokenUsage `json:"usage,omitzero"`
}

func newSession(c *assemble.Conversation, a about, main bool) *session {
	c.Change(func(h *assemble.Head) {
		h.WorksIn(a.dir)
		h.Began = sessionfile.Stamp(a.began)
		h.Git, h.Branch = a.branch != "" || a.commit != "", a.branch
		if sessionfile.ObjectName(a.commit) {
			h.BaseCommit = a.commit
		}
		h.AddMeta("title", a.title)
	})
	return &session{c: c, cwd: a.dir, main: main}
}

func (s *session) State() any { return &s.state }

// End sets the token counts of the whole session, which include subagents.
func (s *session) End() error {
	if usage := s.state.Usage; s.main && usage != (records.TokenUsage{}) {
		s.c.Change(func(h *assemble.Head) { h.Usage = &usage })
	}
	return nil
}

// Object handles an update.
func (s *session) Object(object jsonlines.Object) error {
	params := rawjson.Member(object.Raw, "params")
	raw, meta := rawjson.Member(params, "update"), rawjson.Member(params, "_meta")
	at := records.Locator{Offset: object.Offset, Line: object.Line, ID: rawjson.MemberText(meta, "eventId")}
	time := sessionfile.Millis(rawjson.MemberInt(meta, "agentTimestampMs"))
	s.c.Begin("") // a resumed session numbers its events again from the start
	a := assemble.Answer{At: at, Time: time, Model: s.state.Model}
	if began := rawjson.MemberInt(meta, "streamStartMs"); began > 0 {
		a.Key = strconv.FormatInt(began, 10)
	}
	said := rawjson.MemberText(rawjson.Member(raw, "content"), "text")
	switch kind := rawjson.MemberText(raw, "sessionUpdate"); kind {
	case "user_message_chunk":
		return s.prompt(raw, assemble.Prompt{At: at, Time: time, Text: strings.TrimSpace(said)})
	case "agent_message_chunk":
		a.Text = said
	case "agent_thought_chunk":
		a.Thinking = said
	case "tool_call":
		a.Calls = []assemble.Call{tools.Call(rawjson.MemberText(raw, "toolCallId"), rawjson.MemberText(raw, "title"),
			rawjson.Member(raw, "rawInput"), s.cwd)}
	case "tool_call_update":
		return s.result(raw, time, at)
	case "turn_completed":
		s.turn(raw, time)
		return nil
	default:
		s.c.Skip(sessionfile.Known(kind))
		return nil
	}
	return s.c.Answered(a)
}

// prompt handles a message of the user, which names the model of the next answer.
func (s *session) prompt(raw []byte, p assemble.Prompt) error {
	if model := assemble.Model(rawjson.MemberText(rawjson.Member(raw, "_meta"), "modelId")); model != "" {
		s.state.Model = model
	}
	if !s.main || p.Text == "" {
		s.c.Skip("user_message_chunk") // a subagent's task, or an image
		return nil
	}
	working := s.state.Turn
	s.state.Turn = true
	return s.c.Asked(p, working)
}

// counts has the names of a turn's tokens.
var counts = sessionfile.Counts{
	Input: "inputTokens", Output: "outputTokens", Read: "cachedReadTokens", Write: "cacheCreationTokens",
}

// turn handles the end of a turn, with its token counts. The input includes the cached tokens.
func (s *session) turn(raw []byte, time string) {
	s.state.Turn = false
	u := counts.In(rawjson.Member(raw, "usage"))
	u.InputTokens = max(u.InputTokens-u.CacheReadTokens, 0)
	s.state.Usage.Add(u)
	if rawjson.MemberText(raw, "stop_reason") == "cancelled" {
		s.c.Broke(records.Interrupted, map[string]any{"timestamp": time})
	}
	s.c.Take()
}

// result handles the result of a call.
func (s *session) result(raw []byte, time string, at records.Locator) error {
	status, output := rawjson.MemberText(raw, "status"), rawjson.Member(raw, "rawOutput")
	if status != "completed" && status != "failed" {
		s.c.Skip("tool_call_update")
		return nil
	}
	content := contentOf(rawjson.Member(raw, "content"), output)
	r := assemble.Result{
		Time: time, Content: &content, Error: sessionfile.ExitCode(rawjson.MemberInt(output, "exit_code")),
		Subagent: rawjson.MemberText(output, "subagent_id"),
	}
	if status == "failed" {
		r.Error = records.ErrorTool
	}
	id := rawjson.MemberText(raw, "toolCallId")
	tools.Result(s.c.Waiting(id), &r, s.cwd)
	r.Seen = nil // the text has a line number before it
	s.c.Take()
	return s.c.Result(at, id, r)
}

// contentOf returns the text of a result as the model saw it.
func contentOf(content, output []byte) string {
	var parts []string
	d := rawjson.NewDecoder(content)
	for d.OpenArray(); d.Element(); {
		if text := rawjson.MemberText(rawjson.Member(d.Raw(), "content"), "text"); text != "" {
			parts = append(parts, text)
		}
	}
	for _, of := range [][]byte{output, rawjson.Member(output, "EditsApplied"), rawjson.Member(output, "NoMatchesFound")} {
		for _, name := range []string{"output_for_prompt", "tool_output_for_prompt", "output", "message"} {
			if text := rawjson.MemberText(of, name); text != "" && len(parts) == 0 {
				parts = append(parts, text)
			}
		}
	}
	return strings.Join(parts, "\n\n")
}
