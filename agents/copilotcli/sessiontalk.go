package copilotcli

import (
	"cmp"
	"strings"

	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/rawjson"
)

// user handles a message to the model: a prompt, the task of a subagent, or the client's text in the user's name.
func (s *session) user(e *event, at records.Locator) error {
	text, source := strings.TrimSpace(e.text("content")), e.text("source")
	task := s.c != s.main
	switch {
	case text == "":
		s.c.Skip("empty_prompt")
		return nil
	case source != "" && source != "user" && !task, string(rawjson.Member(e.data, "isAutopilotContinuation")) == "true":
		s.c.Skip("user:" + sessionfile.Known(source))
		return nil
	}
	working := task || s.state.Busy && e.text("delivery") != "idle"
	s.state.Busy = s.state.Busy || !task
	return s.c.Asked(assemble.Prompt{At: at, Time: e.time, Text: text}, working)
}

// answer handles an answer of the model. A long answer comes in chunks.
func (s *session) answer(e *event, at records.Locator) error {
	a := assemble.Answer{
		At: at, Key: cmp.Or(cmp.Or(e.text("apiCallId"), e.text("messageId")), e.id), Time: e.time,
		Model: assemble.Model(e.text("model")),
		Text:  e.text("content"), Thinking: e.text("reasoningText"), Prompt: s.state.Prompt,
	}
	if a.Thinking == "" && (e.text("reasoningOpaque") != "" || e.text("encryptedContent") != "") {
		a.Thinking = sessionfile.Withheld
	}
	output := rawjson.MemberInt(e.data, "outputTokens")
	if s.c == s.main && a.Key != s.state.Last {
		s.state.Last, s.state.Output = a.Key, max(output, 0)
	}
	if output > 0 && !s.c.Waits(a.Key) {
		a.Usage = &assemble.Usage{TokenUsage: records.TokenUsage{OutputTokens: output}}
	}
	d := rawjson.NewDecoder(rawjson.Member(e.data, "toolRequests"))
	for d.OpenArray(); d.Element(); {
		a.Calls = append(a.Calls, s.call(d.Raw()))
	}
	if err := s.c.Answer(a); err != nil {
		return err
	}
	s.c.Change(func(h *assemble.Head) { h.Terminal = "" })
	s.c.Take()
	return nil
}

// usage handles the tokens of an answer, which come before it.
func (s *session) usage(raw []byte, e *event, at records.Locator) error {
	s.state.Told = true
	return s.c.Answered(assemble.Answer{At: at, Key: cmp.Or(rawjson.MemberText(raw, "apiCallId"), e.id), Time: e.time,
		Model: assemble.Model(rawjson.MemberText(raw, "model")), Usage: usageOf(raw)})
}

// usageOf decodes token counts. The prompt's tokens include cache reads and writes.
func usageOf(raw []byte) *assemble.Usage {
	u := sessionfile.Counts{Input: "inputTokens", Output: "outputTokens", Read: "cacheReadTokens",
		Write: "cacheWriteTokens"}.In(raw)
	u.InputTokens = max(u.InputTokens-u.CacheReadTokens-u.CacheWriteTokens, 0)
	return &assemble.Usage{TokenUsage: u}
}

// run uses the tokens at the end of a run if the answers have none: they are added to the last answer of the run. Each
// answer has its own count of output tokens.
func (s *session) run(e *event, at records.Locator) error {
	last, told := s.state.Last, s.state.Told
	sum := assemble.Usage{TokenUsage: records.TokenUsage{OutputTokens: s.state.Output}}
	s.state.Last, s.state.Output, s.state.Told = "", 0, false
	d := rawjson.NewDecoder(rawjson.Member(e.data, "modelMetrics"))
	for d.Open(); d.Member(); {
		u := usageOf(rawjson.Member(d.Raw(), "usage"))
		sum.InputTokens += u.InputTokens
		sum.CacheReadTokens += u.CacheReadTokens
		sum.CacheWriteTokens += u.CacheWriteTokens
	}
	if told || sum.InputTokens+sum.CacheReadTokens+sum.CacheWriteTokens == 0 || !s.main.Waits(last) {
		return nil
	}
	return s.main.Answer(assemble.Answer{At: at, Key: last, Usage: &sum})
}

// call returns the call in an answer's request. In older versions, the arguments are JSON in a string.
func (s *session) call(request []byte) assemble.Call {
	call := assemble.Call{
		ID: rawjson.MemberText(request, "toolCallId"), Name: payload.Name(rawjson.MemberText(request, "name")),
		Input: []byte("{}"),
	}
	switch arguments := rawjson.Member(request, "arguments"); {
	case len(arguments) > 0 && arguments[0] == '"':
		call.Input = rawjson.Cleaned([]byte(rawjson.Unquote(arguments)))
	case len(arguments) > 0:
		call.Input = rawjson.Cleaned(arguments)
	}
	path := sessionfile.Absolute(rawjson.MemberText(call.Input, "path"), s.state.Cwd)
	switch call.Name {
	case "view":
		if path != "" {
			call.Reads = []string{path}
		}
	case "edit", "create", "str_replace", "insert", "str_replace_editor":
		if path != "" {
			call.Writes = []string{path}
		}
	case "bash", "powershell", "shell":
		call.Command = rawjson.MemberText(call.Input, "command")
	}
	return call
}
