package claudecode

import (
	"cmp"
	"strings"

	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/rawjson"
)

// answer handles a line with the role assistant: a piece of an answer, usually one block of it.
func (s *session) answer(ch *chain, e *entry, at records.Locator) error {
	if err := ch.resolve(commandPrompt); err != nil {
		return err
	}
	m := message{time: e.time}
	m.decode(e.message)
	if e.apiError || m.model == "<synthetic>" {
		return ch.ownWords(e, &m)
	}
	a := assemble.Answer{
		At: at, Key: cmp.Or(cmp.Or(m.id, e.request), e.uuid), Time: e.time, Model: assemble.Model(m.model), Stop: m.stop,
		Provider: "anthropic", ProviderID: m.id, Usage: m.usage, Calls: m.calls,
		Text: strings.Join(m.texts, "\n\n"), Thinking: strings.Join(m.thoughts, "\n\n"),
		Prompt: ch.reg.Prompt, Tools: ch.reg.Tools, Warmup: ch.warmup,
	}
	if err := ch.c.Answer(a); err != nil {
		return err
	}
	for i := range m.calls {
		if m.calls[i].Name == "Skill" || m.calls[i].Name == "SlashCommand" {
			ch.skillCall(&m.calls[i], e.time, at)
		}
	}
	for _, result := range m.results {
		if err := ch.c.Result(at, result.id, result.Result); err != nil {
			return err
		}
	}
	ch.c.Change(func(h *assemble.Head) { h.Terminal = "" })
	ch.c.Take()
	return nil
}

// ownWords handles a text that the client wrote in the model's name: a failed request or an empty answer.
func (ch *chain) ownWords(e *entry, m *message) error {
	if !e.apiError {
		ch.c.Skip("synthetic_answer")
		return nil
	}
	text := assemble.Summary(strings.Join(m.texts, " "))
	ch.c.Broke(records.Failed, map[string]any{"timestamp": e.time, "text": text})
	ch.c.Take()
	return nil
}

// message is one line of an answer.
type message struct {
	id, model, time string
	stop            string // the reason why the answer ended
	texts, thoughts []string
	calls           []assemble.Call
	results         []serverResult
	usage           *assemble.Usage
}

// serverResult is the result of a tool that the provider ran itself.
type serverResult struct {
	id string
	assemble.Result
}

func (m *message) decode(raw []byte) {
	d := rawjson.NewDecoder(raw)
	for d.Open(); d.Member(); {
		switch string(d.Key()) {
		case "usage":
			m.usage = usageOf(d)
		case "content":
			if d.Kind() == rawjson.String {
				m.texts = append(m.texts, d.Text())
				continue
			}
			for d.OpenArray(); d.Element(); {
				m.block(d.Raw())
			}
		default:
			d.Take("id", &m.id, "model", &m.model, "stop_reason", &m.stop)
		}
	}
}

func usageOf(d *rawjson.Decoder) *assemble.Usage {
	if d.Kind() != rawjson.Object {
		return nil
	}
	u := &assemble.Usage{}
	for d.Open(); d.Member(); {
		switch string(d.Key()) {
		case "cache_creation":
			for d.Open(); d.Member(); {
				if string(d.Key()) == "ephemeral_1h_input_tokens" {
					u.CacheWrite1H = max(d.Int(), 0)
				}
			}
		default:
			d.Take("input_tokens", rawjson.Count(&u.InputTokens), "output_tokens", rawjson.Count(&u.OutputTokens),
				"cache_read_input_tokens", rawjson.Count(&u.CacheReadTokens),
				"cache_creation_input_tokens", rawjson.Count(&u.CacheWriteTokens))
		}
	}
	return u
}

func (m *message) block(raw []byte) {
	kind := memberText(raw, "type")
	switch {
	case kind == "text":
		m.texts = append(m.texts, memberText(raw, "text"))
	case kind == "thinking":
		m.thoughts = append(m.thoughts, cmp.Or(memberText(raw, "thinking"), sessionfile.Withheld))
	case kind == "redacted_thinking":
		m.thoughts = append(m.thoughts, sessionfile.Withheld)
	case kind == "tool_use", kind == "server_tool_use":
		m.call(raw)
	case strings.HasSuffix(kind, "_tool_result"):
		m.serverResult(raw)
	}
}

func (m *message) serverResult(raw []byte) {
	var content []byte
	d := rawjson.NewDecoder(raw)
	for d.Open(); d.Member(); {
		if string(d.Key()) == "content" {
			content = d.Raw()
		}
	}
	m.results = append(m.results, serverResult{
		id: memberText(raw, "tool_use_id"), Result: assemble.Result{Time: m.time, Content: new(string(cleaned(content)))},
	})
}

// `cleaned` returns a copy of a value as strict JSON. A value that was already read without error can always be
// written.
func cleaned(raw []byte) []byte {
	clean, err := rawjson.AppendClean(nil, raw)
	if err != nil {
		return []byte("{}")
	}
	return clean
}

func (m *message) call(raw []byte) {
	call := assemble.Call{Input: []byte("{}")}
	d := rawjson.NewDecoder(raw)
	for d.Open(); d.Member(); {
		switch string(d.Key()) {
		case "id":
			call.ID = d.Text()
		case "name":
			call.Name = payload.Name(d.Text())
		case "input":
			if d.Kind() == rawjson.Object {
				call.Input = cleaned(d.Raw())
			}
		}
	}
	describe(&call)
	m.calls = append(m.calls, call)
}

// `describe` sets the paths and the command of a call.
func describe(call *assemble.Call) {
	switch call.Name {
	case "Read":
		if path := memberText(call.Input, "file_path"); path != "" {
			call.Reads = []string{path}
		}
	case "Edit", "MultiEdit", "Write", "NotebookEdit":
		if path := cmp.Or(memberText(call.Input, "file_path"), memberText(call.Input, "notebook_path")); path != "" {
			call.Writes = []string{path}
		}
	case "Bash", "PowerShell":
		call.Command = memberText(call.Input, "command")
	}
}
