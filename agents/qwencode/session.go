package qwencode

import (
	"cmp"
	"strings"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/geminiform"
	"github.com/git-trace/git-trace/agents/jsonlines"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/rawjson"
)

// sessions implements the capabilities for the agent's session files.
type sessions struct{ env capability.Env }

// parser returns the parser of session files.
func (s sessions) parser() sessionfile.Kind {
	return sessionfile.Kind{
		Agent: Name, Subagent: subagentFile,
		Session: func(path string, file sessionfile.File) string { return cmp.Or(peek(file).id, s.SessionID(path)) },
		Format: func(c *assemble.Conversation, of sessionfile.Place) sessionfile.Format {
			return &session{c: c, main: of.Main == ""}
		},
	}
}

// session is a session file that is being read.
type session struct {
	sessionfile.Plain
	c     *assemble.Conversation
	main  bool // the session is not a subagent's
	state state
	line  line
}

// state holds the data of earlier lines that later lines need.
type state struct {
	Cwd     string `json:"cwd,omitempty"`
	Branch  string `json:"branch,omitempty"`
	Version string `json:"version,omitempty"`
	Last    string `json:"last,omitempty"` // the key of the last answer
}

func (s *session) State() any { return &s.state }

// line is a record with its relevant members.
type line struct {
	kind, subtype, id, parent, session, time, provenance string
	cwd, version, branch, model                          string
	parts, usage, result, payload                        []byte
}

func (l *line) decode(raw []byte) {
	*l = line{}
	d := rawjson.NewDecoder(raw)
	for d.Open(); d.Member(); {
		switch string(d.Key()) {
		case "message":
			l.parts = rawjson.Member(d.Raw(), "parts")
		default:
			d.Take("type", &l.kind, "subtype", &l.subtype, "uuid", &l.id, "sessionId", &l.session,
				"parentUuid", &l.parent, "timestamp", &l.time, "provenance", &l.provenance, "cwd", &l.cwd,
				"version", &l.version, "gitBranch", &l.branch, "model", &l.model, "usageMetadata", &l.usage,
				"toolCallResult", &l.result, "systemPayload", &l.payload)
		}
	}
}

// Object handles a record.
func (s *session) Object(object jsonlines.Object) error {
	l := &s.line
	l.decode(object.Raw)
	if !s.c.Begin(l.id) {
		s.c.Skip("repeated")
		return nil
	}
	if l.id != "" {
		s.c.Hang(l.parent)
	}
	s.place(l)
	at := records.Locator{Offset: object.Offset, Line: object.Line, ID: l.id}
	switch l.kind {
	case "user":
		return s.user(l, at)
	case "assistant":
		return s.answer(l, at)
	case "tool_result":
		return s.result(l, at)
	case "system":
		s.system(l)
		return nil
	}
	s.c.Skip(sessionfile.Known(l.kind))
	return nil
}

// place records where the agent works.
func (s *session) place(l *line) {
	cwd, version, branch := cmp.Or(l.cwd, s.state.Cwd), cmp.Or(l.version, s.state.Version),
		cmp.Or(l.branch, s.state.Branch)
	if !s.main || cwd == s.state.Cwd && version == s.state.Version && branch == s.state.Branch {
		s.state.Cwd = cwd
		return
	}
	s.state.Cwd, s.state.Version, s.state.Branch = cwd, version, branch
	s.c.Change(func(h *assemble.Head) {
		h.WorksIn(cwd)
		h.SetVersion(version)
		if branch != "" {
			h.Git, h.Branch = true, cmp.Or(h.Branch, branch)
		}
	})
}

// user handles a record with the role user: a prompt, or a message of the client to the model.
func (s *session) user(l *line, at records.Locator) error {
	text := strings.TrimSpace(strings.Join(geminiform.ReadParts(l.parts, s.state.Cwd).Texts, "\n"))
	midTurn := l.subtype == "mid_turn_user_message"
	switch {
	case l.provenance != "" && l.provenance != "real_user", l.subtype != "" && !midTurn:
		s.c.Skip("user:" + sessionfile.Known(cmp.Or(l.subtype, l.provenance)))
		return nil
	case text == "":
		s.c.Skip("empty_prompt")
		return nil
	}
	return s.c.Asked(assemble.Prompt{At: at, Time: l.time, Text: text}, midTurn)
}

// answer handles an answer of the model. In the file of a subagent, the calls are in a separate record without tokens.
func (s *session) answer(l *line, at records.Locator) error {
	parts := geminiform.ReadParts(l.parts, s.state.Cwd)
	if l.usage != nil || s.state.Last == "" || !s.c.Waits(s.state.Last) {
		s.state.Last = cmp.Or(l.id, "@")
	}
	a := assemble.Answer{
		At: at, Key: s.state.Last, Time: l.time, Model: assemble.Model(l.model), Usage: usageOf(l.usage), Calls: parts.Calls,
		Text: strings.Join(parts.Texts, "\n\n"), Thinking: strings.Join(parts.Thoughts, "\n\n"),
	}
	if err := s.c.Answer(a); err != nil {
		return err
	}
	s.c.Change(func(h *assemble.Head) { h.Terminal = "" })
	s.c.Take()
	return nil
}

// usageOf returns the tokens of an answer. The prompt includes the cached tokens. Some providers include thinking in
// the candidates, others count it in addition: the total shows which.
func usageOf(raw []byte) *assemble.Usage {
	d := rawjson.NewDecoder(raw)
	if d.Kind() != rawjson.Object {
		return nil
	}
	var prompt, candidates, thoughts, total int64
	u := &assemble.Usage{}
	d.Fill("promptTokenCount", rawjson.Count(&prompt), "candidatesTokenCount", rawjson.Count(&candidates),
		"thoughtsTokenCount", rawjson.Count(&thoughts), "totalTokenCount", &total,
		"cachedContentTokenCount", rawjson.Count(&u.CacheReadTokens))
	u.InputTokens, u.OutputTokens = max(prompt-u.CacheReadTokens, 0), candidates
	if prompt+candidates+thoughts <= total {
		u.OutputTokens += thoughts
	}
	return u
}

// result handles the result of a call: the text for the model, and the client's notes.
func (s *session) result(l *line, at records.Locator) error {
	outcome := geminiform.Outcome{
		Status: rawjson.MemberText(l.result, "status"), Display: rawjson.Member(l.result, "resultDisplay"), Cwd: s.state.Cwd,
	}
	s.c.Take()
	for _, response := range geminiform.ReadParts(l.parts, s.state.Cwd).Responses {
		id := cmp.Or(response.ID, rawjson.MemberText(l.result, "callId"))
		result := response.Result(s.c.Waiting(id), outcome, l.time)
		if took := rawjson.MemberInt(l.result, "durationMs"); took > 0 {
			result.DurationMS = &took
		}
		if kind := rawjson.MemberText(outcome.Display, "subagentName"); kind != "" {
			result.Subagent = kind + "-" + id
		}
		if n := geminiform.UserLines(outcome.Display); n > 0 {
			s.c.Append("user_modified_edits", "after_step", map[string]any{"tool_call_id": id, "lines": n})
		}
		if err := s.c.Result(at, id, result); err != nil {
			return err
		}
	}
	return nil
}

// summaryIn returns the first message of a shortened history, in which the client summarises the removed part.
func summaryIn(history []byte) string {
	var said []string
	d := rawjson.NewDecoder(history)
	if d.OpenArray(); !d.Element() {
		return ""
	}
	p := rawjson.NewDecoder(rawjson.Member(d.Raw(), "parts"))
	for p.OpenArray(); p.Element(); {
		said = append(said, rawjson.MemberText(p.Raw(), "text"))
	}
	return strings.Join(said, "\n")
}

// system handles a record of the client about the session.
func (s *session) system(l *line) {
	switch l.subtype {
	case "chat_compression":
		info := rawjson.Member(l.payload, "info")
		s.c.Append("compactions", "after_step", map[string]any{
			"timestamp": l.time, "tokens_before": rawjson.MemberInt(info, "originalTokenCount"),
			"tokens_after": rawjson.MemberInt(info, "newTokenCount"),
		})
		s.c.Summarised(summaryIn(rawjson.Member(l.payload, "compressedHistory")), l.time)
	case "slash_command":
		command := rawjson.MemberText(l.payload, "rawCommand")
		if command == "" || rawjson.MemberText(l.payload, "phase") == "result" {
			s.c.Skip("system:slash_command")
			return
		}
		name, args, _ := strings.Cut(command, " ")
		s.c.Append("commands", "after_step", map[string]any{"command": name, "args": args, "timestamp": l.time})
	case "custom_title":
		title := rawjson.MemberText(l.payload, "customTitle")
		if title != "" {
			s.c.Change(func(h *assemble.Head) { h.SetMeta("title", title) })
		}
	case "rewind":
		s.c.Append("rollbacks", "after_step", map[string]any{"timestamp": l.time})
	default:
		s.c.Skip("system:" + sessionfile.Known(l.subtype))
		return
	}
	s.c.Take()
}
