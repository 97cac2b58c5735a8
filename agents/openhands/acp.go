package openhands

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/rawjson"
)

// foreignCall is a call of another agent that OpenHands controls (Agent Client Protocol), from the last event about it.
type foreignCall struct {
	raw  []byte
	time string
	at   records.Locator
}

// `foreign` handles an event about a call of another agent. Each event contains all data so far, so the last one
// counts.
func (s *session) foreign(raw []byte, time string, at records.Locator) error {
	id := cmp.Or(rawjson.MemberText(raw, "tool_call_id"), at.ID)
	if s.ended[id] {
		s.c.Skip("call_told_again")
		return nil
	}
	one, begun := s.begun[id]
	if begun {
		s.c.Take() // the call is passed on with the place of its first event
	} else {
		one = foreignCall{time: time, at: at}
	}
	one.raw = slices.Clone(raw)
	s.begun[id] = one
	switch rawjson.MemberText(raw, "status") {
	case "completed", "failed":
		return s.foreignEnded(id, time)
	}
	return nil
}

// foreignEnded passes on a call with its result; the parameter `time` is "" for a call that did not end.
func (s *session) foreignEnded(id, time string) error {
	one := s.begun[id]
	delete(s.begun, id)
	s.ended[id] = true
	name := cmp.Or(rawjson.MemberText(one.raw, "tool_kind"), "acp")
	input := rawjson.Member(one.raw, "raw_input")
	if rawjson.NewDecoder(input).Kind() != rawjson.Object {
		var in rawjson.Members
		input = in.Text("title", rawjson.MemberText(one.raw, "title")).End()
	}
	texts, edits := s.foreignContent(rawjson.Member(one.raw, "content"))
	call := assemble.Call{ID: id, Name: sessionfile.Known(name), Input: rawjson.Cleaned(input)}
	if name == "execute" {
		call.Command = rawjson.MemberText(input, "command")
	}
	for i := range edits {
		call.Writes = append(call.Writes, edits[i].Path)
	}
	a := assemble.Answer{At: one.at, Time: one.time, Key: "acp " + id, Calls: []assemble.Call{call}}
	if err := s.answer(a); err != nil || time == "" {
		return err
	}
	content := cmp.Or(strings.Join(texts, "\n\n"), rawjson.MemberText(one.raw, "raw_output"))
	r := assemble.Result{Time: time, Content: &content, Edits: edits}
	if rawjson.MemberText(one.raw, "status") == "failed" || string(rawjson.Member(one.raw, "is_error")) == "true" {
		r.Error, r.Edits = records.ErrorTool, nil
	}
	return s.c.Result(one.at, id, r)
}

// foreignContent returns the texts of a result, and its edits of files. Members have the protocol's names, or Python's
// form of them.
func (s *session) foreignContent(raw []byte) (texts []string, edits []assemble.Edit) {
	d := rawjson.NewDecoder(raw)
	for d.OpenArray(); d.Element(); {
		block := d.Raw()
		if text := rawjson.MemberText(rawjson.Member(block, "content"), "text"); text != "" {
			texts = append(texts, text)
		}
		path := sessionfile.Absolute(rawjson.MemberText(block, "path"), s.cwd)
		if rawjson.MemberText(block, "type") != "diff" || path == "" {
			continue
		}
		now := cmp.Or(rawjson.MemberText(block, "new_text"), rawjson.MemberText(block, "newText"))
		if cmp.Or(rawjson.MemberText(block, "old_text"), rawjson.MemberText(block, "oldText")) == "" {
			edits = append(edits, assemble.NewFile(path, now))
			continue
		}
		edits = append(edits, assemble.Edit{Path: path, Text: now})
	}
	return texts, edits
}

// foreignLeft passes on the calls that did not end.
func (s *session) foreignLeft() error {
	for _, id := range slices.Sorted(maps.Keys(s.begun)) {
		if err := s.foreignEnded(id, ""); err != nil {
			return err
		}
	}
	return nil
}
