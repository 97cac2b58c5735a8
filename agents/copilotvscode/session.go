package copilotvscode

import (
	"cmp"
	"math"
	"strings"

	"github.com/git-trace/git-trace/agents/jsonlines"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/agents/toolcall"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/rawjson"
)

// parser returns the parser of chats.
func (s sessions) parser() sessionfile.Kind {
	return sessionfile.Kind{
		Agent: Name, Open: open,
		Session: func(path string, file sessionfile.File) string { return cmp.Or(idIn(file), s.SessionID(path)) },
		Format: func(c *assemble.Conversation, of sessionfile.Place) sessionfile.Format {
			return newSession(c, dirOf(of.Path))
		},
	}
}

// idIn returns the id in a chat; in a document, it may come after the requests.
func idIn(file sessionfile.File) (id string) {
	sessionfile.First(file, math.MaxInt, func(object jsonlines.Object) bool {
		if rawjson.Member(object.Raw, "requestId") != nil {
			return true
		}
		id = payload.CheckedID(cmp.Or(rawjson.MemberText(object.Raw, "sessionId"),
			rawjson.MemberText(rawjson.Member(object.Raw, "data"), "sessionId")))
		return id == "" && rawjson.Member(object.Raw, "timestamp") == nil // an event has a time
	})
	return id
}

// session is a chat that is being read.
type session struct {
	sessionfile.Plain
	c     *assemble.Conversation
	cwd   string
	state state
}

// state holds the data of earlier events that later events need.
type state struct {
	Number int `json:"number,omitempty"` // the number of the last answer
}

func newSession(c *assemble.Conversation, cwd string) *session {
	c.Change(func(h *assemble.Head) { h.WorksIn(cwd) })
	return &session{c: c, cwd: cwd}
}

func (s *session) State() any { return &s.state }

// Object handles a request, an event, or the data about the chat.
func (s *session) Object(object jsonlines.Object) error {
	at := records.Locator{Offset: object.Offset, Line: object.Line}
	if kind := rawjson.MemberText(object.Raw, "type"); kind != "" {
		at.ID = rawjson.MemberText(object.Raw, "id")
		s.c.Begin(at.ID)
		return s.event(kind, object.Raw, at)
	}
	if id := rawjson.MemberText(object.Raw, "requestId"); id != "" {
		at.ID = id
		s.c.Begin(id)
		return s.request(object.Raw, at)
	}
	s.c.Begin("")
	title, created := rawjson.MemberText(object.Raw, "customTitle"), rawjson.MemberInt(object.Raw, "creationDate")
	if title == "" && created == 0 {
		s.c.Skip("member")
		return nil
	}
	s.c.Change(func(h *assemble.Head) {
		h.AddMeta("title", title)
		h.Began = cmp.Or(h.Began, sessionfile.Millis(created))
	})
	s.c.Take()
	return nil
}

// event handles a line of a transcript.
func (s *session) event(kind string, raw []byte, at records.Locator) error {
	data, time := rawjson.Member(raw, "data"), rawjson.MemberText(raw, "timestamp")
	switch kind {
	case "session.start":
		version := payload.Name(rawjson.MemberText(data, "copilotVersion"))
		s.c.Change(func(h *assemble.Head) { h.SetVersion(version) })
		s.c.Take()
		return nil
	case "user.message":
		return s.prompt(rawjson.MemberText(data, "content"), time, at)
	case "assistant.message":
		a := assemble.Answer{At: at, Time: time, Text: strings.TrimSpace(rawjson.MemberText(data, "content")),
			Thinking: rawjson.MemberText(data, "reasoningText")}
		d := rawjson.NewDecoder(rawjson.Member(data, "toolRequests"))
		for d.OpenArray(); d.Element(); {
			one := d.Raw()
			a.Calls = append(a.Calls, tools.Call(rawjson.MemberText(one, "toolCallId"), rawjson.MemberText(one, "name"),
				argumentsOf(one), s.cwd))
		}
		return s.c.Replied(a)
	case "tool.execution_complete":
		id := rawjson.MemberText(data, "toolCallId")
		r := assemble.Result{Time: time}
		if content := textIn(rawjson.Member(data, "result")); content != "" {
			r.Content = &content
		}
		if string(rawjson.Member(data, "success")) != "true" {
			r.Error = records.ErrorTool
		}
		tools.Result(s.c.Waiting(id), &r, s.cwd)
		s.c.Take()
		return s.c.Result(at, id, r)
	}
	s.c.Skip(sessionfile.Known(kind))
	return nil
}

func (s *session) prompt(text, time string, at records.Locator) error {
	if text = strings.TrimSpace(text); text == "" {
		s.c.Skip("empty_prompt")
		return nil
	}
	return s.c.Asked(assemble.Prompt{At: at, Time: time, Text: text}, false)
}

// argumentsOf returns the arguments of a call: an object, or a text that contains one.
func argumentsOf(call []byte) []byte {
	return toolcall.Arguments(rawjson.MemberText(call, "arguments"), rawjson.Member(call, "arguments"))
}

// maxTree limits the number of texts of one result that are read.
const maxTree = 10_000

// textIn collects the texts of a result: a text, its parts, or the tree that the client draws.
func textIn(raw []byte) string {
	var out strings.Builder
	n := 0
	var walk func(raw []byte, depth int)
	walk = func(raw []byte, depth int) {
		if n++; n > maxTree || depth > 64 {
			return
		}
		d := rawjson.NewDecoder(raw)
		switch d.Kind() {
		case rawjson.String:
			out.WriteString(d.Text())
		case rawjson.Array:
			for d.OpenArray(); d.Element(); {
				walk(d.Raw(), depth+1)
			}
		case rawjson.Object:
			if string(rawjson.Member(raw, "lineBreakBefore")) == "true" && out.Len() > 0 {
				out.WriteByte('\n')
			}
			for d.Open(); d.Member(); {
				switch string(d.Key()) {
				case "text":
					out.WriteString(d.Text())
				case "content", "value", "node", "children":
					walk(d.Raw(), depth+1)
				}
			}
		}
	}
	walk(raw, 0)
	return out.String()
}
