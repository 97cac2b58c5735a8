package continuecli

import (
	"cmp"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/jsonlines"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/agents/toolcall"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/rawjson"
)

// sessions implements the capabilities for the agent's sessions.
type sessions struct{ env capability.Env }

// listFile is the file with the list of sessions, in their directory.
const listFile = "sessions.json"

// ProjectSessions reads every session, because sessions are stored by id.
func (s sessions) ProjectSessions(dir string, since time.Time) ([]capability.Session, error) {
	root := filepath.Join(s.root(), "sessions")
	return sessionfile.NewProject(dir).Sessions(root, 0, since, func(path string) capability.Session {
		if filepath.Ext(path) != ".json" || filepath.Base(path) == listFile {
			return capability.Session{}
		}
		about := aboutOf(path)
		return capability.Session{ID: about.id, Dir: about.dir}
	}), nil
}

// SessionID returns the id in the name of the file.
func (s sessions) SessionID(path string) string { return sessionfile.NamedID(path, ".json") }

// Recognises identifies a session by the members before its history.
func (s sessions) Recognises(_ string, head []byte) bool {
	return sessionfile.Members{
		"sessionId":          sessionfile.Text,
		"workspaceDirectory": sessionfile.Of(rawjson.String),
	}.Before("history", head)
}

// about is the data of a session apart from its history.
type about struct {
	id, dir, title, model string
	usage                 *records.TokenUsage
	cost                  float64
}

func aboutOf(path string) about {
	return sessionfile.PeekIn(open, path, func(file sessionfile.File) (a about) {
		sessionfile.All(file, a.take)
		return a
	})
}

func (a *about) take(object jsonlines.Object) {
	d := rawjson.NewDecoder(object.Raw)
	for d.Open(); d.Member(); {
		switch string(d.Key()) {
		case "sessionId":
			a.id = payload.CheckedID(d.Text())
		case "workspaceDirectory":
			a.dir = strings.TrimPrefix(d.Text(), "file://")
		case "title":
			a.title = d.Text()
		case "chatModelTitle":
			a.model = assemble.Model(d.Text())
		case "usage":
			a.tokens(d.Raw())
		}
	}
}

// tokens reads the token counts of the whole session; the cache is counted separately.
func (a *about) tokens(raw []byte) {
	details := rawjson.Member(raw, "promptTokensDetails")
	a.usage = &records.TokenUsage{
		InputTokens:      max(rawjson.MemberInt(raw, "promptTokens"), 0),
		OutputTokens:     max(rawjson.MemberInt(raw, "completionTokens"), 0),
		CacheReadTokens:  max(rawjson.MemberInt(details, "cachedTokens"), 0),
		CacheWriteTokens: max(rawjson.MemberInt(details, "cacheWriteTokens"), 0),
	}
	d := rawjson.NewDecoder(rawjson.Member(raw, "totalCost"))
	a.cost = d.Float()
}

// open opens a session.
func open(path, _ string) (sessionfile.File, error) { return sessionfile.Document(path, "history") }

// parser returns the parser of sessions.
func (s sessions) parser() sessionfile.Kind {
	return sessionfile.Kind{
		Agent:   Name,
		Open:    open,
		Session: func(path string, _ sessionfile.File) string { return cmp.Or(aboutOf(path).id, s.SessionID(path)) },
		Format: func(c *assemble.Conversation, of sessionfile.Place) sessionfile.Format {
			return newSession(c, aboutOf(of.Path))
		},
	}
}

// session is a session that is being read.
type session struct {
	sessionfile.Plain
	c      *assemble.Conversation
	about  about
	number int // the number of the last element of the history
}

func newSession(c *assemble.Conversation, a about) *session {
	c.Change(func(h *assemble.Head) {
		h.WorksIn(a.dir)
		h.AddMeta("title", a.title)
		h.Usage = a.usage
		h.SetCost(a.cost)
	})
	return &session{c: c, about: a}
}

// Object handles an element of the history; the members apart from it are already known.
func (s *session) Object(object jsonlines.Object) error {
	message := rawjson.Member(object.Raw, "message")
	role := rawjson.MemberText(message, "role")
	if role == "" {
		s.c.Begin("")
		s.c.Skip("member")
		return nil
	}
	s.number++
	at := records.Locator{Offset: object.Offset, Line: object.Line, ID: "message-" + strconv.Itoa(s.number)}
	s.c.Begin(at.ID)
	text := textOf(rawjson.Member(message, "content"))
	switch role {
	case "user":
		return s.c.Said(assemble.Prompt{At: at, Text: strings.TrimSpace(text)}, false, "empty_prompt")
	case "assistant", "thinking":
		return s.answer(object.Raw, message, role, text, at)
	case "system":
		if text != "" {
			s.c.SystemPrompt(text)
		}
		s.c.Take()
		return nil
	case "tool":
		s.c.Take()
		return s.result(at, rawjson.MemberText(message, "toolCallId"), text, "")
	}
	s.c.Skip("message:" + sessionfile.Known(role))
	return nil
}

// answer handles an answer of the model and the results of its calls.
func (s *session) answer(raw, message []byte, role, text string, at records.Locator) error {
	a := assemble.Answer{At: at, Model: s.about.model, Text: text}
	if role == "thinking" {
		a.Text, a.Thinking = "", text
	}
	d := rawjson.NewDecoder(rawjson.Member(message, "toolCalls"))
	for d.OpenArray(); d.Element(); {
		one := d.Raw()
		function := rawjson.Member(one, "function")
		a.Calls = append(a.Calls, tools.Call(rawjson.MemberText(one, "id"), rawjson.MemberText(function, "name"),
			toolcall.Arguments(rawjson.MemberText(function, "arguments"), nil), s.about.dir))
	}
	if a.Text == "" && a.Thinking == "" && len(a.Calls) == 0 {
		s.c.Skip("empty_answer")
		return nil
	}
	if err := s.c.Answer(a); err != nil {
		return err
	}
	s.c.Take()
	d = rawjson.NewDecoder(rawjson.Member(raw, "toolCallStates"))
	for d.OpenArray(); d.Element(); {
		state := d.Raw()
		status := rawjson.MemberText(state, "status")
		if status == "generating" || status == "generated" || status == "calling" { // no result yet
			continue
		}
		err := s.result(at, rawjson.MemberText(state, "toolCallId"), textOf(rawjson.Member(state, "output")), status)
		if err != nil {
			return err
		}
	}
	return nil
}

// result passes on the result of a call.
func (s *session) result(at records.Locator, id, content, status string) error {
	r := assemble.Result{Content: &content}
	switch status {
	case "errored":
		r.Error = records.ErrorTool
	case "canceled", "cancelled":
		r.Error = records.ErrorRejected
	}
	tools.Result(s.c.Waiting(id), &r, s.about.dir)
	r.Seen = nil // the text has a heading before it
	return s.c.Result(at, id, r)
}

// textOf returns the text of a message or output: a text, or parts, with placeholders for parts of other kinds.
func textOf(raw []byte) string {
	d := rawjson.NewDecoder(raw)
	if d.Kind() == rawjson.String {
		return d.Text()
	}
	var parts []string
	for d.OpenArray(); d.Element(); {
		part := d.Raw()
		switch {
		case rawjson.MemberText(part, "type") == "imageUrl":
			parts = append(parts, "[image]")
		default:
			parts = append(parts, cmp.Or(rawjson.MemberText(part, "text"), rawjson.MemberText(part, "content")))
		}
	}
	return strings.Join(parts, "\n\n")
}
