// Package chatgpt reads the export of ChatGPT: conversations as trees of messages. It reads the branch that was shown
// last. Other branches are only counted.
package chatgpt

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/foreign"
	"github.com/git-trace/git-trace/records/rawjson"
)

// Name is the name of the format on the command line.
const Name = "chatgpt"

// Read yields the conversations of a file in order. It stops at the first fault.
func Read(r io.Reader, yield func(row int, record *records.Record) error) error {
	return foreign.Each(r, nil, decode, yield)
}

// node is a message in the tree.
type node struct {
	parent  string
	message []byte // null for a node that only connects others
}

func decode(d *foreign.Document) ([]*records.Record, error) {
	nodes := map[string]node{}
	m := rawjson.NewDecoder(rawjson.Member(d.Raw, "mapping"))
	for m.Open(); m.Member(); {
		id := string(m.Key())
		raw := m.Raw()
		nodes[id] = node{rawjson.MemberText(raw, "parent"), rawjson.Member(raw, "message")}
	}
	var shown [][]byte
	met := map[string]bool{}
	for id := rawjson.MemberText(d.Raw, "current_node"); id != "" && !met[id]; id = nodes[id].parent {
		met[id] = true
		shown = append(shown, nodes[id].message)
	}
	slices.Reverse(shown)
	session := cmp.Or(rawjson.MemberText(d.Raw, "conversation_id"), rawjson.MemberText(d.Raw, "id"))
	talk := foreign.Begin(d, foreign.Origin{Format: Name, Agent: Name, Session: session, Context: records.Devtime})
	for i, raw := range shown {
		if err := take(talk, raw); err != nil {
			return nil, fmt.Errorf("message %d: %w", i+1, err)
		}
	}
	record, err := talk.Record()
	if err != nil {
		return nil, err
	}
	if title := rawjson.MemberText(d.Raw, "title"); title != "" {
		record.SetMeta("title", title)
	}
	if other := len(nodes) - len(met); other > 0 {
		record.SetMeta("messages_of_other_branches", other)
	}
	return []*records.Record{record}, nil
}

func take(talk *foreign.Talk, raw []byte) error {
	content := rawjson.Member(raw, "content")
	text := textOf(content)
	created := rawjson.NewDecoder(rawjson.Member(raw, "create_time"))
	at := foreign.Epoch(created.Float())
	switch role := rawjson.MemberText(rawjson.Member(raw, "author"), "role"); role {
	case "user":
		if text == "" {
			return nil
		}
		talk.Take()
		talk.Abandon()
		return talk.User(text, at, "")
	case "tool":
		talk.Take()
		return talk.Answered("", assemble.Result{Time: at, Content: &text})
	case "assistant":
		answer := assemble.Answer{Time: at, Text: text,
			Model: assemble.Model(rawjson.MemberText(rawjson.Member(raw, "metadata"), "model_slug"))}
		to := rawjson.MemberText(raw, "recipient")
		switch {
		case to != "" && to != "all":
			var input rawjson.Members
			answer.Text, answer.Calls = "", []assemble.Call{{Name: to, Input: input.Text("code", text).End()}}
		case text == "":
			return nil
		}
		talk.Take()
		return talk.Agent(answer)
	case "system":
		if text == "" {
			return nil
		}
		talk.Take()
		return talk.System(text, at)
	}
	return nil // a node that only connects others
}

// textOf returns the text of a message: its text, or its parts.
func textOf(content []byte) string {
	if text := rawjson.MemberText(content, "text"); text != "" {
		return text
	}
	var said []string
	d := rawjson.NewDecoder(rawjson.Member(content, "parts"))
	for d.OpenArray(); d.Element(); {
		part := d.Raw()
		text := rawjson.Unquote(part)
		if kind := rawjson.MemberText(part, "content_type"); kind != "" {
			if text = rawjson.MemberText(part, "text"); text == "" {
				text = fmt.Sprintf("[%.40s]", kind)
			}
		}
		if text != "" {
			said = append(said, text)
		}
	}
	return strings.Join(said, "\n\n")
}
