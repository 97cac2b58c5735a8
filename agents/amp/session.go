package amp

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/agents/jsonlines"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/rawjson"
)

// open opens a thread.
func open(path, _ string) (sessionfile.File, error) { return sessionfile.Document(path, "messages") }

// parser returns the parser of threads.
func (s sessions) parser() sessionfile.Kind {
	return sessionfile.Kind{
		Agent:   Name,
		Open:    open,
		Session: func(path string, _ sessionfile.File) string { return cmp.Or(aboutOf(path).id, s.SessionID(path)) },
		Format: func(c *assemble.Conversation, of sessionfile.Place) sessionfile.Format {
			return newThread(c, aboutOf(of.Path))
		},
	}
}

// thread is a thread that is being read.
type thread struct {
	sessionfile.Plain
	c    *assemble.Conversation
	cwd  string
	last string // the time of the last message that has one
}

func newThread(c *assemble.Conversation, a about) *thread {
	c.Change(func(h *assemble.Head) {
		h.Began = sessionfile.Millis(a.created)
		h.AddCwd(a.dir)
		h.OS = a.os
		h.SetVersion(a.client)
		h.Git = a.remote != "" || a.commit != ""
		h.Repository, h.Branch, h.BaseCommit = a.remote, a.branch, a.commit
		h.AddMeta("title", a.title)
		h.AddMeta("agent_mode", a.mode)
	})
	return &thread{c: c, cwd: a.dir}
}

// Object handles a message; the members apart from the messages are already known.
func (t *thread) Object(object jsonlines.Object) error {
	role := rawjson.MemberText(object.Raw, "role")
	if role == "" {
		t.c.Begin("")
		t.c.Skip("member")
		return nil
	}
	id := ""
	if raw := rawjson.Member(object.Raw, "messageId"); raw != nil {
		id = "message-" + strconv.FormatInt(rawjson.MemberInt(object.Raw, "messageId"), 10)
	}
	t.c.Begin(id)
	at := records.Locator{Offset: object.Offset, Line: object.Line, ID: id}
	switch role {
	case "user":
		return t.user(object.Raw, at)
	case "assistant":
		return t.answer(object.Raw, at)
	}
	t.c.Skip("message:" + sessionfile.Known(role))
	return nil
}

// user handles the user's text, and results of calls.
func (t *thread) user(raw []byte, at records.Locator) error {
	time := sessionfile.Millis(rawjson.MemberInt(rawjson.Member(raw, "meta"), "sentAt"))
	t.last = cmp.Or(time, t.last)
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
		case "tool_result":
			returned = true
			if err := t.result(block, at); err != nil {
				return err
			}
		}
	}
	p := assemble.Prompt{At: at, Time: time, Text: strings.TrimSpace(strings.Join(said, "\n\n"))}
	if p.Text != "" {
		return t.c.Asked(p, returned)
	}
	return t.c.Said(p, returned, "empty_prompt")
}

// answer handles an answer of the model.
func (t *thread) answer(raw []byte, at records.Locator) error {
	usage, state := rawjson.Member(raw, "usage"), rawjson.Member(raw, "state")
	a := assemble.Answer{
		At: at, Time: rawjson.MemberText(usage, "timestamp"), Model: assemble.Model(rawjson.MemberText(usage, "model")),
		Stop: rawjson.MemberText(state, "stopReason"), Usage: counts.Usage(usage),
	}
	t.last = cmp.Or(a.Time, t.last)
	var said, thought []string
	d := rawjson.NewDecoder(rawjson.Member(raw, "content"))
	for d.OpenArray(); d.Element(); {
		block := d.Raw()
		switch rawjson.MemberText(block, "type") {
		case "text":
			if text := strings.TrimSpace(rawjson.MemberText(block, "text")); text != "" {
				said = append(said, text)
			}
		case "thinking":
			thought = append(thought, rawjson.MemberText(block, "thinking"))
		case "redacted_thinking":
			thought = append(thought, sessionfile.Withheld)
		case "tool_use":
			a.Calls = append(a.Calls, tools.Call(rawjson.MemberText(block, "id"), rawjson.MemberText(block, "name"),
				rawjson.Member(block, "input"), t.cwd))
		}
	}
	a.Text, a.Thinking = strings.Join(said, "\n\n"), strings.Join(thought, "\n\n")
	if kind := rawjson.MemberText(state, "type"); kind == "cancelled" || kind == "error" {
		a.Stop = "aborted"
		t.c.Broke(records.Interrupted, map[string]any{"timestamp": a.Time})
	}
	return t.c.Replied(a)
}

// counts has the names of an answer's tokens, with separate cache counts.
var counts = sessionfile.Counts{
	Input: "inputTokens", Output: "outputTokens", Read: "cacheReadInputTokens", Write: "cacheCreationInputTokens",
}

// result handles the result of a call.
func (t *thread) result(block []byte, at records.Locator) error {
	id, run := rawjson.MemberText(block, "toolUseID"), rawjson.Member(block, "run")
	value := rawjson.Member(run, "result")
	content := contentOf(value)
	r := assemble.Result{Time: t.last, Content: &content}
	switch rawjson.MemberText(run, "status") {
	case "done":
		r.Error = sessionfile.ExitCode(rawjson.MemberInt(value, "exitCode"))
	case "rejected-by-user":
		r.Error = records.ErrorRejected
	case "cancelled", "cancellation-requested":
		r.Error = records.ErrorInterrupted
	default:
		r.Error = records.ErrorTool
		if content == "" {
			content = contentOf(rawjson.Member(run, "error"))
		}
	}
	call := t.c.Waiting(id)
	tools.Result(call, &r, t.cwd)
	hunks := sessionfile.Hunks(rawjson.MemberText(value, "diff"))
	if len(hunks) > 0 && len(r.Edits) == 1 && call.Name == "edit_file" {
		r.Edits[0].Hunks, r.Edits[0].Text = hunks, sessionfile.Written(hunks)
	}
	r.Seen = nil // the text has line numbers before its lines
	return t.c.Result(at, id, r)
}

// contentOf returns the text of a result.
func contentOf(value []byte) string {
	d := rawjson.NewDecoder(value)
	switch d.Kind() {
	case rawjson.String:
		return d.Text()
	case rawjson.Object:
		for _, name := range []string{"output", "content", "diff", "message"} {
			if text := rawjson.MemberText(value, name); text != "" {
				return text
			}
		}
	}
	if rawjson.Member(value, "exitCode") != nil {
		return ""
	}
	return string(value)
}
