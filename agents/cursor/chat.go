package cursor

import (
	"cmp"
	"strings"

	"github.com/git-trace/git-trace/agents/jsonlines"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/agents/toolcall"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/rawjson"
)

// chatTools lists the tools of chats that act on files.
var chatTools = toolcall.Tools{
	"read_file": toolcall.Reads, "read_file_v2": toolcall.Reads, "write": toolcall.Writes,
	"search_replace": toolcall.Replaces, "edit_file_v2": toolcall.Replaces, "apply_patch": toolcall.Patches,
	"run_terminal_cmd": toolcall.Runs, "run_terminal_command_v2": toolcall.Runs,
}

// talk is a conversation of the editor's database that is being read.
type talk struct {
	sessionfile.Plain
	c     *assemble.Conversation
	dir   string
	model string
	calls int
}

// Object handles the data about the conversation, or a message.
func (t *talk) Object(o jsonlines.Object) error {
	t.c.Begin("")
	message := rawjson.Member(o.Raw, "message")
	at := records.Locator{Offset: o.Offset, Line: o.Line, ID: payload.CheckedID(rawjson.MemberText(message, "bubbleId"))}
	switch {
	case message == nil && rawjson.Member(o.Raw, "chat") != nil:
		t.about(rawjson.Member(o.Raw, "chat"))
		return nil
	case message == nil && rawjson.Member(o.Raw, "beside") != nil:
		t.c.Skip("message:not_listed")
		return nil
	case message == nil:
		t.c.Skip("message:missing")
		return nil
	}
	switch rawjson.MemberInt(message, "type") {
	case 1:
		return t.prompt(message, at)
	case 2:
		return t.answer(o.Raw, message, at)
	}
	t.c.Skip("message:unknown")
	return nil
}

// about handles the data about the whole conversation.
func (t *talk) about(raw []byte) {
	if model := rawjson.MemberText(rawjson.Member(raw, "modelConfig"), "modelName"); model != "default" {
		t.model = assemble.Model(model)
	}
	t.c.Change(func(h *assemble.Head) {
		h.Began = sessionfile.Millis(rawjson.MemberInt(raw, "createdAt"))
		h.WorksIn(t.dir)
		h.AddMeta("title", rawjson.MemberText(raw, "name"))
		if branch := payload.Name(rawjson.MemberText(raw, "createdOnBranch")); branch != "" {
			h.Git, h.Branch = true, branch
		}
		if rawjson.MemberText(raw, "status") == "aborted" {
			h.Terminal = records.Interrupted
		}
	})
	t.c.Take()
}

// timeOf returns the time of a message, which is a text or milliseconds.
func timeOf(message []byte) string {
	if text := rawjson.MemberText(message, "createdAt"); text != "" {
		return sessionfile.Stamp(text)
	}
	return sessionfile.Millis(rawjson.MemberInt(message, "createdAt"))
}

func (t *talk) prompt(message []byte, at records.Locator) error {
	d := rawjson.NewDecoder(rawjson.Member(message, "workspaceUris"))
	if d.OpenArray(); t.dir == "" && d.Element() {
		t.dir = pathOf(d.Text())
		t.c.Change(func(h *assemble.Head) { h.WorksIn(t.dir) })
	}
	text := strings.TrimSpace(rawjson.MemberText(message, "text"))
	return t.c.Said(assemble.Prompt{At: at, Time: timeOf(message), Text: text}, false, "empty_prompt")
}

// answer handles a message of the agent: a text, thinking, or a call with its result.
func (t *talk) answer(o, message []byte, at records.Locator) error {
	a := assemble.Answer{At: at, Time: timeOf(message), Model: t.model,
		Text:     strings.TrimSpace(rawjson.MemberText(message, "text")),
		Thinking: rawjson.MemberText(rawjson.Member(message, "thinking"), "text")}
	if model := rawjson.MemberText(rawjson.Member(message, "modelInfo"), "modelName"); model != "" && model != "default" {
		a.Model = assemble.Model(model)
	}
	tool := rawjson.Member(message, "toolFormerData")
	name := rawjson.MemberText(tool, "name")
	if name != "" {
		a.Calls = []assemble.Call{t.call(name, tool)}
	}
	if a.Text == "" && a.Thinking == "" && name == "" {
		t.c.Skip("empty_answer")
		return nil
	}
	a.Usage = usageOf(rawjson.Member(message, "tokenCount"))
	if err := t.c.Answer(a); err != nil {
		return err
	}
	t.c.Take()
	if name == "" {
		return nil
	}
	return t.result(o, tool, &a.Calls[0], at, a.Time)
}

// usageOf returns the tokens of a message. It is unknown whether the input includes cached tokens.
func usageOf(raw []byte) *assemble.Usage {
	u := sessionfile.Counts{Input: "inputTokens", Output: "outputTokens"}.In(raw)
	if u == (records.TokenUsage{}) {
		return nil
	}
	return &assemble.Usage{TokenUsage: u}
}

// call returns a call with the model's arguments or, without them, the editor's form of the arguments.
func (t *talk) call(name string, tool []byte) assemble.Call {
	t.calls++
	params := object(rawjson.Member(tool, "params"))
	input := object(rawjson.Member(tool, "rawArgs"))
	if input == nil || string(input) == "{}" {
		input = params
	}
	if input == nil {
		input = []byte("{}")
	}
	id := cmp.Or(payload.CheckedID(rawjson.MemberText(tool, "toolCallId")), callID(t.calls))
	dir := cmp.Or(rawjson.MemberText(params, "cwd"), t.dir)
	call := chatTools.Call(id, name, input, dir)
	path := rawjson.MemberText(params, "relativeWorkspacePath")
	does := chatTools[name]
	if len(call.Writes) == 0 && path != "" && (does == toolcall.Replaces || does == toolcall.Writes) {
		call.Writes = []string{sessionfile.Absolute(path, t.dir)}
	}
	return call
}

// result handles the result of a call, if the call has ended.
func (t *talk) result(o, tool []byte, call *assemble.Call, at records.Locator, time string) error {
	returned := object(rawjson.Member(tool, "result"))
	failure, ended := endOf(tool, returned)
	if !ended {
		return nil
	}
	content := cmp.Or(rawjson.MemberText(returned, "output"), rawjson.MemberText(returned, "contents"),
		rawjson.MemberText(tool, "result"),
		rawjson.MemberText(object(rawjson.Member(tool, "error")), "clientVisibleErrorMessage"))
	if content == "" {
		content = string(returned)
	}
	r := assemble.Result{Time: time, Error: failure, Content: &content}
	chatTools.Result(call, &r, t.dir)
	r.Seen = nil // a part of a file looks the same as the whole file
	after := rawjson.Member(o, "after")
	switch {
	case failure != "" || len(call.Writes) != 1:
	case rawjson.Member(o, "before") != nil && after != nil:
		before := rawjson.MemberText(o, "before")
		r.Edits = []assemble.Edit{assemble.Changed(call.Writes[0], before, rawjson.Unquote(after))}
	case call.Name == "edit_file_v2": // the file lacks its text
		r.Edits = nil
	}
	return t.c.Result(at, call.ID, r)
}

// endOf returns how a call ended. It needs several members: a refused or failed command also has the status completed.
func endOf(tool, returned []byte) (failure string, ended bool) {
	status := rawjson.MemberText(tool, "status")
	more := rawjson.MemberText(object(rawjson.Member(tool, "additionalData")), "status")
	code := rawjson.MemberInt(returned, "exitCode")
	switch {
	case status == "loading" || status == "pending" || status == "running" || status == "":
		return "", false
	case string(rawjson.Member(returned, "rejected")) == "true", more == "rejected", status == "rejected",
		status == "skipped", status == "cancelled":
		return records.ErrorRejected, true
	case code != 0:
		return sessionfile.ExitCode(code), true
	case status == "error", more == "error":
		return records.ErrorTool, true
	}
	return "", true
}
