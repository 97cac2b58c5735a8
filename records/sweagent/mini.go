package sweagent

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/foreign"
	"github.com/git-trace/git-trace/records/messages"
	"github.com/git-trace/git-trace/records/rawjson"
)

// MiniName is the name of mini-swe-agent's format on the command line, and the name of the agent.
const MiniName = "mini-swe-agent"

// ReadMini yields the conversations of a mini-swe-agent file in order: documents with messages, or bare lists of
// messages.
func ReadMini(r io.Reader, yield func(row int, record *records.Record) error) error {
	return foreign.Each(r, func(first []byte) bool { return rawjson.Member(first, "role") != nil }, mini, yield)
}

func mini(d *foreign.Document) ([]*records.Record, error) {
	all, info := d.Raw, []byte(nil)
	if rawjson.NewDecoder(all).Kind() == rawjson.Object {
		all, info = rawjson.Member(d.Raw, "messages"), rawjson.Member(d.Raw, "info")
	}
	if list(all) == nil {
		return nil, fmt.Errorf("%w: there is no list of messages", foreign.ErrForm)
	}
	config := rawjson.Member(info, "config")
	model := assemble.Model(rawjson.MemberText(rawjson.Member(config, "model"), "model_name"))
	instance := rawjson.MemberText(d.Raw, "instance_id")
	version := rawjson.MemberText(info, "mini_version")
	talk := foreign.Begin(d, foreign.Origin{Format: MiniName, Version: rawjson.MemberText(d.Raw, "trajectory_format"),
		Agent: MiniName, Session: cmp.Or(instance, session(d)), Context: records.Runtime,
		Cwd: rawjson.MemberText(rawjson.Member(config, "environment"), "cwd")})
	talk.Change(func(h *assemble.Head) { h.SetVersion(version) })
	w := miniWalk{walk: walk{talk: talk, model: model}}
	e := rawjson.NewDecoder(all)
	n := 1
	for e.OpenArray(); e.Element(); n++ {
		if err := w.message(e.Raw()); err != nil {
			return nil, fmt.Errorf("message %d: %w", n, err)
		}
	}
	cost := rawjson.NewDecoder(rawjson.Member(rawjson.Member(info, "model_stats"), "instance_cost"))
	if !w.costs {
		talk.Cost(cost.Float())
	}
	record, err := talk.Record()
	if err != nil {
		return nil, err
	}
	if instance != "" {
		record.SetMeta("instance_id", instance)
	}
	ended(record, rawjson.MemberText(info, "exit_status"), rawjson.MemberText(info, "submission"))
	return []*records.Record{record}, nil
}

type miniWalk struct {
	walk
	costs bool // messages have their own costs
}

func (w *miniWalk) message(raw []byte) error {
	m, extra := messages.Parse(raw), rawjson.Member(raw, "extra")
	w.talk.Take()
	stamp := rawjson.NewDecoder(rawjson.Member(extra, "timestamp"))
	at := foreign.Epoch(stamp.Float())
	kind := rawjson.MemberText(raw, "type")
	switch {
	case kind == "function_call_output":
		return w.talk.Answered(rawjson.MemberText(raw, "call_id"), miniResult(rawjson.MemberText(raw, "output"), extra, at))
	case rawjson.MemberText(raw, "object") == "response", m.Role == "assistant":
		return w.answer(raw, m, extra, at)
	case m.Role == "system":
		return w.talk.System(m.Text, at)
	case m.Role == "exit":
		return nil // info also has the submission
	case m.Role == "user" || m.Role == "tool":
		r := miniResult(m.Text, extra, at)
		interrupted := rawjson.MemberText(extra, "interrupt_type") != ""
		switch {
		case w.talk.Open() > 0:
			if interrupted {
				r.Error = records.ErrorTool
			}
			return w.talk.Answered(m.CallID, r)
		case interrupted, m.Text == "" && w.prompted:
			return w.talk.SystemStep(m.Text, at)
		}
		w.prompted = true
		return w.talk.User(m.Text, at, benchmark)
	}
	return fmt.Errorf("%w: unknown role %.40q", foreign.ErrForm, m.Role)
}

// answer adds an answer. Its calls are in separate members, in the form of either OpenAI interface, or in a fenced
// block.
func (w *miniWalk) answer(raw []byte, m messages.Message, extra []byte, at string) error {
	var calls []assemble.Call
	e := rawjson.NewDecoder(rawjson.Member(extra, "actions"))
	for e.OpenArray(); e.Element(); {
		action := e.Raw()
		call := messages.Command("bash", rawjson.MemberText(action, "command"))
		call.ID = rawjson.MemberText(action, "tool_call_id")
		calls = append(calls, call)
	}
	e = rawjson.NewDecoder(rawjson.Member(raw, "output"))
	for e.OpenArray(); e.Element(); {
		switch item := e.Raw(); rawjson.MemberText(item, "type") {
		case "message":
			m.Text += messages.Parse(item).Text
		case "reasoning":
			s := rawjson.NewDecoder(rawjson.Member(item, "summary"))
			for s.OpenArray(); s.Element(); {
				m.Thinking += rawjson.MemberText(s.Raw(), "text")
			}
		case "function_call":
			input, _ := foreign.Arguments(rawjson.Member(item, "arguments"))
			m.Calls = append(m.Calls, assemble.Call{ID: rawjson.MemberText(item, "call_id"),
				Name: rawjson.MemberText(item, "name"), Input: input})
		}
	}
	switch {
	case len(m.Calls) > 0:
		calls = m.Calls
	case len(calls) == 0:
		if line, found := fenced(m.Text); found {
			calls = []assemble.Call{messages.Command("bash", line)}
		}
	}
	cost := rawjson.NewDecoder(rawjson.Member(extra, "cost"))
	if usd := cost.Float(); usd > 0 {
		w.costs = true
		w.talk.Cost(usd)
	}
	usage := rawjson.Member(rawjson.Member(extra, "response"), "usage")
	if usage == nil {
		usage = rawjson.Member(raw, "usage")
	}
	return w.talk.Agent(assemble.Answer{Time: at, Text: m.Text, Thinking: m.Thinking, Calls: calls, Model: w.model,
		Usage: messages.Usage(w.talk, usage)})
}

var fence = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("(?s)```(?:mswea_bash_command|bash)\\s*\\n(.*?)\\n```")
})

// `fenced` returns the only block of commands in a text.
func fenced(text string) (string, bool) {
	found := fence().FindAllStringSubmatch(text, 2)
	if len(found) != 1 {
		return "", false
	}
	return found[0][1], true
}

// miniResult returns a result: its exit code and its output, from the structured data if possible.
func miniResult(text string, extra []byte, at string) assemble.Result {
	r := assemble.Result{Time: at}
	output := text
	if rest, found := strings.CutPrefix(text, "<returncode>"); found {
		number, after, _ := strings.Cut(rest, "</returncode>")
		output = strings.TrimPrefix(strings.TrimSpace(after), "<output>")
		output = strings.TrimPrefix(strings.TrimSuffix(output, "</output>"), "\n")
		code, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
		if err == nil {
			r.Error = foreign.ExitCode(code)
		}
	}
	if raw := rawjson.Member(extra, "returncode"); len(raw) > 0 {
		r.Error = foreign.ExitCode(rawjson.MemberInt(extra, "returncode"))
		if exception := rawjson.MemberText(extra, "exception_info"); exception != "" {
			r.Error = records.ErrorTool
			if strings.Contains(strings.ToLower(exception), "timed out") {
				r.Error = records.ErrorInterrupted
			}
		}
	}
	if raw := rawjson.Member(extra, "raw_output"); len(raw) > 0 {
		output = rawjson.Unquote(raw)
	}
	r.Content = &output
	return r
}
