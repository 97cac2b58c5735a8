// Package openhands reads dumps of OpenHands before 1.0. Such a dump is a list of events, the form in which OpenHands
// exports a trajectory. Or it has rows of its evaluations and its resolver, each with such a list as its history.
//
// An event is an action or an observation. Actions from one response of the model become one step. An observation
// belongs to the action that it names as its cause, otherwise to the first action without a result. Package
// agents/openhands reads sessions of 1.0 and newer.
package openhands

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/foreign"
	"github.com/git-trace/git-trace/records/messages"
	"github.com/git-trace/git-trace/records/rawjson"
)

// Name is the format's name on the command line. The agent's current form is in package agents/openhands.
const (
	Name  = "openhands-v0"
	agent = "openhands"
)

// Read yields the conversations of a file in order. It stops at the first fault.
func Read(r io.Reader, yield func(row int, record *records.Record) error) error {
	return foreign.Each(r, func(first []byte) bool {
		return rawjson.Member(first, "action") != nil || rawjson.Member(first, "observation") != nil
	}, decode, yield)
}

func decode(d *foreign.Document) ([]*records.Record, error) {
	events, isRow := d.Raw, rawjson.NewDecoder(d.Raw).Kind() == rawjson.Object
	origin := foreign.Origin{Format: Name, Agent: agent, Context: records.Devtime, Cwd: "/workspace"}
	if isRow {
		events = rawjson.Member(d.Raw, "history")
		origin.Session, origin.Context = sessionOf(d.Raw), records.Runtime
	}
	switch list := rawjson.NewDecoder(events); {
	case list.Kind() == rawjson.Array:
	case rawjson.Member(d.Raw, "model_patch") != nil:
		return nil, messages.ErrPrediction
	default:
		return nil, fmt.Errorf("%w: there is no list of events", foreign.ErrForm)
	}
	if dir := uploaded(rawjson.MemberText(d.Raw, "instruction")); dir != "" {
		origin.Cwd = dir
	}
	w := &walk{talk: foreign.Begin(d, origin), calls: map[int64]string{},
		model: rawjson.MemberText(rawjson.Member(rawjson.Member(d.Raw, "metadata"), "llm_config"), "model")}
	e := rawjson.NewDecoder(events)
	n := 0
	for e.OpenArray(); e.Element(); {
		n++
		if err := w.element(e.Raw()); err != nil {
			return nil, fmt.Errorf("event %d: %w", n, err)
		}
	}
	record, err := w.talk.Record()
	if err != nil {
		return nil, err
	}
	record.SetMeta("timezone", "unknown")
	if isRow {
		outcome(d.Raw, record)
	}
	return []*records.Record{record}, nil
}

// sessionOf returns the id of a row's conversation: an instance of a benchmark, or a resolved issue.
func sessionOf(row []byte) string {
	if id := rawjson.MemberText(row, "instance_id"); id != "" {
		return id
	}
	issue := rawjson.Member(row, "issue")
	owner, repo := rawjson.MemberText(issue, "owner"), rawjson.MemberText(issue, "repo")
	if owner == "" || repo == "" {
		return ""
	}
	return owner + "/" + repo + "#" + strconv.FormatInt(rawjson.MemberInt(issue, "number"), 10)
}

// `uploaded` returns the directory of the uploaded files that an instruction names.
func uploaded(instruction string) string {
	_, rest, found := strings.Cut(instruction, "<uploaded_files>")
	dir, _, ends := strings.Cut(rest, "</uploaded_files>")
	if dir = strings.TrimSpace(dir); !found || !ends || strings.ContainsAny(dir, "\n") {
		return ""
	}
	return dir
}

// outcome adds an evaluator's verdict on a row.
func outcome(row []byte, r *records.Record) {
	patch := cmp.Or(rawjson.MemberText(rawjson.Member(row, "test_result"), "git_patch"),
		rawjson.MemberText(row, "git_patch"), rawjson.MemberText(row, "model_patch"))
	r.Outcome.Patch, r.Task.Source = records.Text(patch), new("benchmark")
	if id := rawjson.MemberText(row, "instance_id"); id != "" {
		r.SetMeta("instance_id", id)
	}
	resolved := rawjson.Member(rawjson.Member(row, "report"), "resolved")
	for _, name := range []string{"resolved", "success"} {
		if resolved == nil {
			resolved = rawjson.Member(row, name)
		}
	}
	if success := string(resolved) == "true"; success || string(resolved) == "false" {
		r.Outcome.Success, r.Outcome.SignalSource = &success, "evaluator"
		r.Outcome.SignalConfidence = records.SignalDerived
	}
	if text := rawjson.MemberText(row, "error"); text != "" {
		r.Outcome.Description, r.Outcome.TerminalState = &text, new(records.Failed)
	}
}

// walk reads the events in order.
type walk struct {
	talk  *foreign.Talk
	model string
	calls map[int64]string // id of the call, by event id
	n     int              // the number of events so far
	asked bool             // there was a prompt
}

// element adds an event; very old histories have pairs of events.
func (w *walk) element(raw []byte) error {
	if d := rawjson.NewDecoder(raw); d.Kind() == rawjson.Array {
		for d.OpenArray(); d.Element(); {
			if err := w.event(d.Raw()); err != nil {
				return err
			}
		}
		return nil
	}
	return w.event(raw)
}

func (w *walk) event(raw []byte) error {
	w.n++
	action, seen := rawjson.MemberText(raw, "action"), rawjson.MemberText(raw, "observation")
	switch {
	case action != "":
		return w.action(action, raw)
	case seen != "":
		return w.observed(seen, raw)
	}
	return fmt.Errorf("%w: neither an action nor an observation", foreign.ErrForm)
}

// `quiet` lists the kinds of events without data about the conversation.
var quiet = map[string]bool{"recall": true, "change_agent_state": true, "null": true, "agent_state_changed": true,
	"condensation": true, "condensation_request": true, "loop_detection": true}

// args returns the arguments of an action; in the oldest form they are members of the action itself.
func args(raw []byte) []byte {
	if inner := rawjson.Member(raw, "args"); rawjson.NewDecoder(inner).Kind() == rawjson.Object {
		return inner
	}
	return raw
}

func (w *walk) action(kind string, raw []byte) error {
	at, of, by := rawjson.MemberText(raw, "timestamp"), args(raw), rawjson.MemberText(raw, "source")
	text := cmp.Or(rawjson.MemberText(of, "content"), rawjson.MemberText(raw, "message"))
	switch {
	case quiet[kind]:
		w.talk.Skip("event:" + kind)
		return nil
	case kind == "system":
		w.talk.Take()
		return w.talk.System(text, at)
	case kind == "message" && (by == "user" || by == "" && !w.asked):
		w.talk.Take()
		w.asked = true
		return w.talk.User(text, at, "")
	case kind == "message":
		w.talk.Take()
		a := w.answer(raw, at)
		a.Text = text
		return w.talk.Agent(a)
	case by == "user" || by == "environment":
		w.talk.Skip("event:of_" + by)
		return nil
	}
	w.talk.Take()
	a := w.answer(raw, at)
	a.Text = cmp.Or(a.Text, rawjson.MemberText(of, "thought"))
	if w.talk.Waits(a.Key) && a.Key != "" {
		a.Text = "" // already recorded with the first call
	}
	a.Calls = []assemble.Call{w.call(kind, raw, of)}
	return w.talk.Agent(a)
}

// answer returns the data of the model's response, if the event has it.
func (w *walk) answer(raw []byte, at string) assemble.Answer {
	response := rawjson.Member(rawjson.Member(raw, "tool_call_metadata"), "model_response")
	a := assemble.Answer{Time: at, Key: rawjson.MemberText(response, "id"),
		Model: assemble.Model(cmp.Or(rawjson.MemberText(response, "model"), w.model)),
		Usage: messages.Usage(w.talk, rawjson.Member(response, "usage"))}
	said := messages.Parse(said(response))
	a.Text, a.Thinking = said.Text, said.Thinking
	return a
}

// `said` returns the message in a response.
func said(response []byte) []byte {
	d := rawjson.NewDecoder(rawjson.Member(response, "choices"))
	if d.OpenArray(); d.Element() {
		return rawjson.Member(d.Raw(), "message")
	}
	return nil
}

// unsaid lists the client's own arguments, which are not part of the call's input.
var unsaid = map[string]bool{"thought": true, "is_confirmed": true, "confirmation_state": true, "security_risk": true,
	"action": true, "action_risk": true, "id": true, "timestamp": true, "source": true, "message": true, "timeout": true,
	"tool_call_metadata": true, "keep_prompt": true, "kernel_init_code": true, "llm_metrics": true}

// call returns a call in the model's form, if known, otherwise in the client's form.
func (w *walk) call(kind string, raw, of []byte) assemble.Call {
	meta := rawjson.Member(raw, "tool_call_metadata")
	c := assemble.Call{ID: rawjson.MemberText(meta, "tool_call_id"),
		Name: cmp.Or(rawjson.MemberText(meta, "function_name"), kind)}
	for _, made := range messages.Parse(said(rawjson.Member(meta, "model_response"))).Calls {
		if made.ID == c.ID {
			c.Input = made.Input
		}
	}
	if c.Input == nil {
		var in rawjson.Members
		d := rawjson.NewDecoder(of)
		for d.Open(); d.Member(); {
			name := string(d.Key())
			if clean, err := rawjson.AppendClean(nil, d.Raw()); err == nil && !unsaid[name] {
				in.Raw(name, clean)
			}
		}
		c.Input = in.End()
	}
	if kind == "run" {
		c.Command = rawjson.MemberText(of, "command")
	}
	if c.ID == "" {
		c.ID = "event_" + strconv.Itoa(w.n)
	}
	w.calls[idOf(raw, w.n)] = c.ID
	return c
}

// idOf returns the id of an event; without an id, its negative number.
func idOf(raw []byte, n int) int64 {
	if rawjson.Member(raw, "id") == nil {
		return -int64(n)
	}
	return rawjson.MemberInt(raw, "id")
}

// `observed` adds the result of an action.
func (w *walk) observed(kind string, raw []byte) error {
	id := rawjson.MemberText(rawjson.Member(raw, "tool_call_metadata"), "tool_call_id")
	cause := rawjson.Member(raw, "cause")
	if id == "" && cause != nil {
		id = w.calls[rawjson.MemberInt(raw, "cause")]
	}
	if quiet[kind] || kind == "error" && id == "" && w.talk.Open() == 0 {
		w.talk.Skip("event:" + kind)
		return nil
	}
	w.talk.Take()
	content := rawjson.MemberText(raw, "content")
	r := assemble.Result{Time: rawjson.MemberText(raw, "timestamp"), Content: &content, Error: failure(kind, raw, content)}
	if edit, made := edited(rawjson.Member(raw, "extras")); made && kind == "edit" && r.Error == "" {
		r.Edits = []assemble.Edit{edit}
	}
	return w.talk.Answered(id, r)
}

// failure returns the error of an action, from the exit status of a command or from the start of its content.
func failure(kind string, raw []byte, content string) string {
	extras := rawjson.Member(raw, "extras")
	code := rawjson.Member(rawjson.Member(extras, "metadata"), "exit_code")
	for _, of := range [][]byte{extras, raw} {
		if code == nil {
			code = rawjson.Member(of, "exit_code")
		}
	}
	n, err := json.Number(code).Int64()
	switch {
	case kind == "user_rejected":
		return records.ErrorRejected
	case err == nil && n < 0 && kind == "run" && extras != nil: // it still runs, or was stopped
		return records.ErrorInterrupted
	case err == nil && n > 0:
		return foreign.ExitCode(n)
	case kind == "error", strings.HasPrefix(content, "ERROR:"):
		return records.ErrorTool
	}
	return ""
}

// `edited` returns an edit of a file from the file's whole text before and after.
func edited(extras []byte) (assemble.Edit, bool) {
	path, now := rawjson.MemberText(extras, "path"), rawjson.NewDecoder(rawjson.Member(extras, "new_content"))
	if path == "" || now.Kind() != rawjson.String {
		return assemble.Edit{}, false
	}
	before := rawjson.NewDecoder(rawjson.Member(extras, "old_content"))
	if before.Kind() != rawjson.String || string(rawjson.Member(extras, "prev_exist")) == "false" {
		return assemble.NewFile(path, now.Text()), true
	}
	return assemble.Changed(path, before.Text(), now.Text()), true
}
