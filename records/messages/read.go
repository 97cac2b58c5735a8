// Package messages reads rows of messages, the form of many data sets of conversations: role and content as in OpenAI
// or Anthropic, with calls as members, or in the text as in SWE-smith.
//
// A row is an object with a list of messages, an object with that list as a text, or the list itself.
package messages

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/foreign"
	"github.com/git-trace/git-trace/records/rawjson"
)

// Name is the name of the format on the command line.
const Name = "messages"

// ErrPrediction reports a row that has only an agent's submission.
var ErrPrediction = errors.New("a prediction, which holds a patch and no conversation")

// Read yields the conversations of a file in order. It stops at the first fault.
func Read(r io.Reader, yield func(row int, record *records.Record) error) error {
	return foreign.Each(r, isMessage, decode, yield)
}

func isMessage(first []byte) bool { return len(rawjson.Member(first, "role")) > 0 }

// row has the members of a row and its list of messages.
type row struct {
	list                []byte
	id, instance, agent string
	model, patch        string
	resolved            []byte
	tools               []byte
	cwd                 string
	prediction, swe     bool
}

func parse(raw []byte) row {
	r := row{}
	d := rawjson.NewDecoder(raw)
	if d.Kind() == rawjson.Array {
		return row{list: raw}
	}
	for d.Open(); d.Member(); {
		switch string(d.Key()) {
		case "messages", "conversation": // in exports of Grok's command line
			if r.list = d.Raw(); len(r.list) > 0 && r.list[0] == '"' {
				r.list = []byte(rawjson.Unquote(r.list))
			}
		case "traj_id", "conversation_id", "session_id", "id":
			r.id = cmp.Or(r.id, d.Text())
		case "instance_id":
			r.instance, r.swe = d.Text(), true
		case "workspaceId": // in cursor-history's export of Cursor conversations
			r.agent = cmp.Or(r.agent, "cursor")
		case "model_patch":
			r.prediction = true
		default:
			d.Take("agent", &r.agent, "workspacePath", &r.cwd, "model", &r.model, "patch", &r.patch,
				"resolved", &r.resolved, "tools", &r.tools)
		}
	}
	return r
}

func decode(d *foreign.Document) ([]*records.Record, error) {
	r := parse(d.Raw)
	switch check := rawjson.NewDecoder(r.list); {
	case len(r.list) == 0 && r.prediction:
		return nil, ErrPrediction
	case check.Kind() != rawjson.Array:
		return nil, fmt.Errorf("%w: there is no list of messages", foreign.ErrForm)
	default:
		if check.Skip(); check.Err() != nil {
			return nil, fmt.Errorf("messages: %w", check.Err())
		}
	}
	context := records.Devtime
	if r.swe {
		context = records.Runtime
	}
	talk := foreign.Begin(d, foreign.Origin{Format: Name, Agent: r.agent, Session: cmp.Or(r.id, r.instance),
		Context: context, Cwd: r.cwd})
	talk.Tools(r.tools)
	var list []Message
	e := rawjson.NewDecoder(r.list)
	for e.OpenArray(); e.Element(); {
		list = append(list, Parse(e.Raw()))
	}
	for i := range list {
		next := ""
		if i+1 < len(list) && list[i+1].Role == "user" {
			next = list[i+1].Text
		}
		if err := take(talk, &list[i], r.model, r.swe && strings.HasPrefix(next, observation)); err != nil {
			return nil, fmt.Errorf("message %d: %w", i+1, err)
		}
	}
	record, err := talk.Record()
	if err != nil {
		return nil, err
	}
	r.outcome(record)
	return []*records.Record{record}, nil
}

func (r *row) outcome(record *records.Record) {
	record.Outcome.Patch = records.Text(r.patch)
	if r.instance != "" {
		record.SetMeta("instance_id", r.instance)
		record.Task.Source = new("benchmark")
	}
	success := string(r.resolved) == "true"
	if success || string(r.resolved) == "false" {
		o := &record.Outcome
		o.Success, o.SignalSource, o.SignalConfidence = &success, "evaluator", records.SignalDerived
		o.Reward, o.RewardSource = new(records.Float(0)), new("rl_environment")
		if success {
			o.Reward = new(records.Float(1))
		}
	}
}

// observation begins a result that is written as a prompt.
const observation = "OBSERVATION:"

func take(talk *foreign.Talk, m *Message, model string, acted bool) error {
	talk.Take()
	switch m.Role {
	case "system", "developer":
		return talk.System(m.Text, "")
	case "user":
		if err := answered(talk, m); err != nil {
			return err
		}
		switch {
		case talk.Open() > 0 && strings.HasPrefix(m.Text, observation):
			return talk.Answered("", assemble.Result{Content: new(observed(m.Text))})
		case m.Text == "" && len(m.Results) > 0:
			return nil
		}
		talk.Abandon()
		return talk.User(m.Text, m.Time, "")
	case "tool", "function":
		return talk.Answered(m.CallID, assemble.Result{Content: new(observed(m.Text))})
	case "assistant":
		text := m.Text
		if len(m.Calls) == 0 {
			text, m.Calls = textCalls(m.Text, acted)
		}
		err := talk.Agent(assemble.Answer{Text: text, Time: m.Time, Thinking: m.Thinking, Calls: m.Calls, Stop: m.Stop,
			Model: assemble.Model(cmp.Or(m.Model, model))})
		return errors.Join(err, answered(talk, m))
	}
	return fmt.Errorf("%w: unknown role %.40q", foreign.ErrForm, m.Role)
}

// `answered` adds the results in a message.
func answered(talk *foreign.Talk, m *Message) error {
	for i := range m.Results {
		if err := talk.Answered(m.Results[i].ID, m.Results[i].Result); err != nil {
			return err
		}
	}
	return nil
}

func observed(text string) string {
	if rest, found := strings.CutPrefix(text, observation); found {
		return strings.TrimPrefix(rest, "\n")
	}
	return text
}

// textCalls returns the calls in the text of an answer: <function=NAME> at the start of a line or, if a result follows,
// the last fenced block without a language.
func textCalls(text string, acted bool) (said string, calls []assemble.Call) {
	const open = "<function="
	at := strings.Index("\n"+text, "\n"+open)
	if at < 0 {
		if acted {
			return lastFence(text)
		}
		return text, nil
	}
	said = strings.TrimSpace(text[:at])
	for rest := text[at:]; ; {
		name, after, found := strings.Cut(strings.TrimPrefix(rest, open), ">")
		if !found || strings.ContainsAny(name, "\n<") {
			return text, nil
		}
		body, next, _ := strings.Cut(after, "</function>")
		var input rawjson.Members
		n := 0
		for _, parameter := range strings.Split(body, "<parameter=")[1:] {
			key, value, found := strings.Cut(parameter, ">")
			end := strings.LastIndex(value, "</parameter>")
			if !found || end < 0 {
				continue
			}
			if value = value[:end]; key == "old_str" || key == "new_str" || key == "file_text" {
				value = strings.TrimSuffix(strings.TrimPrefix(value, "\n"), "\n")
			}
			input.Text(key, value)
			n++
		}
		call := assemble.Call{Name: name, Input: []byte("{}")}
		if n > 0 {
			call.Input = input.End()
		}
		calls = append(calls, call)
		if rest = strings.TrimLeft(next, "\n \t"); !strings.HasPrefix(rest, open) {
			return said, calls
		}
	}
}

func lastFence(text string) (said string, calls []assemble.Call) {
	end := strings.LastIndex(text, "\n```")
	if end < 0 {
		return text, nil
	}
	begin := strings.LastIndex("\n"+text[:end], "\n```\n")
	if begin < 0 {
		return text, nil
	}
	return strings.TrimSpace(text[:begin]), []assemble.Call{Command("command", text[begin+4:end])}
}

// Command returns a call of a tool that takes a command line.
func Command(tool, line string) assemble.Call {
	var input rawjson.Members
	return assemble.Call{Name: tool, Input: input.Text("command", line).End(), Command: line}
}
