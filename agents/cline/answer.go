package cline

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/rawjson"
)

// answer handles an answer of the model.
func (s *session) answer(m *message, at records.Locator) error {
	a := assemble.Answer{At: at, Time: sessionfile.Millis(m.at), Model: modelOf(m.model)}
	var said []string
	thought := s.thought
	add := func(to *[]string, text string) {
		if text != "" {
			*to = append(*to, text)
		}
	}
	d := rawjson.NewDecoder(m.content)
	if d.Kind() == rawjson.String {
		said = append(said, d.Text())
	}
	for d.OpenArray(); d.Element(); {
		block := d.Raw()
		switch rawjson.MemberText(block, "type") {
		case "text":
			add(&said, rawjson.MemberText(block, "text"))
		case "thinking", "reasoning":
			add(&thought, cmp.Or(rawjson.MemberText(block, "thinking"), rawjson.MemberText(block, "text")))
		case "redacted_thinking":
			add(&thought, sessionfile.Withheld)
		case "tool_use":
			a.Calls = append(a.Calls, tools.Call(rawjson.MemberText(block, "id"), rawjson.MemberText(block, "name"),
				rawjson.Member(block, "input"), s.cwd))
		}
	}
	add(&thought, m.reasoning)
	a.Text, a.Thinking = strings.Join(said, "\n\n"), strings.Join(thought, "\n\n")
	switch {
	case m.kind == "reasoning": // thinking that belongs to the next answer
		d := rawjson.NewDecoder(m.thoughts)
		for d.OpenArray(); d.Element(); {
			add(&thought, rawjson.MemberText(d.Raw(), "text"))
		}
		s.thought = thought
		s.c.Take()
		return nil
	case m.marker || m.summary:
		s.compacted(a.Text, a.Time)
		return nil
	}
	s.thought, s.open = nil, ""
	s.number++
	if s.shown != nil {
		shown := s.shown.answer(s.number)
		if m.request != "" {
			shown = requestOf(m.at, []byte(m.request))
		}
		a.Model = cmp.Or(a.Model, s.shown.modelAt(m.at))
		a.Usage, a.Time = shown.usage, cmp.Or(a.Time, sessionfile.Millis(shown.at))
		s.sum.cost += shown.cost
		if name, input, found := called(a.Text); found && len(a.Calls) == 0 {
			s.open = "call_" + strconv.Itoa(s.number)
			a.Calls = append(a.Calls, tools.Call(s.open, name, input, s.cwd))
		}
	} else {
		a.Usage = s.usage(m.metrics)
	}
	return s.c.Replied(a)
}

// usage returns the tokens of an answer; the prompt's tokens include the cache.
func (s *session) usage(metrics []byte) *assemble.Usage {
	u := sessionfile.Counts{Input: "inputTokens", Output: "outputTokens", Read: "cacheReadTokens",
		Write: "cacheWriteTokens"}.Usage(metrics)
	if u != nil {
		s.sum.cost += costOf(metrics)
		u.InputTokens = max(u.InputTokens-u.CacheReadTokens-u.CacheWriteTokens, 0)
	}
	return u
}

// costOf returns the client's cost of a request.
func costOf(raw []byte) float64 {
	d := rawjson.NewDecoder(rawjson.Member(raw, "cost"))
	return max(d.Float(), 0)
}

// modelOf returns the model of an answer, with its provider unless the id contains one.
func modelOf(raw []byte) string {
	return modelName(rawjson.MemberText(raw, "id"), rawjson.MemberText(raw, "provider"))
}

func modelName(id, provider string) string {
	if id == "" {
		return ""
	}
	model := assemble.Model(id)
	if strings.Contains(model, "/") || provider == "" {
		return model
	}
	return assemble.Model(provider + "/" + model)
}

// xmlTools lists the tools that the model calls in XML.
var xmlTools = []string{
	"read_file", "write_to_file", "replace_in_file", "apply_diff", "insert_content", "search_and_replace",
	"execute_command",
	"search_files", "list_files", "list_code_definition_names", "browser_action", "use_mcp_tool", "access_mcp_resource",
	"ask_followup_question", "attempt_completion", "plan_mode_respond", "new_task", "switch_mode", "fetch_instructions",
	"load_mcp_documentation", "codebase_search", "update_todo_list", "edit_file", "search_replace", "web_fetch",
	"new_rule",
	"condense", "report_bug", "focus_chain", "generate_image", "run_slash_command", "skill", "use_skill",
}

// `called` returns the XML call at the end of an answer: it starts at the first tag of a tool at the beginning of a
// line.
func called(text string) (name string, input []byte, found bool) {
	at := -1
	for _, tool := range xmlTools {
		open := "<" + tool + ">"
		for from := 0; ; {
			i := strings.Index(text[from:], open)
			if i < 0 {
				break
			}
			i += from
			if (i == 0 || text[i-1] == '\n') && (at < 0 || i < at) {
				at, name = i, tool
				break
			}
			from = i + len(open)
		}
	}
	if at < 0 {
		return "", nil, false
	}
	body := text[at+len(name)+2:]
	if end := strings.LastIndex(body, "</"+name+">"); end >= 0 {
		body = body[:end]
	}
	return name, parameters(body), true
}

// parameters returns the parameters of a call; each is in a tag with its name. The text of a file ends only at its last
// closing tag.
func parameters(body string) []byte {
	var in rawjson.Members
	in.Text("form", "xml")
	for n := 0; n < 64; n++ {
		body = strings.TrimLeft(body, " \t\r\n")
		rest, found := strings.CutPrefix(body, "<")
		name, rest, closed := strings.Cut(rest, ">")
		if !found || !closed || name == "" || strings.ContainsAny(name, " \t\n</\"") {
			break
		}
		end := strings.Index(rest, "</"+name+">")
		if name == "content" || name == "diff" {
			end = strings.LastIndex(rest, "</"+name+">")
		}
		if end < 0 {
			break
		}
		value := rest[:end]
		if name == "content" || name == "diff" {
			value = strings.TrimPrefix(value, "\n")
		} else {
			value = strings.TrimSpace(value)
		}
		in.Text(name, value)
		body = rest[end+len(name)+3:]
	}
	return in.End()
}
