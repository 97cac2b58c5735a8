package atif

import (
	"fmt"
	"strings"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/foreign"
	"github.com/git-trace/git-trace/records/rawjson"
)

// The members that the format has.
var (
	documentMembers = []string{"schema_version", "session_id", "trajectory_id", "agent", "steps", "notes", "final_metrics",
		"continued_trajectory_ref", "subagent_trajectories", "extra"}
	stepMembers = []string{"step_id", "timestamp", "source", "model_name", "reasoning_effort", "message",
		"reasoning_content", "tool_calls", "observation", "metrics", "is_copied_context", "llm_call_count", "extra"}
)

// step is a decoded step.
type step struct {
	source, timestamp, model string
	message, reasoning       string
	calls                    []assemble.Call
	durations                map[string]*int64
	results                  []result
	refs                     []reference
	metrics                  tokens
	llmCalls                 int64 // -1 if unknown
}

type result struct {
	assemble.Result
	call string
}

type reference struct{ call, id string }

func parseStep(raw []byte) (*step, error) {
	s := &step{llmCalls: -1}
	d := rawjson.NewDecoder(raw)
	for d.Open(); d.Member(); {
		switch string(d.Key()) {
		case "message":
			s.message = content(d.Raw())
		case "tool_calls":
			if err := s.readCalls(d.Raw()); err != nil {
				return nil, err
			}
		case "observation":
			s.readResults(rawjson.Member(d.Raw(), "results"))
		case "metrics":
			s.metrics = metrics(d.Raw(), "")
		case "llm_call_count":
			if d.Kind() == rawjson.Number {
				s.llmCalls = d.Int()
			}
		default:
			d.Take("source", &s.source, "timestamp", &s.timestamp, "model_name", &s.model,
				"reasoning_content", &s.reasoning)
		}
	}
	switch s.source {
	case "system", "user", "agent":
		return s, d.Err()
	}
	return nil, fmt.Errorf("%w: source is %.40q", foreign.ErrForm, s.source)
}

func (s *step) readCalls(raw []byte) error {
	d := rawjson.NewDecoder(raw)
	for d.OpenArray(); d.Element(); {
		var c assemble.Call
		var took *int64
		for d.Open(); d.Member(); {
			switch string(d.Key()) {
			case "arguments":
				c.Input, _ = foreign.Arguments(d.Raw())
			case "extra":
				if ms := rawjson.Member(d.Raw(), "duration_ms"); len(ms) > 0 {
					e := rawjson.NewDecoder(ms)
					took = new(max(e.Int(), 0))
				}
			default:
				d.Take("tool_call_id", &c.ID, "function_name", &c.Name)
			}
		}
		if c.Name == "" {
			return fmt.Errorf("%w: a call has no function_name", foreign.ErrForm)
		}
		if took != nil {
			if s.durations == nil {
				s.durations = map[string]*int64{}
			}
			s.durations[c.ID] = took
		}
		s.calls = append(s.calls, c)
	}
	return nil
}

func (s *step) readResults(raw []byte) {
	d := rawjson.NewDecoder(raw)
	for d.OpenArray(); d.Element(); {
		var r result
		var refs []reference
		for d.Open(); d.Member(); {
			switch string(d.Key()) {
			case "source_call_id":
				r.call = d.Text()
			case "content":
				if d.Kind() != rawjson.Null {
					r.Content = new(content(d.Raw()))
				}
			case "subagent_trajectory_ref":
				for d.OpenArray(); d.Element(); {
					ref := d.Raw()
					id := rawjson.MemberText(ref, "trajectory_id")
					if id == "" {
						id = rawjson.MemberText(ref, "session_id")
					}
					refs = append(refs, reference{id: id})
				}
			case "extra":
				r.Error = errorOf(d.Raw())
			}
		}
		for _, ref := range refs {
			ref.call = r.call
			s.refs = append(s.refs, ref)
		}
		if len(refs) == 1 {
			r.Subagent = refs[0].id
		}
		s.results = append(s.results, r)
	}
}

// errorOf returns the error in the extra members of a result, in the words of records.
func errorOf(extra []byte) string {
	switch said := rawjson.MemberText(extra, "error"); {
	case said == "":
		if code := rawjson.MemberInt(extra, "exit_code"); code != 0 {
			return foreign.ExitCode(code)
		}
		if string(rawjson.Member(extra, "is_error")) == "true" {
			return records.ErrorTool
		}
		return ""
	case said == records.ErrorInterrupted, said == records.ErrorRejected, said == records.ErrorNoResult,
		strings.HasPrefix(said, "exit_code:"):
		return said
	}
	return records.ErrorTool
}

// content returns a text, or the texts of its parts; a part of another kind is replaced with a word.
func content(raw []byte) string {
	d := rawjson.NewDecoder(raw)
	if d.Kind() != rawjson.Array {
		return d.Text()
	}
	var parts []string
	for d.OpenArray(); d.Element(); {
		kind, text := "", ""
		d.Fill("type", &kind, "text", &text)
		if text == "" && kind != "text" {
			text = "[" + kind + "]"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "\n\n")
}
