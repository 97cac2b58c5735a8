package goose

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/agents/jsonlines"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/rawjson"
)

// parser returns the parser of sessions. If the options name no session, it reads the database's session that changed
// last.
func (s sessions) parser() sessionfile.Kind {
	return sessionfile.Kind{
		Agent: Name, Open: open,
		Session: func(path string, file sessionfile.File) string {
			about := peek(file)
			return cmp.Or(payload.CheckedID(rawjson.MemberText(about, "id")), s.SessionID(path))
		},
		Format: func(c *assemble.Conversation, _ sessionfile.Place) sessionfile.Format { return &session{c: c} },
	}
}

// session is a session that is being read.
type session struct {
	sessionfile.Plain
	c     *assemble.Conversation
	state state
}

// state holds the data of earlier messages that later messages need.
type state struct {
	Cwd   string `json:"cwd,omitempty"`
	Model string `json:"model,omitempty"`
}

func (s *session) State() any { return &s.state }

// Object handles the line about the session, or a message.
func (s *session) Object(object jsonlines.Object) error {
	role, id := rawjson.MemberText(object.Raw, "role"), rawjson.MemberText(object.Raw, "id")
	if role == "" {
		s.c.Begin("")
		s.about(object.Raw)
		return nil
	}
	s.c.Begin(id)
	at := records.Locator{Offset: object.Offset, Line: object.Line, ID: id}
	switch role {
	case "user":
		return s.user(object.Raw, at)
	case "assistant":
		return s.answer(object.Raw, at)
	}
	s.c.Skip("message:" + sessionfile.Known(role))
	return nil
}

// about handles the line about the whole session.
func (s *session) about(raw []byte) {
	dir := rawjson.MemberText(raw, "working_dir")
	if dir == "" {
		s.c.Skip("member")
		return
	}
	s.state.Cwd, s.state.Model = dir, assemble.Model(rawjson.MemberText(raw, "model"))
	title, created := rawjson.MemberText(raw, "description"), rawjson.MemberText(raw, "created_at")
	usage := sessionfile.Counts{Input: "accumulated_input_tokens", Output: "accumulated_output_tokens"}.In(raw)
	s.c.Change(func(h *assemble.Head) {
		h.WorksIn(dir)
		h.AddMeta("title", title)
		if created != "" {
			h.Began = strings.Replace(created, " ", "T", 1) + "Z"
		}
		if usage != (records.TokenUsage{}) {
			h.Usage = &usage
			h.SetMeta("cached_tokens", "among the input")
		}
	})
	s.c.Take()
}

// timeOf returns the time of a message, which the file has in seconds since 1970.
func timeOf(raw []byte) string { return sessionfile.Millis(rawjson.MemberInt(raw, "created") * 1000) }

// user handles the user's text, and results of calls. Additions of the client are marked as not visible to the user.
func (s *session) user(raw []byte, at records.Locator) error {
	time := timeOf(raw)
	hidden := string(rawjson.Member(rawjson.Member(raw, "metadata"), "userVisible")) == "false"
	var said []string
	returned := false
	d := rawjson.NewDecoder(rawjson.Member(raw, "content"))
	for d.OpenArray(); d.Element(); {
		block := d.Raw()
		switch rawjson.MemberText(block, "type") {
		case "text":
			said = append(said, rawjson.MemberText(block, "text"))
		case "image":
			said = append(said, "[image]")
		case "toolResponse":
			returned = true
			if err := s.result(block, time, at); err != nil {
				return err
			}
		}
	}
	text := strings.TrimSpace(strings.Join(said, "\n\n"))
	if text != "" && hidden {
		s.c.Skip("client_message")
		return nil
	}
	return s.c.Said(assemble.Prompt{At: at, Time: time, Text: text}, returned, "client_message")
}

// answer handles an answer of the model.
func (s *session) answer(raw []byte, at records.Locator) error {
	a := assemble.Answer{At: at, Time: timeOf(raw), Model: s.state.Model}
	var said, thought []string
	unreadable := 0
	d := rawjson.NewDecoder(rawjson.Member(raw, "content"))
	for d.OpenArray(); d.Element(); {
		block := d.Raw()
		switch rawjson.MemberText(block, "type") {
		case "text":
			said = append(said, rawjson.MemberText(block, "text"))
		case "thinking":
			thought = append(thought, rawjson.MemberText(block, "thinking"))
		case "redactedThinking":
			thought = append(thought, sessionfile.Withheld)
		case "toolRequest":
			if call, found := s.call(block); found {
				a.Calls = append(a.Calls, call)
			} else {
				unreadable++
			}
		}
	}
	a.Text, a.Thinking = strings.TrimSpace(strings.Join(said, "\n\n")), strings.Join(thought, "\n\n")
	if a.Text == "" && a.Thinking == "" && len(a.Calls) == 0 {
		s.c.Skip("empty_answer")
		return nil
	}
	err := s.c.Answer(a)
	for range unreadable { // after the answer, because both are read again together
		s.c.Drop("unreadable_call")
	}
	s.c.Take()
	return err
}

// call returns the call in a block; false if the model's text of the call was unreadable.
func (s *session) call(block []byte) (assemble.Call, bool) {
	value := outcome(rawjson.Member(block, "toolCall"))
	name := rawjson.MemberText(value, "name")
	if name == "" {
		return assemble.Call{}, false
	}
	return tools.Call(rawjson.MemberText(block, "id"), name, rawjson.Member(value, "arguments"), s.state.Cwd), true
}

// outcome returns the value of {status: success, value}, or of {Ok: value} in older versions; nil for a failure.
func outcome(raw []byte) []byte {
	if value := rawjson.Member(raw, "Ok"); value != nil {
		return value
	}
	return rawjson.Member(raw, "value")
}

// result handles the result of a call.
func (s *session) result(block []byte, time string, at records.Locator) error {
	id, returned := rawjson.MemberText(block, "id"), rawjson.Member(block, "toolResult")
	value := outcome(returned)
	r := assemble.Result{Time: time}
	content := textOf(value)
	switch {
	case value == nil:
		content = cmp.Or(rawjson.MemberText(returned, "error"), rawjson.MemberText(returned, "Err"))
		r.Error = records.ErrorTool
		if strings.Contains(content, "declined") || strings.Contains(content, "rejected by the user") {
			r.Error = records.ErrorRejected
		}
	case string(rawjson.Member(value, "isError")) == "true":
		r.Error = records.ErrorTool
	}
	if code, found := exitOf(value, content); found {
		r.Error = sessionfile.ExitCode(code)
	}
	r.Content = &content
	tools.Result(s.c.Waiting(id), &r, s.state.Cwd)
	return s.c.Result(at, id, r)
}

// exitOf returns the exit status of a command.
func exitOf(value []byte, content string) (code int64, found bool) {
	structured := rawjson.Member(value, "structuredContent")
	if raw := rawjson.Member(structured, "exit_code"); raw != nil {
		return rawjson.MemberInt(structured, "exit_code"), true
	}
	_, rest, found := strings.Cut(content, "Command exited with code ")
	if !found {
		return 0, false
	}
	end := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
	if end >= 0 {
		rest = rest[:end]
	}
	code, err := strconv.ParseInt(rest, 10, 64)
	return code, err == nil
}

// textOf returns the text of a result: a list of parts, or an object with a list of parts. A part that is only for the
// user repeats the model's part, and is skipped.
func textOf(value []byte) string {
	d := rawjson.NewDecoder(value)
	if d.Kind() == rawjson.Object {
		return textOf(rawjson.Member(value, "content"))
	}
	var parts []string
	for d.OpenArray(); d.Element(); {
		part := d.Raw()
		if audience := rawjson.Member(rawjson.Member(part, "annotations"), "audience"); string(audience) == `["user"]` {
			continue
		}
		switch rawjson.MemberText(part, "type") {
		case "text":
			parts = append(parts, rawjson.MemberText(part, "text"))
		case "image":
			parts = append(parts, "[image]")
		}
	}
	return strings.Join(parts, "\n\n")
}
