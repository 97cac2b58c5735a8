package pi

import (
	"cmp"
	"path/filepath"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/jsonlines"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/rawjson"
)

// sessions implements the capabilities for the agent's session files.
type sessions struct{ env capability.Env }

// parser reads a session file of any version.
func (s sessions) parser() sessionfile.Kind {
	return sessionfile.Kind{
		Agent:   Name,
		Session: func(path string, file sessionfile.File) string { return cmp.Or(peek(file).id, s.SessionID(path)) },
		Format: func(c *assemble.Conversation, of sessionfile.Place) sessionfile.Format {
			return &session{c: c, copies: copiesIn(of.Path)}
		},
	}
}

// session is a session file that is being read.
type session struct {
	sessionfile.Plain
	c      *assemble.Conversation
	state  state
	copies map[string]bool // the entries of the session that was forked
	entry  entry
}

// state holds the data of earlier entries that later entries need.
type state struct {
	Begun  bool    `json:"begun,omitempty"`
	Cwd    string  `json:"cwd,omitempty"`
	Model  string  `json:"model,omitempty"`  // the model of the last answer
	Prompt string  `json:"prompt,omitempty"` // the hash of the system prompt
	Open   int     `json:"open,omitempty"`   // the number of calls without a result
	Cost   float64 `json:"cost,omitempty"`   // the client's total, in dollars
}

func (s *session) State() any { return &s.state }

// entry is a line with its relevant members.
type entry struct {
	kind, id, parent, time string
	message, raw           []byte
}

func (e *entry) decode(raw []byte) {
	*e = entry{raw: raw}
	_ = rawjson.Fill(raw, "type", &e.kind, "id", &e.id, "parentId", &e.parent, "timestamp", &e.time,
		"message", &e.message)
}

// key identifies an entry, and is the same in copies. Entries of the first version have no id.
func (e *entry) key() string { return e.time + " " + e.kind + " " + e.id }

// Object handles an entry.
func (s *session) Object(object jsonlines.Object) error {
	e := &s.entry
	e.decode(object.Raw)
	s.c.Begin(e.id)
	if e.kind == "session" {
		s.header(e)
		return nil
	}
	if s.copies[e.key()] {
		s.c.Skip("copied_from_other_session")
		return nil
	}
	if e.id != "" { // the first version had no tree
		s.c.Hang(e.parent)
	}
	at := records.Locator{Offset: object.Offset, Line: object.Line, ID: e.id}
	if e.kind == "message" {
		return s.message(e, at)
	}
	return s.remark(e, at)
}

// header handles the line that begins the file.
func (s *session) header(e *entry) {
	if s.state.Begun {
		s.c.Skip("header")
		return
	}
	s.state.Begun = true
	s.state.Cwd = rawjson.MemberText(e.raw, "cwd")
	cwd := s.state.Cwd
	origin := cmp.Or(rawjson.MemberText(e.raw, "parentSession"), rawjson.MemberText(e.raw, "branchedFrom"))
	s.c.Change(func(h *assemble.Head) {
		h.WorksIn(cwd)
		if id := idOf(filepath.Base(filepath.ToSlash(origin))); id != "" {
			h.SetMeta("forked_from", []string{id})
		}
	})
	s.c.Take()
}
