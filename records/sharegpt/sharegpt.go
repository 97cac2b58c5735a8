// Package sharegpt reads rows of conversations in the form of ShareGPT, and of Hermes, which puts calls and results
// between tags in the texts.
package sharegpt

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/foreign"
	"github.com/git-trace/git-trace/records/rawjson"
)

// Name is the name of the format on the command line.
const Name = "sharegpt"

// Read yields the conversations of a file in order. It stops at the first fault.
func Read(r io.Reader, yield func(row int, record *records.Record) error) error {
	return foreign.Each(r, nil, decode, yield)
}

// `kept` lists the members of a row that the metadata keep unchanged.
var kept = []string{"usage", "api_calls", "tool_stats", "toolsets_used"}

func decode(d *foreign.Document) ([]*records.Record, error) {
	list := rawjson.Member(d.Raw, "conversations")
	if rawjson.NewDecoder(list).Kind() != rawjson.Array {
		return nil, fmt.Errorf("%w: conversations is missing", foreign.ErrForm)
	}
	w := walk{at: rawjson.MemberText(d.Raw, "timestamp"), model: rawjson.MemberText(d.Raw, "model")}
	w.talk = foreign.Begin(d, foreign.Origin{Format: Name, Session: cmp.Or(rawjson.MemberText(d.Raw, "session_id"),
		rawjson.MemberText(d.Raw, "id")), Context: w.context(d.Raw)})
	at := w.at
	w.talk.Change(func(h *assemble.Head) { h.Began = at })
	e := rawjson.NewDecoder(list)
	n := 1
	for e.OpenArray(); e.Element(); n++ {
		if err := w.message(e.Raw()); err != nil {
			return nil, fmt.Errorf("message %d: %w", n, err)
		}
	}
	record, err := w.talk.Record()
	if err != nil {
		return nil, err
	}
	if w.malformed > 0 {
		record.SetMeta("malformed_calls", w.malformed)
	}
	outcome(record, d.Raw)
	for _, name := range kept {
		if raw := rawjson.Member(d.Raw, name); len(raw) > 0 {
			if clean, err := rawjson.AppendClean(nil, raw); err == nil {
				record.Metadata[name] = clean
			}
		}
	}
	return []*records.Record{record}, nil
}

// outcome reads how a run ended, if the row says so.
func outcome(record *records.Record, raw []byte) {
	o := &record.Outcome
	switch string(rawjson.Member(raw, "completed")) {
	case "true":
		o.TerminalState = new(records.GoalReached)
	case "false":
		if string(rawjson.Member(raw, "partial")) == "true" {
			o.TerminalState = new(records.Failed)
		}
	}
	for _, name := range []string{"reward", "score"} {
		if d := rawjson.NewDecoder(rawjson.Member(raw, name)); d.Kind() == rawjson.Number && o.Reward == nil {
			o.Reward, o.RewardSource = new(records.Float(d.Float())), new("rl_environment")
		}
	}
}

type walk struct {
	talk      *foreign.Talk
	at, model string
	malformed int
}

// context returns Runtime if a row says how its run ended, otherwise Devtime.
func (w *walk) context(raw []byte) records.ExecutionContext {
	for _, name := range []string{"completed", "reward", "score"} {
		if len(rawjson.Member(raw, name)) > 0 {
			return records.Runtime
		}
	}
	return records.Devtime
}

func (w *walk) message(raw []byte) error {
	w.talk.Take()
	text := rawjson.MemberText(raw, "value")
	switch role := rawjson.MemberText(raw, "from"); role {
	case "system":
		if tools, found := between(text, "tools"); found {
			w.talk.Tools([]byte(tools))
		}
		return w.talk.System(text, "")
	case "human", "user":
		w.talk.Abandon()
		return w.talk.User(text, "", "")
	case "gpt", "assistant":
		return w.answer(text)
	case "tool", "function", "observation":
		return w.results(text)
	default:
		return fmt.Errorf("%w: unknown role %.40q", foreign.ErrForm, role)
	}
}

// `between` returns the text between a tag and its end tag, if it is JSON.
func between(text, tag string) (string, bool) {
	_, after, found := strings.Cut(text, "<"+tag+">")
	if !found {
		return "", false
	}
	raw, _, ok := value(after, tag)
	return string(raw), ok
}

// value returns the JSON value in a tag, and the text after the tag. It parses the JSON, because texts in the value may
// contain the end tag.
func value(text, tag string) (raw []byte, rest string, ok bool) {
	text = strings.TrimLeft(text, " \t\r\n")
	d := rawjson.NewDecoder([]byte(text))
	raw = d.Raw()
	if d.Err() != nil || len(raw) == 0 {
		return nil, "", false
	}
	rest, ok = strings.CutPrefix(strings.TrimLeft(string(d.Rest()), " \t\r\n"), "</"+tag+">")
	return raw, rest, ok
}

func (w *walk) answer(text string) error {
	a := assemble.Answer{Model: assemble.Model(w.model)}
	if rest, found := strings.CutPrefix(strings.TrimLeft(text, " \n"), "<think>"); found {
		if thought, said, ended := strings.Cut(rest, "</think>"); ended {
			a.Thinking, text = strings.TrimSpace(thought), said
		}
	}
	const open = "<tool_call>"
	var said strings.Builder
	for {
		before, after, found := strings.Cut(text, open)
		said.WriteString(before)
		if !found {
			break
		}
		raw, rest, ok := value(after, "tool_call")
		name := rawjson.MemberText(raw, "name")
		if !ok || name == "" {
			w.malformed++
			said.WriteString(open)
			text = after
			continue
		}
		input, _ := foreign.Arguments(rawjson.Member(raw, "arguments"))
		a.Calls = append(a.Calls, assemble.Call{Name: name, Input: input})
		text = rest
	}
	a.Text = strings.TrimSpace(said.String())
	return w.talk.Agent(a)
}

// results adds one or more results, in the order of the calls.
func (w *walk) results(text string) error {
	const open = "<tool_response>"
	if !strings.Contains(text, open) {
		return w.talk.Answered("", assemble.Result{Content: &text})
	}
	for {
		_, after, found := strings.Cut(text, open)
		if !found {
			return nil
		}
		raw, rest, ok := value(after, "tool_response")
		if !ok { // not JSON: the text up to the end tag
			said, more, _ := strings.Cut(after, "</tool_response>")
			raw, rest = rawjson.AppendString(nil, strings.TrimSpace(said)), more
		}
		if err := w.talk.Answered("", result(raw)); err != nil {
			return err
		}
		text = rest
	}
}

func result(raw []byte) assemble.Result {
	content := rawjson.Member(raw, "content")
	if content == nil {
		content = raw
	}
	text := string(content)
	r := assemble.Result{Content: &text}
	switch rawjson.NewDecoder(content).Kind() {
	case rawjson.String:
		text = rawjson.Unquote(content)
	case rawjson.Object:
		if r.Error = foreign.ExitCode(rawjson.MemberInt(content, "exit_code")); r.Error == "" &&
			(rawjson.MemberText(content, "error") != "" || string(rawjson.Member(content, "success")) == "false") {
			r.Error = records.ErrorTool
		}
		for _, name := range []string{"output", "stdout"} {
			if said := rawjson.Member(content, name); len(said) > 0 && said[0] == '"' {
				text = rawjson.Unquote(said)
				break
			}
		}
	}
	return r
}
