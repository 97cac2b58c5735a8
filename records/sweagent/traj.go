// Package sweagent reads the trajectories of SWE-agent (.traj) and of mini-swe-agent (.traj.json).
package sweagent

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/foreign"
	"github.com/git-trace/git-trace/records/messages"
	"github.com/git-trace/git-trace/records/rawjson"
)

// Name is the name of SWE-agent's format on the command line, and the name of the agent.
const Name = "swe-agent"

const benchmark = "benchmark"

// Read yields the conversations of a file in order. It stops at the first fault.
func Read(r io.Reader, yield func(row int, record *records.Record) error) error {
	return foreign.Each(r, nil, decode, yield)
}

// run is one trajectory, or one of several attempts.
type run struct {
	history, trajectory, attempts []byte
	info, replay                  []byte
}

func parse(raw []byte) run {
	var r run
	d := rawjson.NewDecoder(raw)
	for d.Open(); d.Member(); {
		switch string(d.Key()) {
		case "history":
			r.history = list(d.Raw())
		case "trajectory":
			r.trajectory = list(d.Raw())
		case "attempts":
			r.attempts = list(d.Raw())
		default:
			d.Take("info", &r.info, "replay_config", &r.replay)
		}
	}
	return r
}

// list returns a list that is not empty; nil for anything else.
func list(raw []byte) []byte {
	d := rawjson.NewDecoder(raw)
	if d.OpenArray(); d.Element() {
		return raw
	}
	return nil
}

func decode(d *foreign.Document) ([]*records.Record, error) {
	top := parse(d.Raw)
	if len(top.attempts) == 0 {
		record, err := top.record(d, session(d))
		return []*records.Record{record}, err
	}
	var out []*records.Record
	id := session(d)
	e := rawjson.NewDecoder(top.attempts)
	for e.OpenArray(); e.Element(); {
		one := parse(e.Raw())
		if len(one.replay) == 0 {
			one.replay = top.replay
		}
		record, err := one.record(d, fmt.Sprintf("%s#%d", id, len(out)+1))
		if err != nil {
			return nil, fmt.Errorf("attempt %d: %w", len(out)+1, err)
		}
		if best := rawjson.Member(top.info, "best_attempt_idx"); len(best) > 0 {
			record.SetMeta("best_attempt", rawjson.MemberInt(top.info, "best_attempt_idx"))
		}
		out = append(out, record)
	}
	return out, nil
}

// session returns the id of a trajectory: the name of its file, because both programs write each trajectory to a
// separate file. For a file that may contain several, it is the id of the row.
func session(d *foreign.Document) string {
	if name, one := strings.CutSuffix(strings.TrimSuffix(d.File, ".json"), ".traj"); one {
		return name
	}
	return d.ID()
}

// entry is a step of the environment: an action with its result and duration.
type entry struct {
	action, observation, response, thought string
	seconds                                float64
}

func (r *run) record(d *foreign.Document, session string) (*records.Record, error) {
	if len(r.history) == 0 && len(r.trajectory) == 0 {
		return nil, fmt.Errorf("%w: there is neither history nor trajectory", foreign.ErrForm)
	}
	config := r.replay
	if len(config) > 0 && config[0] == '"' {
		config = []byte(rawjson.Unquote(config))
	}
	model := assemble.Model(rawjson.MemberText(rawjson.Member(rawjson.Member(config, "agent"), "model"), "name"))
	talk := foreign.Begin(d, foreign.Origin{Format: Name, Version: rawjson.MemberText(r.info, "swe_agent_version"),
		Agent: Name, Session: session, Context: records.Runtime})
	talk.Change(func(h *assemble.Head) { h.SetVersion(rawjson.MemberText(r.info, "swe_agent_version")) })
	w := walk{talk: talk, model: model}
	e := rawjson.NewDecoder(r.trajectory)
	for e.OpenArray(); e.Element(); {
		raw := e.Raw()
		w.entries = append(w.entries, entry{action: rawjson.MemberText(raw, "action"),
			observation: rawjson.MemberText(raw, "observation"), response: rawjson.MemberText(raw, "response"),
			thought: rawjson.MemberText(raw, "thought"), seconds: seconds(raw)})
	}
	var err error
	if len(r.history) > 0 {
		err = w.history(r.history)
	} else {
		err = w.alone()
	}
	if err != nil {
		return nil, err
	}
	stats := rawjson.Member(r.info, "model_stats")
	cost := rawjson.NewDecoder(rawjson.Member(stats, "instance_cost"))
	talk.Cost(cost.Float())
	record, err := talk.Record()
	if err != nil {
		return nil, err
	}
	record.Agent.Model = records.Text(model)
	sent, received := rawjson.MemberInt(stats, "tokens_sent"), rawjson.MemberInt(stats, "tokens_received")
	talk.Total(record, talk.Usage(sent, received, 0, 0))
	ended(record, rawjson.MemberText(r.info, "exit_status"), rawjson.MemberText(r.info, "submission"))
	return record, nil
}

func seconds(raw []byte) float64 {
	d := rawjson.NewDecoder(rawjson.Member(raw, "execution_time"))
	return d.Float()
}

// `ended` describes the end of a run. It does not set Success, because only an evaluator knows it.
func ended(record *records.Record, status, submission string) {
	o := &record.Outcome
	o.Patch, o.Description = records.Text(submission), records.Text(status)
	if status != "" && !strings.EqualFold(status, "submitted") {
		o.TerminalState = new(records.Failed)
	}
}

// walk reads the messages of a history together with the steps of the environment.
type walk struct {
	talk     *foreign.Talk
	model    string
	entries  []entry
	at       int // the index of the next entry
	prompted bool
}

func (w *walk) history(raw []byte) error {
	d := rawjson.NewDecoder(raw)
	n := 1
	for d.OpenArray(); d.Element(); n++ {
		message := d.Raw()
		kind := rawjson.MemberText(message, "message_type")
		if string(rawjson.Member(message, "is_demo")) == "true" || kind == "demonstration" {
			w.talk.Skip("demonstration")
			continue
		}
		if err := w.message(message); err != nil {
			return fmt.Errorf("message %d: %w", n, err)
		}
	}
	if w.talk.Open() > 0 && w.at > 0 { // the model was not called again after the last action
		if last := w.entries[w.at-1].observation; last != "" {
			if err := w.talk.Answered("", result(last)); err != nil {
				return err
			}
		}
	}
	return w.rest(len(w.entries))
}

func (w *walk) message(raw []byte) error {
	m := messages.Parse(raw)
	w.talk.Take()
	switch m.Role {
	case "system":
		return w.talk.System(m.Text, "")
	case "assistant":
		action := rawjson.MemberText(raw, "action")
		took, err := w.entry(action)
		if err != nil {
			return err
		}
		if len(m.Calls) == 0 && action != "" {
			m.Calls = []assemble.Call{messages.Command("command", action)}
		}
		w.talk.Took(took)
		return w.talk.Agent(assemble.Answer{Text: m.Text, Thinking: m.Thinking, Calls: m.Calls, Model: w.model})
	case "user", "tool":
		if w.talk.Open() > 0 {
			return w.talk.Answered(m.CallID, result(m.Text))
		}
		if w.prompted {
			return w.talk.SystemStep(m.Text, "")
		}
		w.prompted = true
		return w.talk.User(m.Text, "", benchmark)
	}
	return fmt.Errorf("%w: unknown role %.40q", foreign.ErrForm, m.Role)
}

// entry finds the environment's step for an action. Skipped entries, such as blocked actions, become separate steps.
func (w *walk) entry(action string) (took float64, err error) {
	for i := w.at; i < len(w.entries) && action != ""; i++ {
		if strings.TrimSpace(w.entries[i].action) != strings.TrimSpace(action) {
			continue
		}
		err = w.rest(i)
		w.at = i + 1
		return w.entries[i].seconds, err
	}
	return 0, nil
}

// rest adds steps for the entries before an index that are not in the history.
func (w *walk) rest(to int) error {
	for ; w.at < to; w.at++ {
		if one := &w.entries[w.at]; one.action != "" {
			w.talk.Abandon()
			if err := w.step(one, records.ErrorTool); err != nil {
				return err
			}
		}
	}
	return nil
}

// `alone` adds the entries of a trajectory without a history.
func (w *walk) alone() error {
	for i := range w.entries {
		w.talk.Take()
		if err := w.step(&w.entries[i], ""); err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) step(one *entry, failed string) error {
	a := assemble.Answer{Text: cmp.Or(one.thought, one.response), Model: w.model}
	if one.action != "" {
		a.Calls = []assemble.Call{messages.Command("command", one.action)}
	}
	w.talk.Took(one.seconds)
	if err := w.talk.Agent(a); err != nil || one.action == "" {
		return err
	}
	r := result(one.observation)
	r.Error = cmp.Or(r.Error, failed)
	return w.talk.Answered("", r)
}

// failures lists texts of failed tools, because exit codes are not recorded.
var failures = []struct{ text, error string }{
	{"Your proposed edit has introduced new syntax error(s)", records.ErrorTool},
	{"No replacement was performed", records.ErrorTool},
	{"EXECUTION TIMED OUT", records.ErrorInterrupted},
}

func result(text string) assemble.Result {
	text, _ = strings.CutPrefix(text, "OBSERVATION:\n")
	r := assemble.Result{Content: &text}
	for _, one := range failures {
		if strings.Contains(text, one.text) {
			r.Error = one.error
			break
		}
	}
	return r
}
