package zed

import (
	"cmp"
	"context"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/jsonlines"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/rawjson"
)

// Parse reads a thread. If the options name no thread, it reads the one that changed last.
func (s sessions) Parse(ctx context.Context, path string, options capability.ParseOptions,
	sink records.Sink) (*capability.Parsed, error) {
	var opened *thread
	kind := sessionfile.Kind{
		Agent: Name,
		Open: func(path, session string) (sessionfile.File, error) {
			file, err := s.open(path, session)
			opened, _ = file.(*thread)
			return file, err
		},
		Session: func(string, sessionfile.File) string { return opened.id },
		Format: func(c *assemble.Conversation, _ sessionfile.Place) sessionfile.Format {
			return newSession(c, opened.row)
		},
	}
	return kind.Parse(ctx, path, options, sink)
}

// session is a thread that is being read.
type session struct {
	sessionfile.Plain
	c       *assemble.Conversation
	folders []string
	model   string
	n       int // the number of messages so far
}

func newSession(c *assemble.Conversation, r row) *session {
	c.Change(func(h *assemble.Head) {
		h.Began = cmp.Or(r.created, r.updated)
		for _, folder := range r.folders {
			h.WorksIn(folder)
		}
		h.AddMeta("title", r.title)
		h.AddMeta("parent_session", r.parent)
	})
	return &session{c: c, folders: r.folders}
}

// Object handles a member of the document, or a message.
func (s *session) Object(object jsonlines.Object) error {
	d := rawjson.NewDecoder(object.Raw)
	d.Open()
	if !d.Member() {
		s.c.Begin("")
		s.c.Skip("message:empty")
		return nil
	}
	name, value := string(d.Key()), d.Raw()
	at := records.Locator{Offset: object.Offset, Line: object.Line}
	switch {
	case rawjson.Member(object.Raw, "role") != nil:
		s.begin("", &at)
		return s.old(object.Raw, at)
	case name == "User":
		s.begin(rawjson.MemberText(value, "id"), &at)
		return s.user(rawjson.Member(value, "content"), at)
	case name == "Agent":
		s.begin("", &at)
		return s.agent(value, at)
	case name == "Resume":
		s.begin("", &at)
		s.c.Skip("resume")
		return nil
	}
	s.c.Begin("")
	s.member(name, value)
	return nil
}

// `begin` starts a message. Answers have no ids.
func (s *session) begin(id string, at *records.Locator) {
	s.n++
	at.ID = cmp.Or(payload.CheckedID(id), "message-"+strconv.Itoa(s.n))
	s.c.Begin("")
}

// member handles the document's data about the whole thread.
func (s *session) member(name string, value []byte) {
	switch name {
	case "model":
		provider, model := rawjson.MemberText(value, "provider"), rawjson.MemberText(value, "model")
		if provider != "" && model != "" {
			model = provider + "/" + model
		}
		s.model = assemble.Model(model)
	case "cumulative_token_usage":
		usage := sessionfile.Counts{Input: "input_tokens", Output: "output_tokens", Read: "cache_read_input_tokens",
			Write: "cache_creation_input_tokens"}.In(value)
		if usage != (records.TokenUsage{}) {
			s.c.Change(func(h *assemble.Head) { h.Usage = &usage })
		}
	case "initial_project_snapshot":
		s.place(value)
	case "profile":
		s.c.Change(func(h *assemble.Head) { h.AddMeta("profile", payload.Name(rawjson.Unquote(value))) })
	case "title", "summary", "updated_at", "version":
	default:
		s.c.Skip("member:" + sessionfile.Known(name))
		return
	}
	s.c.Take()
}

// place reads where the thread began: the state of git in its first folder.
func (s *session) place(snapshot []byte) {
	d := rawjson.NewDecoder(rawjson.Member(snapshot, "worktree_snapshots"))
	first := true
	for d.OpenArray(); d.Element(); {
		tree := d.Raw()
		folder, git := rawjson.MemberText(tree, "worktree_path"), rawjson.Member(tree, "git_state")
		if folder == "" {
			continue
		}
		known := len(s.folders) > 0 && first
		if !known {
			s.folders = append(s.folders, folder)
		}
		of := first
		first = false
		s.c.Change(func(h *assemble.Head) {
			h.WorksIn(folder)
			if !of || rawjson.NewDecoder(git).Kind() != rawjson.Object {
				return
			}
			h.Git = true
			h.Repository = rawjson.MemberText(git, "remote_url")
			h.Branch = payload.Name(rawjson.MemberText(git, "current_branch"))
			if sha := rawjson.MemberText(git, "head_sha"); sessionfile.ObjectName(sha) {
				h.BaseCommit = sha
			}
		})
	}
}

// user handles the user's text, without the content of mentioned files.
func (s *session) user(content []byte, at records.Locator) error {
	var said []string
	d := rawjson.NewDecoder(content)
	for d.OpenArray(); d.Element(); {
		part := d.Raw()
		switch {
		case rawjson.Member(part, "Text") != nil:
			said = append(said, rawjson.MemberText(part, "Text"))
		case rawjson.Member(part, "Mention") != nil:
			said = append(said, "["+mentioned(rawjson.Member(rawjson.Member(part, "Mention"), "uri"))+"]")
		case rawjson.Member(part, "Image") != nil:
			said = append(said, "[image]")
		}
	}
	return s.c.Said(assemble.Prompt{At: at, Text: strings.TrimSpace(strings.Join(said, ""))}, false, "empty_prompt")
}

// `mentioned` returns the target of a mention, such as {"File": {"abs_path": …}}.
func mentioned(uri []byte) string {
	d := rawjson.NewDecoder(uri)
	d.Open()
	if !d.Member() {
		return "mention"
	}
	kind, what := strings.ToLower(sessionfile.Known(string(d.Key()))), d.Raw()
	for _, name := range []string{"abs_path", "path", "name", "url"} {
		if text := rawjson.MemberText(what, name); text != "" {
			return kind + " " + text
		}
	}
	return kind
}

// agent handles an answer of the model, with the results of its calls.
func (s *session) agent(value []byte, at records.Locator) error {
	a := assemble.Answer{At: at, Model: s.model}
	var said, thought []string
	d := rawjson.NewDecoder(rawjson.Member(value, "content"))
	for d.OpenArray(); d.Element(); {
		part := d.Raw()
		switch {
		case rawjson.Member(part, "Text") != nil:
			said = append(said, rawjson.MemberText(part, "Text"))
		case rawjson.Member(part, "Thinking") != nil:
			thought = append(thought, rawjson.MemberText(rawjson.Member(part, "Thinking"), "text"))
		case rawjson.Member(part, "RedactedThinking") != nil:
			thought = append(thought, sessionfile.Withheld)
		case rawjson.Member(part, "ToolUse") != nil:
			a.Calls = append(a.Calls, s.call(rawjson.Member(part, "ToolUse")))
		}
	}
	var results []result
	d = rawjson.NewDecoder(rawjson.Member(value, "tool_results"))
	for d.Open(); d.Member(); {
		id := string(d.Key())
		results = append(results, result{id, d.Raw()})
	}
	return s.answer(a, said, thought, results)
}

// result is the result of a call.
type result struct {
	id  string
	raw []byte
}

func (s *session) answer(a assemble.Answer, said, thought []string, results []result) error {
	a.Text, a.Thinking = strings.TrimSpace(strings.Join(said, "")), strings.Join(thought, "\n\n")
	if a.Text == "" && a.Thinking == "" && len(a.Calls) == 0 {
		s.c.Skip("empty_answer")
		return nil
	}
	if err := s.c.Answer(a); err != nil {
		return err
	}
	for _, one := range results {
		if err := s.result(one, a.At); err != nil {
			return err
		}
	}
	s.c.Take()
	return nil
}

func (s *session) call(use []byte) assemble.Call {
	input := rawjson.Member(use, "input")
	name := cmp.Or(rawjson.MemberText(input, "path"), rawjson.MemberText(input, "cd"))
	return tools.Call(rawjson.MemberText(use, "id"), rawjson.MemberText(use, "name"), input, dirFor(s.folders, name))
}

// result handles the result of a call.
func (s *session) result(one result, at records.Locator) error {
	content := contentOf(rawjson.Member(one.raw, "content"))
	r := assemble.Result{Content: &content}
	if string(rawjson.Member(one.raw, "is_error")) == "true" {
		r.Error = records.ErrorTool
	}
	call := s.c.Waiting(one.id)
	if call != nil {
		r.Error = cmp.Or(endOf(call, content), r.Error)
	}
	tools.Result(call, &r, dirFor(s.folders, ""))
	r.Seen = nil // a part of a file looks the same as the whole file
	output := rawjson.Member(one.raw, "output")
	before, after := rawjson.Member(output, "old_text"), rawjson.Member(output, "new_text")
	if r.Error == "" && call != nil && len(call.Writes) == 1 && before != nil && after != nil {
		r.Edits = []assemble.Edit{assemble.Changed(call.Writes[0], rawjson.Unquote(before), rawjson.Unquote(after))}
	}
	return s.c.Result(at, one.id, r)
}

// endOf returns the error of a call, from the text for the model: how a command ended, or that the user refused the
// call.
func endOf(call *assemble.Call, content string) string {
	switch {
	case strings.HasPrefix(content, "Permission to run tool denied by user"):
		return records.ErrorRejected
	case strings.HasPrefix(content, "Tool canceled by user"):
		return records.ErrorInterrupted
	case call.Command == "":
		return ""
	case strings.HasPrefix(content, "Command failed or was interrupted."):
		return records.ErrorInterrupted
	}
	_, rest, found := strings.Cut(content, `" failed with exit code `)
	if !found || !strings.HasPrefix(content, `Command "`) {
		return ""
	}
	digits, _, _ := strings.Cut(rest, ".")
	code, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return ""
	}
	return sessionfile.ExitCode(code)
}

// contentOf returns the text of a result: a text, a part, or a list of parts.
func contentOf(raw []byte) string {
	d := rawjson.NewDecoder(raw)
	switch d.Kind() {
	case rawjson.String:
		return d.Text()
	case rawjson.Object:
		if rawjson.Member(raw, "Image") != nil {
			return "[image]"
		}
		return cmp.Or(rawjson.MemberText(raw, "Text"), rawjson.MemberText(raw, "text"))
	}
	var parts []string
	for d.OpenArray(); d.Element(); {
		parts = append(parts, contentOf(d.Raw()))
	}
	return strings.Join(parts, "\n\n")
}

// `old` handles a message in the form of documents before version 0.3.0.
func (s *session) old(raw []byte, at records.Locator) error {
	var said, thought []string
	d := rawjson.NewDecoder(rawjson.Member(raw, "segments"))
	for d.OpenArray(); d.Element(); {
		part := d.Raw()
		switch rawjson.MemberText(part, "type") {
		case "text":
			said = append(said, rawjson.MemberText(part, "text"))
		case "thinking":
			thought = append(thought, rawjson.MemberText(part, "text"))
		}
	}
	switch role := rawjson.MemberText(raw, "role"); role {
	case "user":
		return s.c.Said(assemble.Prompt{At: at, Text: strings.TrimSpace(strings.Join(said, "\n\n"))}, false, "empty_prompt")
	case "assistant":
		a := assemble.Answer{At: at, Model: s.model}
		var results []result
		d := rawjson.NewDecoder(rawjson.Member(raw, "tool_uses"))
		for d.OpenArray(); d.Element(); {
			a.Calls = append(a.Calls, s.call(d.Raw()))
		}
		d = rawjson.NewDecoder(rawjson.Member(raw, "tool_results"))
		for d.OpenArray(); d.Element(); {
			one := d.Raw()
			results = append(results, result{rawjson.MemberText(one, "tool_use_id"), one})
		}
		return s.answer(a, said, thought, results)
	default:
		s.c.Skip("message:" + sessionfile.Known(role))
		return nil
	}
}
