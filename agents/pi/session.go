package pi

import (
	"cmp"
	"context"
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

var (
	_ capability.SessionParser     = sessions{}
	_ capability.SessionDiscoverer = sessions{}
	_ capability.SessionIdentifier = sessions{}
)

// Parse reads a session file of any version.
func (s sessions) Parse(ctx context.Context, path string, options capability.ParseOptions,
	sink records.Sink) (*capability.Parsed, error) {
	kind := sessionfile.Kind{
		Agent:   Name,
		Session: func(path string, file sessionfile.File) string { return cmp.Or(peek(file).id, s.SessionID(path)) },
		Format: func(c *assemble.Conversation, of sessionfile.Place) sessionfile.Format {
			return &session{c: c, copies: copiesIn(of.Path)}
		},
	}
	return kind.Parse(ctx, path, options, sink)
}

// session is a session file that is being read.
type session struct {
	c      *assemble.Conversation
	state  state
	copies map[string]bool // the entries of the session that this one was forked from
	entry  entry
}

// state holds the facts of earlier entries that the next entry needs.
type state struct {
	Begun  bool    `json:"begun,omitempty"`
	Cwd    string  `json:"cwd,omitempty"`
	Model  string  `json:"model,omitempty"`  // of the last answer
	Prompt string  `json:"prompt,omitempty"` // hash of the system prompt
	Open   int     `json:"open,omitempty"`   // calls without a result
	Cost   float64 `json:"cost,omitempty"`   // as the client adds it up, in dollars
}

// State returns the state.
func (s *session) State() any { return &s.state }

// End does nothing.
func (s *session) End() error { return nil }

// entry is a line with the members that matter.
type entry struct {
	kind, id, parent, time string
	message, raw           []byte
}

func (e *entry) decode(raw []byte) {
	*e = entry{raw: raw}
	d := rawjson.NewDecoder(raw)
	for d.Open(); d.Member(); {
		switch string(d.Key()) {
		case "type":
			e.kind = d.Text()
		case "id":
			e.id = d.Text()
		case "parentId":
			e.parent = d.Text()
		case "timestamp":
			e.time = d.Text()
		case "message":
			e.message = d.Raw()
		}
	}
}

// key identifies an entry, in copies as well. Entries of the first version have no id.
func (e *entry) key() string { return e.time + " " + e.kind + " " + e.id }

// Object takes an entry.
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

// header takes the line that begins the file.
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
		h.AddCwd(cwd)
		h.OS = cmp.Or(h.OS, sessionfile.System(cwd))
		if id := idOf(filepath.Base(filepath.ToSlash(origin))); id != "" {
			h.SetMeta("forked_from", []string{id})
		}
	})
	s.c.Take()
}
