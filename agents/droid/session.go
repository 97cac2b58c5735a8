package droid

import (
	"cmp"
	"strings"

	"github.com/git-trace/git-trace/agents/jsonlines"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/rawjson"
)

// parser returns the parser of session files.
func (s sessions) parser() sessionfile.Kind {
	return sessionfile.Kind{
		Agent:   Name,
		Session: func(path string, file sessionfile.File) string { return cmp.Or(peek(file).id, s.SessionID(path)) },
		Format: func(c *assemble.Conversation, of sessionfile.Place) sessionfile.Format {
			return &session{c: c, settings: settingsOf(of.Path)}
		},
	}
}

// session is a session file that is being read.
type session struct {
	c        *assemble.Conversation
	settings settings
	state    state
}

// state holds the data of earlier lines that later lines need.
type state struct {
	Cwd string `json:"cwd,omitempty"`
}

func (s *session) State() any { return &s.state }

// End sets the token counts of the whole session.
func (s *session) End() error {
	if usage := s.settings.usage; usage != nil {
		s.c.Change(func(h *assemble.Head) { h.Usage = usage })
	}
	return nil
}

// Object handles a line.
func (s *session) Object(object jsonlines.Object) error {
	raw := object.Raw
	kind, id := rawjson.MemberText(raw, "type"), rawjson.MemberText(raw, "id")
	s.c.Begin(id)
	at := records.Locator{Offset: object.Offset, Line: object.Line, ID: id}
	switch kind {
	case "session_start":
		s.header(raw)
		return nil
	case "message":
		message, time := rawjson.Member(raw, "message"), rawjson.MemberText(raw, "timestamp")
		switch rawjson.MemberText(message, "role") {
		case "user":
			return s.user(message, time, at)
		case "assistant":
			return s.answer(message, rawjson.MemberText(raw, "modelId"), time, at)
		}
		s.c.Skip("message:" + sessionfile.Known(rawjson.MemberText(message, "role")))
		return nil
	}
	s.c.Skip(sessionfile.Known(kind))
	return nil
}

func (s *session) header(raw []byte) {
	cwd, title := rawjson.MemberText(raw, "cwd"), rawjson.MemberText(raw, "title")
	s.state.Cwd = cmp.Or(s.state.Cwd, cwd)
	s.c.Change(func(h *assemble.Head) {
		h.WorksIn(cwd)
		h.AddMeta("title", title)
	})
	s.c.Take()
}

// user handles the user's text, the client's additions, and results of calls.
func (s *session) user(message []byte, time string, at records.Locator) error {
	var said []string
	returned := false
	d := rawjson.NewDecoder(rawjson.Member(message, "content"))
	if d.Kind() == rawjson.String {
		said = append(said, d.Text())
	}
	for d.OpenArray(); d.Element(); {
		block := d.Raw()
		switch rawjson.MemberText(block, "type") {
		case "text":
			if text := rawjson.MemberText(block, "text"); !byClient(text) {
				said = append(said, text)
			}
		case "image":
			said = append(said, "[image]")
		case "tool_result":
			returned = true
			if err := s.result(block, time, at); err != nil {
				return err
			}
		}
	}
	text := strings.TrimSpace(strings.Join(said, "\n\n"))
	return s.c.Said(assemble.Prompt{At: at, Time: time, Text: text}, returned, "client_message")
}

// byClient reports whether the client added a text: reminders, and the files to which the user refers.
func byClient(text string) bool {
	tag, tagged := sessionfile.Tagged(text)
	if tagged && (tag == "system-reminder" || tag == "system-notification" || tag == "context") {
		return true
	}
	head, _, _ := strings.Cut(text, "\n")
	return strings.HasPrefix(head, "Contents of /") && strings.HasSuffix(head, "):")
}

// answer handles an answer of a model. Newer versions name the model next to the message.
func (s *session) answer(message []byte, model, time string, at records.Locator) error {
	model = cmp.Or(assemble.Model(cmp.Or(rawjson.MemberText(message, "model"), model)), s.settings.model)
	a := assemble.Answer{At: at, Time: time, Model: model}
	var said, thought []string
	d := rawjson.NewDecoder(rawjson.Member(message, "content"))
	if d.Kind() == rawjson.String {
		said = append(said, d.Text())
	}
	for d.OpenArray(); d.Element(); {
		block := d.Raw()
		switch rawjson.MemberText(block, "type") {
		case "text":
			said = append(said, rawjson.MemberText(block, "text"))
		case "thinking":
			thought = append(thought, rawjson.MemberText(block, "thinking"))
		case "redacted_thinking":
			thought = append(thought, sessionfile.Withheld)
		case "tool_use":
			a.Calls = append(a.Calls, tools.Call(rawjson.MemberText(block, "id"), rawjson.MemberText(block, "name"),
				rawjson.Member(block, "input"), s.state.Cwd))
		}
	}
	a.Text, a.Thinking = strings.TrimSpace(strings.Join(said, "\n\n")), strings.Join(thought, "\n\n")
	return s.c.Replied(a)
}

// result handles the result of a call.
func (s *session) result(block []byte, time string, at records.Locator) error {
	id, content := rawjson.MemberText(block, "tool_use_id"), sessionfile.Blocks(rawjson.Member(block, "content"))
	failed := string(rawjson.Member(block, "is_error")) == "true"
	r := assemble.Result{Time: time, Content: &content, Error: errorOf(content, failed)}
	tools.Result(s.c.Waiting(id), &r, s.state.Cwd)
	return s.c.Result(at, id, r)
}

// errorOf returns the error that a result reports. The result of a patch is JSON.
func errorOf(content string, failed bool) string {
	if strings.HasPrefix(content, `{"success":false`) {
		return records.ErrorTool
	}
	if !failed {
		return ""
	}
	lower := strings.ToLower(content[:min(len(content), 500)])
	switch {
	case strings.Contains(lower, "rejected") && strings.Contains(lower, "user"), strings.Contains(lower, "user cancelled"):
		return records.ErrorRejected
	case strings.Contains(lower, "interrupted"), strings.Contains(lower, "aborted"):
		return records.ErrorInterrupted
	}
	return records.ErrorTool
}
