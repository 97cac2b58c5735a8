package copilotcli

import (
	"cmp"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/jsonlines"
	"github.com/git-trace/git-trace/agents/payload"
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
		Agent:   Name,
		Session: func(path string, file sessionfile.File) string { return cmp.Or(peek(file).id, s.SessionID(path)) },
		Format: func(c *assemble.Conversation, _ sessionfile.Place) sessionfile.Format {
			return &session{main: c, c: c, sides: map[string]*assemble.Conversation{}}
		},
	}
}

// session is a session file that is being read.
type session struct {
	sessionfile.Plain
	main  *assemble.Conversation
	c     *assemble.Conversation // the conversation of the current event: main, or a subagent's
	sides map[string]*assemble.Conversation
	state state
}

// state holds the data of earlier events that later events need.
type state struct {
	Cwd    string `json:"cwd,omitempty"`
	Prompt string `json:"prompt,omitempty"` // the hash of the system prompt
	Busy   bool   `json:"busy,omitempty"`   // the agent is working on a prompt
	Last   string `json:"last,omitempty"`   // the key of the last answer of this run
	Output int64  `json:"output,omitempty"` // the output tokens of this run
	Told   bool   `json:"told,omitempty"`   // the file has the tokens of each answer
}

func (s *session) State() any { return &s.state }

// event is a line with its relevant members.
type event struct {
	kind, id, time, agent string
	data                  []byte
}

func (e *event) decode(raw []byte) {
	*e = event{}
	_ = rawjson.Fill(raw, "type", &e.kind, "id", &e.id, "timestamp", &e.time, "agentId", &e.agent,
		"data", &e.data)
}

// text returns a member of the event's data.
func (e *event) text(name string) string { return rawjson.MemberText(e.data, name) }

// maxSides limits the number of subagents in a file.
const maxSides = 1000

// Object handles an event.
func (s *session) Object(object jsonlines.Object) error {
	var e event
	e.decode(object.Raw)
	if !s.main.Begin(e.id) {
		s.main.Skip("repeated")
		return nil
	}
	at := records.Locator{Offset: object.Offset, Line: object.Line, ID: e.id}
	s.c = s.main
	if e.kind == "subagent.started" && payload.SessionID(e.agent) && s.sides[e.agent] == nil && len(s.sides) < maxSides {
		s.sides[e.agent] = s.main.Side(e.text("toolCallId"), e.agent, payload.Name(e.text("agentName")))
	} else if side := s.sides[e.agent]; side != nil {
		s.c = side
	}
	switch e.kind {
	case "user.message":
		return s.user(&e, at)
	case "assistant.message":
		return s.answer(&e, at)
	case "session.usage_record":
		return s.usage(rawjson.Member(e.data, "usage"), &e, at)
	case "assistant.usage":
		return s.usage(e.data, &e, at)
	case "tool.execution_complete":
		return s.result(&e, at)
	case "session.shutdown":
		if err := s.run(&e, at); err != nil {
			return err
		}
	}
	s.remark(&e)
	if s.c != s.main && (e.kind == "subagent.completed" || e.kind == "subagent.failed") {
		return s.c.Close()
	}
	return nil
}
