package geminicli

import (
	"cmp"
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

// sessions implements the capabilities for the agent's session files.
type sessions struct{ env capability.Env }

// parser returns the parser of session files of either form.
func (s sessions) parser() sessionfile.Kind {
	return sessionfile.Kind{
		Agent: Name, Open: open, Subagent: subagentFile,
		Session: func(path string, file sessionfile.File) string { return cmp.Or(peek(file).id, s.SessionID(path)) },
		Format: func(c *assemble.Conversation, of sessionfile.Place) sessionfile.Format {
			return &session{c: c, root: projectRoot(of.Path)}
		},
	}
}

// session is a session file that is being read.
type session struct {
	sessionfile.Plain
	c     *assemble.Conversation
	root  string // the project's directory, from a file next to the session
	state state

	counted bool // the object was counted: it can contain several messages
	listed  bool // the messages are a list in one object
}

// `take` counts an object that is in the record, once.
func (s *session) take() {
	if !s.counted {
		s.c.Take()
	}
	s.counted = true
}

// `skip` counts an object that is not in the record, once.
func (s *session) skip(reason string) {
	if !s.counted {
		s.c.Skip(reason)
	}
	s.counted = true
}

// state holds the data of earlier messages that later messages need.
type state struct {
	Begun bool   `json:"begun,omitempty"`
	Cwd   string `json:"cwd,omitempty"`
}

func (s *session) State() any { return &s.state }

// message is an object of the file with its relevant members: a message, or another kind of line.
type message struct {
	kind, id, time, model, rewind                     string
	content, shown, calls, thoughts, tokens, set, raw []byte
	head                                              bool // the line is about the session
}

func (m *message) decode(raw []byte) {
	*m = message{raw: raw}
	d := rawjson.NewDecoder(raw)
	for d.Open(); d.Member(); {
		switch string(d.Key()) {
		case "sessionId", "projectHash", "startTime", "lastUpdated", "summary", "directories":
			m.head = true
		default:
			d.Take("type", &m.kind, "id", &m.id, "timestamp", &m.time, "model", &m.model, "content", &m.content,
				"displayContent", &m.shown, "toolCalls", &m.calls, "thoughts", &m.thoughts, "tokens", &m.tokens,
				"$set", &m.set, "$rewindTo", &m.rewind)
		}
	}
}

// Object handles an object.
func (s *session) Object(object jsonlines.Object) error {
	var m message
	m.decode(object.Raw)
	at := records.Locator{Offset: object.Offset, Line: object.Line, ID: m.id}
	s.counted, s.listed = false, m.set != nil
	s.begin()
	switch {
	case m.set != nil:
		return s.change(m.set, at)
	case m.rewind != "":
		s.c.Begin("")
		s.c.Back(m.rewind)
		s.c.Append("rollbacks", "after_step", map[string]any{"to": m.rewind})
		s.take()
		return nil
	case m.kind == "" && m.head:
		s.c.Begin("")
		s.about(m.raw)
		s.take()
		return nil
	case m.kind == "":
		s.c.Begin("")
		s.skip("header")
		return nil
	}
	return s.message(&m, at)
}

// `begin` sets the directory from the file next to the session.
func (s *session) begin() {
	if s.state.Begun {
		return
	}
	s.state.Begun = true
	s.place(s.root)
}

func (s *session) place(dir string) {
	if dir == "" || dir == s.state.Cwd {
		return
	}
	s.state.Cwd = dir
	s.c.Change(func(h *assemble.Head) { h.WorksIn(dir) })
}

// about handles a line about the session.
func (s *session) about(raw []byte) {
	d := rawjson.NewDecoder(raw)
	for d.Open(); d.Member(); {
		switch string(d.Key()) {
		case "startTime":
			began := d.Text()
			s.c.Change(func(h *assemble.Head) { h.Began = cmp.Or(h.Began, began) })
		case "summary":
			if title := d.Text(); title != "" {
				s.c.Change(func(h *assemble.Head) { h.SetMeta("title", title) })
			}
		case "directories":
			for d.OpenArray(); d.Element(); {
				s.place(d.Text())
			}
		}
	}
}

// change handles a line that changes the session. It contains the list of messages again after the client has shortened
// it, and once at the start; known messages are skipped.
func (s *session) change(raw []byte, at records.Locator) error {
	taken := false
	d := rawjson.NewDecoder(rawjson.Member(raw, "messages"))
	for d.OpenArray(); d.Element(); {
		var m message
		m.decode(d.Raw())
		if s.known(m.id) {
			continue
		}
		taken = true
		at.ID = m.id
		if err := s.message(&m, at); err != nil {
			return err
		}
	}
	if !taken {
		s.c.Begin("")
		s.about(raw)
		s.take()
	}
	return nil
}

// `known` reports whether a message was already added; it does not add it.
func (s *session) known(id string) bool { return id == "" || s.c.Began(id) }

// projectRoot returns the directory that a file above the session's folder names.
func projectRoot(path string) string {
	dir := filepath.Dir(path)
	for range 3 {
		if root := strings.TrimSpace(string(sessionfile.Small(filepath.Join(dir, ".project_root"), maxRoot))); root != "" {
			return payload.AbsPath(root)
		}
		dir = filepath.Dir(dir)
	}
	return ""
}
