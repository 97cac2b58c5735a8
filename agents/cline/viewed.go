package cline

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/git-trace/git-trace/agents/jsonlines"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/records/rawjson"
)

// viewed is the user's view of a task whose conversation was not kept. Its objects are the model's messages as the user
// saw them.
type viewed struct{ sessionfile.File }

// `From` returns the messages.
func (v viewed) From(offset, lines int64) sessionfile.Source {
	return &retold{Source: v.File.From(offset, lines)}
}

// isView reports whether an array contains the elements of a user's view.
func isView(array sessionfile.File) (is bool) {
	sessionfile.First(array, 1, func(object jsonlines.Object) bool {
		kind := rawjson.MemberText(object.Raw, "type")
		is = (kind == "say" || kind == "ask") && rawjson.Member(object.Raw, "ts") != nil
		return false
	})
	return is
}

// `alone` reports whether a file is the user's view and the folder has no conversation with the model.
func alone(path string) bool {
	if filepath.Base(path) != shownFile {
		return false
	}
	_, history := os.Lstat(filepath.Join(filepath.Dir(path), historyFile))
	_, older := os.Lstat(filepath.Join(filepath.Dir(path), olderFile))
	return history != nil && older != nil
}

// beginsView reports whether a text is the beginning of a user's view.
func beginsView(head []byte) bool {
	head = bytes.ReplaceAll(head[:min(len(head), 4096)], []byte(" "), nil)
	return bytes.Contains(head, []byte(`"ts":`)) &&
		(bytes.Contains(head, []byte(`"type":"say"`)) || bytes.Contains(head, []byte(`"type":"ask"`)))
}

// retold makes messages from the user's view. A request of the client ends the previous answer, and starts a message
// with the user's text and the results of calls.
type retold struct {
	sessionfile.Source
	ready   []jsonlines.Object // complete messages that were not returned yet
	said    []string           // texts of the user since the last request
	calls   []shownCall        // calls without a result in a message
	answer  answered
	request []byte // the request of the next answer
	number  int    // the number of calls
	model   []byte // the last known model
	begun   bool   // there was a request
}

// answered is an answer of the model that is being assembled.
type answered struct {
	from   jsonlines.Object
	blocks [][]byte
	last   string // the last text
	called bool
	model  []byte
	at     int64
}

// shownCall is a call with the parts of its result that the user saw.
type shownCall struct {
	id, name string
	output   []string
	approved bool // Roo: the call was made, although its result is missing
}

// Next returns the next message; io.EOF after the last.
func (r *retold) Next() (jsonlines.Object, error) {
	for len(r.ready) == 0 {
		object, err := r.Source.Next()
		if errors.Is(err, io.EOF) && (len(r.answer.blocks) > 0 || len(r.said) > 0 || len(r.calls) > 0) {
			r.flush()
			r.ask(jsonlines.Object{Offset: r.End(), Line: r.Lines()}, nil, 0)
			continue
		}
		if err != nil {
			return jsonlines.Object{}, err
		}
		r.take(object)
	}
	first := r.ready[0]
	r.ready = r.ready[1:]
	return first, nil
}

// take handles an element of the view.
func (r *retold) take(object jsonlines.Object) {
	raw := object.Raw
	at, text := rawjson.MemberInt(raw, "ts"), rawjson.MemberText(raw, "text")
	partial := string(rawjson.Member(raw, "partial")) == "true"
	if model := rawjson.Member(raw, "modelInfo"); model != nil {
		r.model = slices.Clone(model)
	}
	switch kind := cmp.Or(rawjson.MemberText(raw, "say"), rawjson.MemberText(raw, "ask")); kind {
	case "api_req_started":
		if partial { // a repetition
			return
		}
		r.flush()
		r.ask(object, []byte(text), at)
	case "task", "user_feedback":
		r.flush()
		r.said = append(r.said, text)
	case "text", "completion_result", "plan_mode_respond":
		if !r.begun {
			r.said = append(r.said, text)
			return
		}
		r.add(object, "text", cmp.Or(rawjson.MemberText([]byte(text), "response"), text))
	case "reasoning":
		r.add(object, "thinking", text)
	case "command_output", "mcp_server_response":
		if n := len(r.calls); n > 0 {
			r.calls[n-1].output = append(r.calls[n-1].output, text)
		}
	case "error", "diff_error", "rooignore_error", "clineignore_error":
		if n := len(r.calls); n > 0 {
			r.calls[n-1].output = append(r.calls[n-1].output, "<error>\n"+text)
		}
	default:
		name, input := callOf(kind, text)
		switch {
		case name != "" && !partial:
			r.call(object, name, input)
		case name == "" && !slices.Contains(states, kind): // other kinds of messages are only counted
			var m rawjson.Members
			r.give(object, m.Text("role", cmp.Or(kind, "without_kind")).End())
		}
	}
}

// add adds a piece of an answer. The client repeats some pieces, which are skipped.
func (r *retold) add(object jsonlines.Object, kind, text string) {
	if text = strings.TrimSpace(text); text == "" || text == r.answer.last {
		return
	}
	if r.answer.called { // text after a call belongs to the next answer
		r.flush()
	}
	var block rawjson.Members
	r.put(object, block.Text("type", kind).Text(kind, text).End())
	r.answer.last = text
}

func (r *retold) call(object jsonlines.Object, name string, input []byte) {
	r.number++
	id := "call_" + strconv.Itoa(r.number)
	var block rawjson.Members
	r.put(object, block.Text("type", "tool_use").Text("id", id).Text("name", name).Raw("input", input).End())
	r.answer.called = true
	r.calls = append(r.calls, shownCall{id: id, name: name,
		approved: rawjson.MemberText(object.Raw, "autoApprovalDecision") == "approve"})
}

func (r *retold) put(object jsonlines.Object, block []byte) {
	if len(r.answer.blocks) == 0 {
		r.answer.from, r.answer.at = object, rawjson.MemberInt(object.Raw, "ts")
	}
	r.answer.model = r.model
	r.answer.blocks = append(r.answer.blocks, block)
}

// `flush` ends an answer.
func (r *retold) flush() {
	if a := r.answer; len(a.blocks) > 0 {
		var m, model rawjson.Members
		m.Text("role", "assistant").Number("ts", a.at)
		if id := rawjson.MemberText(a.model, "modelId"); id != "" {
			m.Raw("modelInfo", model.Text("id", id).Text("provider", rawjson.MemberText(a.model, "providerId")).End())
		}
		m.Text("request", cmp.Or(string(r.request), "{}"))
		r.give(a.from, m.Raw("content", list(a.blocks)).End())
		r.request = nil
	}
	r.answer = answered{}
}

// ask handles a request of the client: its message has the user's text since the last request, and the results of
// calls.
func (r *retold) ask(object jsonlines.Object, request []byte, at int64) {
	r.begun, r.request = true, request
	var blocks [][]byte
	sent := rawjson.MemberText(request, "request")
	added := strings.LastIndex(sent, "<environment_details>")
	if added >= 0 {
		var block rawjson.Members
		blocks = append(blocks, block.Text("type", "text").Text("text", strings.TrimSpace(sent[added:])).End())
		sent = sent[:added]
	}
	for _, c := range r.calls {
		content, found := r.resultOf(&c, &sent)
		if !found {
			continue
		}
		var block rawjson.Members
		blocks = append(blocks, block.Text("type", "tool_result").Text("tool_use_id", c.id).Text("content", content).End())
	}
	for _, text := range r.said {
		var block rawjson.Members
		blocks = append(blocks, block.Text("type", "said").Text("text", text).End())
	}
	r.calls, r.said = nil, nil
	if len(blocks) > 0 {
		var m rawjson.Members
		r.give(object, m.Text("role", "user").Number("ts", at).Raw("content", list(blocks)).End())
	}
}

// shownResult matches the line before the result of a call in the text of a request.
var shownResult = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^\[([a-z_]+)(?: for '[^\n]*')?(?: in '[^\n]*')?\] Result:[ \t]*\n*`)
})

// resultOf takes the result of a call from the text of a request, if the first remaining result is of this tool.
// Otherwise it returns the text that the user saw.
func (r *retold) resultOf(c *shownCall, sent *string) (content string, found bool) {
	at := shownResult().FindStringSubmatchIndex(*sent)
	if at == nil || (*sent)[at[2]:at[3]] != c.name {
		content = strings.TrimSpace(strings.Join(c.output, "\n"))
		return content, content != "" || c.approved
	}
	rest := (*sent)[at[1]:]
	end := len(rest)
	if next := shownResult().FindStringIndex(rest); next != nil {
		end = next[0]
	}
	content, *sent = rest[:end], rest[end:]
	for _, tag := range []string{"<feedback>", "<user_message>", "# task_progress "} {
		content, _, _ = strings.Cut(content, "\n"+tag)
	}
	return strings.TrimSpace(content), true
}

func (r *retold) give(from jsonlines.Object, raw []byte) {
	r.ready = append(r.ready, jsonlines.Object{Raw: raw, Offset: from.Offset, Line: from.Line})
}

// states lists messages about the client's state, without text and calls.
var states = []string{"checkpoint_created", "checkpoint_saved", "task_progress", "api_req_finished", "api_req_retried",
	"api_req_failed", "api_req_deleted", "api_req_retry_delayed", "api_req_rate_limit_wait", "deleted_api_reqs",
	"error_retry",
	"mcp_server_request_started", "resume_task", "resume_completed_task", "auto_approval_max_req_reached",
	"browser_action_result", "shell_integration_warning"}

func list(blocks [][]byte) []byte {
	return append(append([]byte{'['}, bytes.Join(blocks, []byte{','})...), ']')
}

// viewNames maps the tool names in the user's view to the model's names, where they differ.
var viewNames = map[string]string{
	"newFileCreated": "write_to_file", "editedExistingFile": "replace_in_file", "appliedDiff": "apply_diff",
	"insertContent": "insert_content", "searchAndReplace": "search_and_replace",
	"readFile": "read_file", "listFilesTopLevel": "list_files", "listFilesRecursive": "list_files",
	"listCodeDefinitionNames": "list_code_definition_names", "searchFiles": "search_files",
	"codebaseSearch": "codebase_search", "webFetch": "web_fetch", "updateTodoList": "update_todo_list",
	"newTask": newTask, "switchMode": "switch_mode", "fetchInstructions": "fetch_instructions",
}

// callOf returns the call in an element of the view; "" if there is none.
func callOf(kind, text string) (name string, input []byte) {
	told := []byte(text)
	var in rawjson.Members
	switch kind {
	case "command":
		command, _, _ := strings.Cut(text, "REQ_APP")
		return "execute_command", in.Text("command", command).End()
	case "followup":
		return "ask_followup_question", in.Text("question", cmp.Or(rawjson.MemberText(told, "question"), text)).End()
	case "use_mcp_server":
		in.Text("server_name", rawjson.MemberText(told, "serverName"))
		in.Text("tool_name", rawjson.MemberText(told, "toolName"))
		return cmp.Or(rawjson.MemberText(told, "type"), "use_mcp_tool"),
			in.Text("arguments", rawjson.MemberText(told, "arguments")).End()
	case "load_mcp_documentation":
		return kind, []byte("{}")
	case "browser_action_launch":
		return "browser_action", in.Text("action", "launch").Text("url", text).End()
	case "browser_action":
		return kind, in.Text("action", rawjson.MemberText(told, "action")).End()
	case "tool":
		return viewedTool(told)
	}
	return "", nil
}

// viewedTool returns a tool call. For a file that was read, the view has only the path. For a changed file, it has the
// blocks that the model wrote, or a diff that the client made.
func viewedTool(told []byte) (name string, input []byte) {
	tool := rawjson.MemberText(told, "tool")
	if name = cmp.Or(viewNames[tool], tool); name == "" {
		return "", nil
	}
	var in rawjson.Members
	in.Text("path", rawjson.MemberText(told, "path"))
	content, diff := rawjson.MemberText(told, "content"), rawjson.MemberText(told, "diff")
	switch name {
	case "write_to_file":
		in.Text("content", content)
	case "replace_in_file", "apply_diff", "insert_content", "search_and_replace":
		if diff = cmp.Or(diff, content); !strings.Contains(diff, "SEARCH") && tool == "editedExistingFile" {
			name = "edit_file"
		}
		in.Text("diff", strings.TrimPrefix(diff, "\n"))
	}
	for _, member := range [][2]string{{"regex", "regex"}, {"filePattern", "file_pattern"}} {
		if value := rawjson.MemberText(told, member[0]); value != "" {
			in.Text(member[1], value)
		}
	}
	return name, in.End()
}
