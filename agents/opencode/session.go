package opencode

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/jsonlines"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/rawjson"
)

// sessions implements the capabilities for the agent's sessions: in the database of newer versions, in the folder of
// JSON files of older ones, and in the output of `opencode export`. All three contain the same messages and parts.
type sessions struct{ env capability.Env }

// parser returns the parser of sessions. If the options name no session, it reads the database's session that changed
// last.
func (s sessions) parser() sessionfile.Kind {
	return sessionfile.Kind{
		Agent: Name, Open: open, Subagent: subagentOf,
		Session: func(_ string, file sessionfile.File) string { return peek(file).id },
		Format: func(c *assemble.Conversation, of sessionfile.Place) sessionfile.Format {
			return &session{c: c, main: of.Main == ""}
		},
	}
}

// session is a session that is being read.
type session struct {
	c     *assemble.Conversation
	main  bool // the session is not a subagent's
	state state

	ids      map[string]int // number of times that each id occurred in this reading
	repeated int            // the number of repetitions
}

// `distinct` returns different ids for messages or calls whose ids were redacted to the same word: the client gives
// each id only once.
func (s *session) distinct(of, id string) string {
	if id == "" {
		return id
	}
	if s.ids == nil {
		s.ids = map[string]int{}
	}
	s.ids[of+id]++
	n := s.ids[of+id]
	if n == 1 {
		return id
	}
	s.repeated++
	repeated := s.repeated
	s.c.Change(func(h *assemble.Head) { h.SetMeta("repeated_ids", repeated) })
	return fmt.Sprintf("%s#%d", id, n)
}

// state holds the data of earlier messages that later messages need.
type state struct {
	Cwd  string  `json:"cwd,omitempty"`
	Cost float64 `json:"cost,omitempty"` // the client's total, in dollars
	// Reverted is the first message that the user undid; the client deletes the undone messages when the session
	// continues.
	Reverted string `json:"reverted,omitempty"`
}

func (s *session) State() any { return &s.state }

// End marks the reverted steps of the session as undone.
func (s *session) End() error {
	s.c.Back(s.state.Reverted)
	return nil
}

// Object handles the data about the session, or a message with its parts.
func (s *session) Object(object jsonlines.Object) error {
	info, parts := rawjson.Member(object.Raw, "info"), rawjson.Member(object.Raw, "parts")
	if parts == nil {
		s.c.Begin("")
		if info == nil {
			s.c.Skip("header")
			return nil
		}
		s.about(info)
		s.c.Take()
		return nil
	}
	var m message
	m.decode(info)
	m.id = s.distinct("message ", m.id)
	s.c.Begin(m.id)
	at := records.Locator{Offset: object.Offset, Line: object.Line, ID: m.id}
	switch m.role {
	case "user":
		return s.user(&m, parts, at)
	case "assistant":
		return s.answer(&m, parts, at)
	}
	s.c.Skip("message:" + sessionfile.Known(m.role))
	return nil
}

// about handles the data about the whole session.
func (s *session) about(info []byte) {
	dir, version, title := rawjson.MemberText(info, "directory"), rawjson.MemberText(info, "version"),
		rawjson.MemberText(info, "title")
	if s.main {
		s.place(dir)
	}
	began := sessionfile.Millis(rawjson.MemberInt(rawjson.Member(info, "time"), "created"))
	reverted := revertedTo(info)
	s.state.Reverted = reverted
	s.c.Change(func(h *assemble.Head) {
		h.SetVersion(payload.Name(version))
		h.Began = cmp.Or(h.Began, began)
		if title != "" && s.main {
			h.SetMeta("title", title)
		}
		if reverted != "" && s.main {
			h.SetMeta("reverted_to", reverted)
		}
	})
}

// revertedTo returns the first message that the user undid; "" if there is none.
func revertedTo(info []byte) string {
	return rawjson.MemberText(rawjson.Member(info, "revert"), "messageID")
}

func (s *session) place(dir string) {
	if dir == "" || dir == s.state.Cwd {
		return
	}
	s.state.Cwd = dir
	s.c.Change(func(h *assemble.Head) { h.WorksIn(dir) })
}

// message is the data of a message apart from its parts.
type message struct {
	id, role, model, provider, cwd, failure, fault, finish string
	created                                                int64
	tokens                                                 []byte
	cost                                                   float64
	summary                                                bool // the message replaces earlier messages
}

func (m *message) decode(info []byte) {
	*m = message{}
	d := rawjson.NewDecoder(info)
	for d.Open(); d.Member(); {
		switch string(d.Key()) {
		case "summary":
			m.summary = string(d.Raw()) == "true"
		case "path":
			m.cwd = rawjson.MemberText(d.Raw(), "cwd")
		case "time":
			m.created = rawjson.MemberInt(d.Raw(), "created")
		case "error":
			raw := d.Raw()
			m.failure, m.fault = cmp.Or(rawjson.MemberText(raw, "name"), "error"),
				rawjson.MemberText(rawjson.Member(raw, "data"), "message")
		default:
			d.Take("id", &m.id, "role", &m.role, "modelID", &m.model, "providerID", &m.provider,
				"finish", &m.finish, "tokens", &m.tokens, "cost", &m.cost)
		}
	}
}

// user handles the user's text. The client adds the files to which the text refers, in the form of messages.
func (s *session) user(m *message, parts []byte, at records.Locator) error {
	time := sessionfile.Millis(m.created)
	var said []string
	var compacted []map[string]any
	d := rawjson.NewDecoder(parts)
	for d.OpenArray(); d.Element(); {
		part := d.Raw()
		switch rawjson.MemberText(part, "type") {
		case "text":
			if text := rawjson.MemberText(part, "text"); text != "" && !flag(part, "synthetic") && !flag(part, "ignored") {
				said = append(said, text)
			}
		case "file":
			if strings.HasPrefix(rawjson.MemberText(part, "mime"), "image/") {
				said = append(said, "[image]")
			}
		case "compaction":
			compacted = append(compacted, map[string]any{"timestamp": time, "auto": flag(part, "auto")})
		}
	}
	defer func() { // after the step that this message may start, because both are read again together
		for _, one := range compacted {
			s.c.Append("compactions", "after_step", one)
		}
	}()
	text := strings.TrimSpace(strings.Join(said, "\n\n"))
	if text == "" {
		s.c.Skip("synthetic_message")
		return nil
	}
	return s.c.Asked(assemble.Prompt{At: at, Time: time, Text: text}, false)
}

func flag(raw []byte, name string) bool { return string(rawjson.Member(raw, name)) == "true" }
