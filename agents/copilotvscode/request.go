package copilotvscode

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/rawjson"
)

// request handles a prompt, its answers and their results.
func (s *session) request(raw []byte, at records.Locator) error {
	message, time := rawjson.Member(raw, "message"), sessionfile.Millis(rawjson.MemberInt(raw, "timestamp"))
	version := payload.Name(rawjson.MemberText(rawjson.Member(raw, "agent"), "extensionVersion"))
	s.c.Change(func(h *assemble.Head) { h.SetVersion(version) })
	text := rawjson.MemberText(message, "text")
	if text == "" {
		text = textIn(rawjson.Member(message, "parts"))
	}
	if err := s.prompt(text, time, at); err != nil {
		return err
	}
	model := modelOf(rawjson.MemberText(raw, "modelId"))
	meta := rawjson.Member(rawjson.Member(raw, "result"), "metadata")
	rounds := rawjson.NewDecoder(rawjson.Member(meta, "toolCallRounds"))
	told := false
	for rounds.OpenArray(); rounds.Element(); {
		told = true
		if err := s.round(rounds.Raw(), rawjson.Member(meta, "toolCallResults"), model, at); err != nil {
			return err
		}
	}
	if !told {
		if err := s.shown(rawjson.Member(raw, "response"), model, at); err != nil {
			return err
		}
	}
	if string(rawjson.Member(raw, "isCanceled")) == "true" {
		s.c.Broke(records.Interrupted, map[string]any{"timestamp": time})
	}
	return nil
}

// modelOf returns the model for the client's name of it.
func modelOf(id string) string {
	name := strings.TrimPrefix(id, "copilot/")
	if name == "auto" {
		return ""
	}
	return assemble.Model(name)
}

// round handles an answer of the model and the results of its calls.
func (s *session) round(round, results []byte, model string, at records.Locator) error {
	a := assemble.Answer{At: at, Model: model, Text: strings.TrimSpace(rawjson.MemberText(round, "response")),
		Thinking: textIn(rawjson.Member(round, "thinking"))}
	d := rawjson.NewDecoder(rawjson.Member(round, "toolCalls"))
	for d.OpenArray(); d.Element(); {
		one := d.Raw()
		a.Calls = append(a.Calls, tools.Call(rawjson.MemberText(one, "id"), rawjson.MemberText(one, "name"),
			argumentsOf(one), s.cwd))
	}
	if a.Text == "" && a.Thinking == "" && len(a.Calls) == 0 {
		return nil
	}
	if err := s.c.Answer(a); err != nil {
		return err
	}
	for i := range a.Calls {
		id := a.Calls[i].ID
		result := rawjson.Member(results, id)
		if result == nil {
			continue
		}
		content := textIn(rawjson.Member(result, "content"))
		r := assemble.Result{Content: &content, Error: errorOf(content)}
		tools.Result(s.c.Waiting(id), &r, s.cwd)
		r.Seen = nil // the text has the form for the model
		if err := s.c.Result(at, id, r); err != nil {
			return err
		}
	}
	return nil
}

// errorOf returns the error that a result reports, from the client's words.
func errorOf(content string) string {
	head := content[:min(len(content), 300)]
	switch {
	case strings.HasPrefix(head, "ERROR while calling tool"), strings.HasPrefix(head, "Error:"),
		strings.HasPrefix(head, "ERROR: "):
		return records.ErrorTool
	case strings.Contains(head, "The user cancelled the tool call"), strings.Contains(head, "The user chose to skip"):
		return records.ErrorRejected
	}
	return ""
}

// `shown` handles an answer that is stored only in the user's view.
func (s *session) shown(response []byte, model string, at records.Locator) error {
	a := assemble.Answer{At: at, Model: model}
	s.state.Number++
	var said strings.Builder
	results := map[string]*assemble.Result{}
	var order []string
	add := func(id, name string, input []byte, r assemble.Result) {
		id = cmp.Or(id, "call_"+strconv.Itoa(s.state.Number)+"_"+strconv.Itoa(len(order)+1))
		if results[id] != nil {
			return
		}
		a.Calls = append(a.Calls, assemble.Call{ID: id, Name: payload.Name(name), Input: input})
		results[id] = &r
		order = append(order, id)
	}
	d := rawjson.NewDecoder(response)
	for d.OpenArray(); d.Element(); {
		part := d.Raw()
		switch rawjson.MemberText(part, "kind") {
		case "":
			said.WriteString(rawjson.MemberText(part, "value"))
		case "inlineReference":
			said.WriteString(uriOf(rawjson.Member(part, "inlineReference")))
		case "thinking":
			a.Thinking += rawjson.MemberText(part, "value")
		case "toolInvocationSerialized":
			var in rawjson.Members
			words := cmp.Or(wordsOf(part, "pastTenseMessage"), wordsOf(part, "invocationMessage"))
			in.Text("shown", words)
			add(rawjson.MemberText(part, "toolCallId"), rawjson.MemberText(part, "toolId"), in.End(), outcomeOf(part))
		case "textEditGroup":
			if edits := groupOf(part); len(edits) > 0 {
				var in rawjson.Members
				add("", "textEditGroup", in.Text("path", edits[0].Path).End(), assemble.Result{Edits: edits})
			}
		}
	}
	if a.Text = strings.TrimSpace(said.String()); a.Text == "" && len(a.Calls) == 0 {
		return nil
	}
	if err := s.c.Answer(a); err != nil {
		return err
	}
	for _, id := range order {
		if err := s.c.Result(at, id, *results[id]); err != nil {
			return err
		}
	}
	return nil
}

// wordsOf returns a displayed text, which may be in an object.
func wordsOf(part []byte, name string) string {
	raw := rawjson.Member(part, name)
	if d := rawjson.NewDecoder(raw); d.Kind() == rawjson.String {
		return d.Text()
	}
	return rawjson.MemberText(raw, "value")
}

// outcomeOf returns whether a call was made: the user may have refused it.
func outcomeOf(part []byte) assemble.Result {
	confirmed := rawjson.Member(part, "isConfirmed")
	kind := string(rawjson.Member(confirmed, "type"))
	switch {
	case string(confirmed) == "false", kind == "0", kind == "5":
		return assemble.Result{Error: records.ErrorRejected}
	case string(rawjson.Member(part, "isComplete")) == "false":
		return assemble.Result{Error: records.ErrorInterrupted}
	}
	return assemble.Result{}
}

// groupOf returns the edits that were made to a file, with the texts that they wrote.
func groupOf(part []byte) []assemble.Edit {
	path := uriOf(rawjson.Member(part, "uri"))
	var written strings.Builder
	d := rawjson.NewDecoder(rawjson.Member(part, "edits"))
	for d.OpenArray(); d.Element(); {
		one := rawjson.NewDecoder(d.Raw())
		for one.OpenArray(); one.Element(); {
			if text := rawjson.MemberText(one.Raw(), "text"); text != "" {
				written.WriteString(strings.TrimSuffix(text, "\n") + "\n")
			}
		}
	}
	if path == "" || written.Len() == 0 {
		return nil
	}
	return []assemble.Edit{{Path: path, Text: written.String()}}
}

// uriOf returns the path in a client's file URI.
func uriOf(raw []byte) string {
	if inner := rawjson.Member(raw, "uri"); inner != nil {
		raw = inner
	}
	return cmp.Or(rawjson.MemberText(raw, "fsPath"), rawjson.MemberText(raw, "path"))
}
