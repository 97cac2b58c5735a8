package openhands

import (
	"cmp"
	"strings"

	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/agents/toolcall"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/rawjson"
)

// action handles a call, with the model's text before it.
func (s *session) action(raw []byte, time string, at records.Locator) error {
	made := rawjson.Member(raw, "tool_call")
	name := cmp.Or(rawjson.MemberText(raw, "tool_name"), rawjson.MemberText(made, "name"))
	id := cmp.Or(rawjson.MemberText(raw, "tool_call_id"), rawjson.MemberText(made, "id"), at.ID)
	input := toolcall.Arguments(rawjson.MemberText(made, "arguments"), rawjson.Member(raw, "action"))
	call := tools.Call(id, name, input, s.cwd)
	a := assemble.Answer{
		At: at, Time: time, Key: rawjson.MemberText(raw, "llm_response_id"), Calls: []assemble.Call{call},
		Text:     strings.TrimSpace(textOf(rawjson.Member(raw, "thought"))),
		Thinking: strings.TrimSpace(rawjson.MemberText(raw, "reasoning_content")),
	}
	if _, after, found := strings.Cut(a.Text, "</think>"); found && strings.HasPrefix(a.Text, "<think>") {
		thought := strings.TrimSpace(a.Text[len("<think>") : len(a.Text)-len(after)-len("</think>")])
		a.Text, a.Thinking = strings.TrimSpace(after), cmp.Or(a.Thinking, thought)
	}
	if d := rawjson.NewDecoder(rawjson.Member(raw, "action")); d.Kind() != rawjson.Object {
		s.invalid = append(s.invalid, id)
	}
	return s.answer(a)
}

// invalidLeft ends the calls whose arguments did not fit their tools and for which no error was reported.
func (s *session) invalidLeft() error {
	for _, id := range s.invalid {
		if s.c.Waiting(id) == nil && !s.c.Expects(id) {
			continue
		}
		if err := s.c.Result(records.Locator{}, id, assemble.Result{Error: records.ErrorTool}); err != nil {
			return err
		}
	}
	s.invalid = nil
	return nil
}

// `observed` handles the result of a call.
func (s *session) observed(kind string, raw []byte, time string, at records.Locator) error {
	id := cmp.Or(rawjson.MemberText(raw, "tool_call_id"), rawjson.MemberText(raw, "action_id"))
	seen := rawjson.Member(raw, "observation")
	content := textOf(rawjson.Member(seen, "content"))
	r := assemble.Result{Time: time, Content: &content}
	switch kind {
	case "UserRejectObservation":
		content = rawjson.MemberText(raw, "rejection_reason")
		r.Error = records.ErrorRejected
		if by := rawjson.MemberText(raw, "rejection_source"); by != "" && by != "user" {
			s.c.Append("denied_by", "after_step", map[string]any{"tool_call_id": id, "by": sessionfile.Known(by)})
		}
	case "AgentErrorEvent":
		content = rawjson.MemberText(raw, "error")
		r.Error = records.ErrorTool
	default:
		r.Error = errorOf(seen)
	}
	call := s.c.Waiting(id)
	tools.Result(call, &r, s.cwd)
	if edit, exact := editOf(seen, s.cwd); exact && r.Error == "" && call != nil {
		r.Edits = []assemble.Edit{edit}
	}
	r.Seen = nil // an editor shows line numbers before the lines
	s.c.Take()
	return s.c.Result(at, id, r)
}

// errorOf returns the error that an observation reports.
func errorOf(seen []byte) string {
	code := rawjson.MemberInt(seen, "exit_code")
	switch {
	case code > 0:
		return sessionfile.ExitCode(code)
	case string(rawjson.Member(seen, "timeout")) == "true":
		return records.ErrorInterrupted
	case string(rawjson.Member(seen, "is_error")) == "true":
		return records.ErrorTool
	}
	return ""
}

// editOf returns the change that an editor made to a file, from the whole file before and after.
func editOf(seen []byte, dir string) (assemble.Edit, bool) {
	now := rawjson.NewDecoder(rawjson.Member(seen, "new_content"))
	path := sessionfile.Absolute(rawjson.MemberText(seen, "path"), dir)
	if now.Kind() != rawjson.String || path == "" || rawjson.MemberText(seen, "command") == "view" {
		return assemble.Edit{}, false
	}
	content := now.Text()
	before := rawjson.NewDecoder(rawjson.Member(seen, "old_content"))
	if before.Kind() != rawjson.String || string(rawjson.Member(seen, "prev_exist")) == "false" {
		return assemble.NewFile(path, content), true
	}
	return assemble.Changed(path, before.Text(), content), true
}

// textOf returns the text of a message or observation: a text, an object with a text, or parts.
func textOf(raw []byte) string {
	if rawjson.NewDecoder(raw).Kind() == rawjson.Object {
		return rawjson.MemberText(raw, "text")
	}
	return sessionfile.Blocks(raw)
}
