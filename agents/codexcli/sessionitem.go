package codexcli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/rawjson"
)

// take handles an item of the conversation with the model.
func (r *rollout) take(l *line, at records.Locator) error {
	i := &l.item
	switch i.kind {
	case "message":
		return r.message(l, at)
	case "reasoning":
		return r.said(l, at, assemble.Answer{Thinking: reasoning(i)})
	case "function_call", "custom_tool_call", "local_shell_call", "web_search_call", "tool_search_call",
		"image_generation_call":
		call := r.call(i, at)
		return r.said(l, at, assemble.Answer{Calls: []assemble.Call{call}})
	case "function_call_output", "custom_tool_call_output", "tool_search_output":
		return r.output(l, at)
	case "additional_tools":
		r.tools(rawjson.NewDecoder(rawjson.Member(i.raw, "tools")))
		r.c.Take()
		return nil
	case "agent_message":
		return r.agentMessage(l, at)
	}
	r.c.Skip("item:" + sessionfile.Known(i.kind))
	return nil
}

// `said` adds a piece to the open answer, or starts an answer. An answer is ended by its tokens, by the result of one
// of its calls, or by a prompt.
func (r *rollout) said(l *line, at records.Locator, a assemble.Answer) error {
	if !r.state.Open {
		r.state.Open, r.state.Last, r.state.Usage = true, fmt.Sprintf("@%d", at.Offset), usage{}
	}
	r.state.Said, r.state.Typed = true, ""
	a.At, a.Key, a.Time, a.Model, a.Prompt, a.Tools = at, r.state.Last, l.time, r.state.Model, r.state.Prompt,
		r.state.Tools
	a.Provider, a.ProviderID = "openai", l.item.id
	if err := r.c.Answer(a); err != nil {
		return err
	}
	for i := range a.Calls {
		one := &a.Calls[i]
		if one.Name == "exec" {
			r.ran(l)
		}
		if serverRun(l.item.kind) {
			if err := r.c.Result(at, one.ID, assemble.Result{Content: new("")}); err != nil {
				return err
			}
		}
	}
	r.c.Change(func(h *assemble.Head) { h.Terminal = "" })
	r.c.Take()
	return nil
}

// serverRun reports whether the provider itself runs a call, so that the file has no result for it.
func serverRun(kind string) bool { return kind == "web_search_call" || kind == "image_generation_call" }

// reasoning returns the model's thinking: in full if the provider gives it, otherwise its summary.
func reasoning(i *item) string {
	parts := texts(rawjson.NewDecoder(i.content))
	if len(parts) == 0 {
		parts = texts(rawjson.NewDecoder(i.summary))
	}
	if len(parts) == 0 {
		return sessionfile.Withheld
	}
	return strings.Join(parts, "\n\n")
}

// texts returns the texts of a list of parts, with a placeholder for each part of another kind.
func texts(d *rawjson.Decoder) []string {
	var list []string
	for d.OpenArray(); d.Element(); {
		if text := part(d.Raw()); text != "" {
			list = append(list, text)
		}
	}
	return list
}

func part(raw []byte) string {
	if text := rawjson.MemberText(raw, "text"); text != "" {
		return text
	}
	switch kind := rawjson.MemberText(raw, "type"); {
	case strings.HasSuffix(kind, "image"):
		return "[image]"
	case strings.HasSuffix(kind, "file"), strings.HasSuffix(kind, "audio"):
		return "[" + sessionfile.Known(kind) + "]"
	}
	return ""
}

// message handles a message of any role.
func (r *rollout) message(l *line, at records.Locator) error {
	switch l.item.role {
	case "assistant":
		if l.summary {
			r.state.Open = false
		}
		return r.said(l, at, assemble.Answer{Text: strings.Join(texts(rawjson.NewDecoder(l.item.content)), "\n\n")})
	case "user":
		return r.userMessage(l, at)
	case "developer":
		r.instructed(strings.Join(texts(rawjson.NewDecoder(l.item.content)), "\n\n"))
		return nil
	}
	r.c.Skip("message:" + sessionfile.Known(l.item.role))
	return nil
}

// `instructed` handles instructions that the client adds to the model's.
func (r *rollout) instructed(text string) {
	if text == "" {
		r.c.Skip("message:developer")
		return
	}
	r.state.Prompt = cmp.Or(r.state.Prompt, r.c.SystemPrompt(text))
	r.c.Take()
}

// call returns the call in an item.
func (r *rollout) call(i *item, at records.Locator) assemble.Call {
	call := assemble.Call{ID: cmp.Or(i.callID, i.id), Name: payload.Name(i.name), Input: []byte("{}")}
	if call.ID == "" {
		call.ID = fmt.Sprintf("%s@%d", i.kind, at.Offset)
	}
	switch i.kind {
	case "function_call":
		call.Input = arguments(i.input)
	case "custom_tool_call":
		call.Input = object("input", rawjson.Unquote(i.input))
	default:
		call.Name = strings.TrimSuffix(i.kind, "_call")
		if i.action != nil {
			call.Input = rawjson.Cleaned(i.action)
		}
	}
	r.describe(&call)
	return call
}

// arguments returns the arguments of a function call, which are JSON in a string. Anything except an object is kept as
// a text.
func arguments(raw []byte) []byte {
	text := rawjson.Unquote(raw)
	if d := rawjson.NewDecoder([]byte(text)); d.Kind() == rawjson.Object {
		if clean, err := rawjson.AppendClean(nil, []byte(text)); err == nil {
			return clean
		}
	}
	if text == "" {
		return []byte("{}")
	}
	return object("arguments", text)
}

// object returns a JSON object with a single member, which is a string.
func object(name, text string) []byte {
	out := append(rawjson.AppendString([]byte("{"), name), ':')
	return append(rawjson.AppendString(out, text), '}')
}

// `describe` sets the paths and the command of a call.
func (r *rollout) describe(call *assemble.Call) {
	input := rawjson.NewDecoder(call.Input)
	switch call.Name {
	case "shell", "shell_command", "exec_command", "local_shell", "container.exec":
		for input.Open(); input.Member(); {
			if key := string(input.Key()); key == "command" || key == "cmd" {
				call.Command = commandLine(input)
			}
		}
	case "view_image":
		call.Reads = []string{sessionfile.Absolute(rawjson.MemberText(call.Input, "path"), r.state.Cwd)}
	}
	for _, file := range patchFiles(patchOf(call)) {
		call.Writes = append(call.Writes, sessionfile.Absolute(file.path, r.state.Cwd))
	}
}

// commandLine returns a command: a text, the script in a shell's three words (bash -lc …), or all words.
func commandLine(d *rawjson.Decoder) string {
	if d.Kind() == rawjson.String {
		return d.Text()
	}
	var words []string
	for d.OpenArray(); d.Element(); {
		words = append(words, d.Text())
	}
	if len(words) == 3 && strings.HasPrefix(words[1], "-") && strings.HasSuffix(words[1], "c") {
		return words[2]
	}
	return strings.Join(words, " ")
}
