package cline

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/agents/toolcall"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/rawjson"
)

// user handles a message to the model: results of calls, the user's text, the client's additions.
func (s *session) user(m *message, at records.Locator) error {
	time := sessionfile.Millis(m.at)
	u := turn{time: time}
	d := rawjson.NewDecoder(m.content)
	if d.Kind() == rawjson.String {
		u.text(s, d.Text())
	}
	for d.OpenArray(); d.Element(); {
		block := d.Raw()
		switch rawjson.MemberText(block, "type") {
		case "text":
			u.text(s, rawjson.MemberText(block, "text"))
		case "said": // from the user's view, without a tag
			u.said = append(u.said, rawjson.MemberText(block, "text"))
		case "image":
			u.said = append(u.said, "[image]")
		case "tool_result":
			u.returned = true
			if err := s.result(block, time, at); err != nil {
				return err
			}
		}
	}
	if u.results != nil && s.open != "" {
		u.returned = true
		content := strings.TrimSpace(strings.Join(u.results, "\n\n"))
		if err := s.returned(at, s.open, assemble.Result{Time: time, Content: &content}); err != nil {
			return err
		}
		s.open = ""
	}
	return s.prompt(m, &u, at)
}

// turn is the content of one message to the model.
type turn struct {
	time     string
	said     []string // texts of the user
	results  []string // results of the XML call
	notices  []string // texts of the client
	returned bool
}

// resultHead matches the beginning of the result of an XML call.
var resultHead = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\[[a-z_]+(?: for '(?s:.*?)')?\] Result:\s*`)
})

// `added` lists the tags of the client's additions.
var added = []string{"environment_details", "explicit_instructions", "SYSTEM_NOTICE", "system_notice", "notice",
	"file_content",
	"folder_content", "hook_context"}

// text adds a piece of text.
func (u *turn) text(s *session, text string) {
	if s.shown == nil { // in a session's document, the user's words have no tags
		if tag, tagged := sessionfile.Tagged(text); tagged && slices.Contains(added, tag) {
			u.notices = append(u.notices, text)
			return
		}
		u.said = append(u.said, text)
		return
	}
	if head := resultHead().FindString(text); head != "" {
		u.results = append(u.results, text[len(head):])
		return
	}
	if tag, tagged := sessionfile.Tagged(text); tagged && slices.Contains(added, tag) {
		if model := sessionfile.Inside(text, "model"); model != "" {
			s.shown.model = assemble.Model(model)
		}
		return
	}
	found := false
	for _, tag := range []string{"task", "feedback", "user_message", "answer"} {
		if words := sessionfile.Inside(text, tag); words != "" {
			u.said = append(u.said, words)
			found = true
		}
	}
	switch {
	case strings.HasPrefix(text, "The user made the following updates to your content"):
		s.c.Append("user_modified_edits", "after_step", map[string]any{"text": text, "timestamp": u.time})
		u.results = append(u.results, text)
	case !found && (u.results != nil || delegatedTo(text) != ""):
		u.results = append(u.results, text)
	case !found && strings.TrimSpace(text) != "":
		u.notices = append(u.notices, text)
	}
}

// prompt adds the user's text as a prompt, if there is one.
func (s *session) prompt(m *message, u *turn, at records.Locator) error {
	said := strings.TrimSpace(strings.Join(u.said, "\n\n"))
	kind := rawjson.MemberText(m.meta, "kind")
	switch {
	case kind == "compaction" || kind == "compaction_summary" || m.marker || m.summary:
		s.compacted(cmp.Or(said, strings.Join(u.notices, "\n\n")), u.time)
		return nil
	case m.display == "system":
		s.c.Skip("client_message")
		return nil
	}
	return s.c.Said(assemble.Prompt{At: at, Time: u.time, Text: said}, u.returned, "client_message")
}

// `compacted` records that a summary replaced the conversation so far.
func (s *session) compacted(summary, time string) {
	s.c.Append("compactions", "after_step", map[string]any{"timestamp": time})
	s.c.Summarised(summary, time)
	s.c.Take()
}

// result handles a block with the result of a call.
func (s *session) result(block []byte, time string, at records.Locator) error {
	content, failed := resultText(rawjson.Member(block, "content"))
	r := assemble.Result{Time: time, Content: &content}
	if failed || string(rawjson.Member(block, "is_error")) == "true" {
		r.Error = records.ErrorTool
	}
	return s.returned(at, rawjson.MemberText(block, "tool_use_id"), r)
}

func (s *session) returned(at records.Locator, id string, r assemble.Result) error {
	call := s.c.Waiting(id)
	r.Error = cmp.Or(errorOf(*r.Content, call), r.Error)
	if call != nil && call.Name == newTask {
		r.Subagent = delegatedTo(*r.Content)
	}
	tools.Result(call, &r, s.cwd)
	if call != nil && r.Error == "" && call.Name == "editor" && len(call.Writes) > 0 &&
		rawjson.Member(call.Input, "old_text") == nil && rawjson.Member(call.Input, "insert_line") == nil {
		r.Edits = []assemble.Edit{sessionfile.WholeFile(call.Writes[0], rawjson.MemberText(call.Input, "new_text"))}
	}
	return s.c.Result(at, id, r)
}

// resultText returns the text of a result: a text, blocks of text, or one or several {query, result, success}, as JSON
// or in a text.
func resultText(raw []byte) (content string, failed bool) {
	d := rawjson.NewDecoder(raw)
	switch d.Kind() {
	case rawjson.String:
		text := d.Text()
		if inner := strings.TrimSpace(text); strings.HasPrefix(inner, `{"query"`) || strings.HasPrefix(inner, `[{"query"`) {
			if said, failed := resultText([]byte(inner)); said != "" {
				return said, failed
			}
		}
		return text, false
	case rawjson.Object:
		value := rawjson.Member(raw, "result")
		text := rawjson.MemberText(raw, "text")
		if said := rawjson.NewDecoder(value); said.Kind() == rawjson.String {
			text = said.Text()
		} else if value != nil {
			text = string(value)
		}
		return cmp.Or(text, rawjson.MemberText(raw, "error")), string(rawjson.Member(raw, "success")) == "false"
	case rawjson.Array:
		var parts []string
		for d.OpenArray(); d.Element(); {
			text, bad := resultText(d.Raw())
			failed = failed || bad
			if text != "" {
				parts = append(parts, text)
			}
		}
		return strings.Join(parts, "\n\n"), failed
	default:
		return "", false
	}
}

// exitCode matches the exit code of a command.
var exitCode = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)exit(?:ed with)? code:? (\d+)`)
})

// errorOf returns the error that a result reports. It uses an exit code only in the result of a command or of an
// unknown call. Results of other calls may quote one.
func errorOf(content string, call *assemble.Call) string {
	head := content[:min(len(content), 2000)]
	switch {
	case strings.Contains(head, "The user denied this operation"):
		return records.ErrorRejected
	case strings.Contains(head, "The tool execution failed with the following error"), strings.HasPrefix(head, "<error>"),
		strings.HasPrefix(head, "<error_details>"):
		return records.ErrorTool
	}
	if m := exitCode().FindStringSubmatch(head); m != nil && (call == nil || tools[call.Name] == toolcall.Runs) {
		if n, err := strconv.ParseInt(m[1], 10, 64); err == nil {
			return sessionfile.ExitCode(n)
		}
	}
	return ""
}
