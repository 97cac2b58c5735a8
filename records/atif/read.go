package atif

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/foreign"
	"github.com/git-trace/git-trace/records/rawjson"
)

// Read yields the trajectories of a file in order. It stops at the first fault and returns its line or element, and its
// byte.
func Read(r io.Reader, yield func(row int, record *records.Record) error) error {
	return foreign.Each(r, nil, func(d *foreign.Document) ([]*records.Record, error) {
		record, err := decode(d)
		return []*records.Record{record}, err
	}, yield)
}

// `kept` holds the data of a document that metadata.atif keeps.
type kept struct {
	Version string                     `json:"version"`
	Copied  map[string]json.RawMessage `json:"copied_steps,omitempty"` // copied steps by index among all steps
	Differs *rawjson.Difference        `json:"differs,omitempty"`      // difference from the document made from the record
	Unknown map[string]int             `json:"unknown_members,omitempty"`
	System  int                        `json:"system_steps,omitempty"`
	Calls   []callCount                `json:"llm_calls,omitempty"` // steps that do not stand for exactly one model call
}

type callCount struct {
	Step  int   `json:"step"`
	Count int64 `json:"count"`
}

// trajectory is a decoded document.
type trajectory struct {
	version, session, id      string
	name, agentVersion, model string
	tools, steps, subs        []byte
	final, extra              []byte
	continued                 string
	referred                  bool // the trajectory has been read
}

func parse(raw []byte) (*trajectory, error) {
	t := &trajectory{}
	d := rawjson.NewDecoder(raw)
	for d.Open(); d.Member(); {
		switch string(d.Key()) {
		case "agent":
			d.Fill("name", &t.name, "version", &t.agentVersion, "model_name", &t.model,
				"tool_definitions", &t.tools)
		default:
			d.Take("schema_version", &t.version, "session_id", &t.session, "trajectory_id", &t.id,
				"steps", &t.steps, "subagent_trajectories", &t.subs, "final_metrics", &t.final, "extra", &t.extra,
				"continued_trajectory_ref", &t.continued)
		}
	}
	minor, err := strconv.Atoi(strings.TrimPrefix(t.version, versionPrefix))
	switch {
	case d.Err() != nil:
		return nil, d.Err()
	case !strings.HasPrefix(t.version, versionPrefix) || err != nil:
		return nil, fmt.Errorf("%w: schema_version is %.40q", foreign.ErrForm, t.version)
	case minor < 0 || minor > 8:
		return nil, fmt.Errorf("%w: version %.40q is not known, only 1.0 to 1.8 are", foreign.ErrForm, t.version)
	case t.name == "":
		return nil, fmt.Errorf("%w: agent.name is missing", foreign.ErrForm)
	case len(t.steps) == 0 || t.steps[0] != '[':
		return nil, fmt.Errorf("%w: steps is missing", foreign.ErrForm)
	}
	return t, nil
}

// reader reads a document with all trajectories in it.
type reader struct {
	kept kept
}

func decode(d *foreign.Document) (*records.Record, error) {
	t, err := parse(d.Raw)
	if err != nil {
		return nil, err
	}
	r := reader{kept: kept{Version: t.version, Copied: map[string]json.RawMessage{}, Unknown: map[string]int{}}}
	talk := foreign.Begin(d, foreign.Origin{Format: Name, Version: t.version, Agent: t.name,
		Session: cmp.Or(t.session, t.id), Context: contextOf(t.extra)})
	talk.Tools(t.tools)
	talk.Change(func(h *assemble.Head) {
		h.SetVersion(t.agentVersion)
		h.AddMeta("continued_trajectory_ref", t.continued)
	})
	if err := r.steps(talk, t, true); err != nil {
		return nil, err
	}
	record, err := talk.Record()
	if err != nil {
		return nil, err
	}
	if record.Agent.Model == nil {
		record.Agent.Model = records.Text(assemble.Model(t.model))
	}
	finish(talk, record, t)
	r.keep(record, d.Raw)
	return record, nil
}

// contextOf returns Runtime for an agent in a task environment, and Devtime for an agent that edits a person's code.
func contextOf(extra []byte) records.ExecutionContext {
	if said := rawjson.MemberText(rawjson.Member(extra, ownExtra), "execution_context"); said != "" {
		return records.ExecutionContext(said)
	}
	for _, name := range []string{"task", "task_id", "task_name", "instance_id"} {
		if len(rawjson.Member(extra, name)) > 0 {
			return records.Runtime
		}
	}
	return records.Devtime
}

// finish adds the document's data about the whole conversation.
func finish(talk *foreign.Talk, record *records.Record, t *trajectory) {
	f := metrics(t.final, "total_")
	talk.Total(record, talk.Usage(f.prompt, f.completion, f.cached, f.written))
	if usd := f.cost; usd > 0 && record.Metadata[records.MetaClientCost] == nil && usd < 1e6 {
		record.SetMeta(records.MetaClientCost, records.Float(usd))
	}
	own := rawjson.Member(t.extra, ownExtra)
	var outcome records.Outcome
	if raw := rawjson.Member(own, "outcome"); len(raw) > 0 && json.Unmarshal(raw, &outcome) == nil {
		before := record.Outcome
		record.Outcome = outcome
		if len(record.Check()) > 0 {
			record.Outcome = before
		}
	}
}

// tokens holds the metrics of a step, or of the whole conversation.
type tokens struct {
	prompt, completion, cached, written int64
	cost                                float64
}

func metrics(raw []byte, prefix string) tokens {
	var m tokens
	d := rawjson.NewDecoder(raw)
	for d.Open(); d.Member(); {
		switch strings.TrimPrefix(string(d.Key()), prefix) {
		case "prompt_tokens":
			m.prompt = d.Int()
		case "completion_tokens":
			m.completion = d.Int()
		case "cached_tokens":
			m.cached = d.Int()
		case "cost_usd":
			m.cost = d.Float()
		case "extra":
			for d.Open(); d.Member(); {
				switch strings.TrimPrefix(string(d.Key()), prefix) {
				case "cache_creation_input_tokens", "cache_write_tokens":
					m.written = max(m.written, d.Int())
				}
			}
		}
	}
	return m
}

// steps adds the steps of a trajectory. An embedded trajectory follows the step that refers to it.
func (r *reader) steps(talk *foreign.Talk, t *trajectory, main bool) error {
	subs, err := r.embedded(t.subs)
	if err != nil {
		return err
	}
	prompted, n := false, 0
	d := rawjson.NewDecoder(t.steps)
	for d.OpenArray(); d.Element(); n++ {
		raw := d.Raw()
		if string(rawjson.Member(raw, "is_copied_context")) == "true" {
			talk.Skip("copied_context")
			if main {
				r.kept.Copied[strconv.Itoa(n)] = rawjson.Clean(raw)
			}
			continue
		}
		s, err := parseStep(raw)
		if err != nil {
			return fmt.Errorf("step %d: %w", n+1, err)
		}
		r.unknown("steps.", raw, stepMembers)
		if err := r.step(talk, t, s, prompted); err != nil {
			return err
		}
		prompted = prompted || s.source == "user"
		if s.llmCalls != 1 && s.llmCalls >= 0 {
			r.kept.Calls = append(r.kept.Calls, callCount{talk.Made(), s.llmCalls})
		}
		for _, ref := range s.refs {
			if i := slices.IndexFunc(subs, func(sub *trajectory) bool { return !sub.referred && sub.is(ref.id) }); i >= 0 {
				if err := r.sub(talk, ref.call, subs[i]); err != nil {
					return err
				}
			}
		}
	}
	for _, sub := range subs {
		if !sub.referred {
			if err := r.sub(talk, "", sub); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *trajectory) is(id string) bool {
	return id != "" && (t.id == id || t.id == "" && t.session == id)
}

func (r *reader) embedded(raw []byte) ([]*trajectory, error) {
	var subs []*trajectory
	d := rawjson.NewDecoder(raw)
	for d.OpenArray(); d.Element(); {
		one := d.Raw()
		sub, err := parse(one)
		if err != nil {
			return nil, fmt.Errorf("subagent_trajectories %d: %w", len(subs)+1, err)
		}
		subs = append(subs, sub)
	}
	return subs, nil
}

func (r *reader) sub(talk *foreign.Talk, call string, sub *trajectory) error {
	sub.referred = true
	side := talk.Sub(call, cmp.Or(sub.id, sub.session), sub.name)
	if err := r.steps(side, sub, false); err != nil {
		return err
	}
	return side.Close()
}

func (r *reader) step(talk *foreign.Talk, t *trajectory, s *step, prompted bool) error {
	talk.Take()
	switch s.source {
	case "system":
		r.kept.System++
		if !prompted {
			talk.SystemPrompt(s.message)
		}
		if err := talk.SystemStep(s.message, s.timestamp); err != nil {
			return err
		}
	case "user":
		if err := talk.User(s.message, s.timestamp, ""); err != nil {
			return err
		}
	default:
		m := s.metrics
		talk.Cost(m.cost)
		if err := talk.Agent(assemble.Answer{Time: s.timestamp, Model: assemble.Model(cmp.Or(s.model, t.model)),
			Text: s.message, Thinking: s.reasoning, Calls: s.calls,
			Usage: talk.Usage(m.prompt, m.completion, m.cached, m.written)}); err != nil {
			return err
		}
	}
	for i := range s.results {
		result := &s.results[i]
		id := result.call
		if id == "" && len(s.calls) != 1 || s.source != "agent" {
			if result.Content != nil {
				talk.Unlinked(id, result.Result)
			}
			continue
		}
		if result.DurationMS == nil {
			result.DurationMS = s.durations[id]
		}
		if err := talk.Answered(id, result.Result); err != nil {
			return err
		}
	}
	talk.Abandon() // a result is in the same step as its call
	return nil
}

// unknown counts members that the format lacks.
func (r *reader) unknown(prefix string, raw []byte, known []string) {
	d := rawjson.NewDecoder(raw)
	for d.Open(); d.Member(); {
		if name := string(d.Key()); !slices.Contains(known, name) && len(r.kept.Unknown) < 50 {
			r.kept.Unknown[fmt.Sprintf("%s%.60s", prefix, name)]++
		}
	}
}

// `keep` stores the data that would be lost when the record is written.
func (r *reader) keep(record *records.Record, raw []byte) {
	r.unknown("", raw, documentMembers)
	r.kept.Differs = document(record, r.kept.Copied).lacks(raw)
	record.SetMeta(Name, r.kept)
}
