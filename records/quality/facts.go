package quality

import (
	"encoding/json"
	"strings"

	"github.com/git-trace/git-trace/records"
)

// facts holds the counts on which the checks are based.
type facts struct {
	r *records.Record

	pairs, goodPairs     int // neighbouring steps of the main conversation, and the pairs in a possible order
	agent                int // steps of the model
	spoken               int // answers with text, thinking or calls
	reasoned             int // number of answers with thinking
	counted              int // number of answers with tokens
	modelled             int // number of answers with a model
	stamped              int // steps with a time
	calls, answered      int
	observations, joined int
	sub, placed          int // steps of subagents, and the number of them that follow their parent
	warm, labelled       int // steps that look like cache warm-ups, and steps with that label
	snippets, languages  int
	turns                bool // a step is a turn of the conversation, not a model call
}

func gather(r *records.Record) *facts {
	f := &facts{r: r}
	var fidelity string
	_ = json.Unmarshal(r.Metadata["step_fidelity"], &fidelity)
	f.turns = fidelity == "conversation_turn"
	var before *records.Step
	for i := range r.Steps {
		s := &r.Steps[i]
		f.step(s)
		if s.CallType != nil && *s.CallType != records.CallMain || s.Role == records.RoleSystem {
			continue
		}
		if before != nil {
			f.pairs++
			if follows(before, s) {
				f.goodPairs++
			}
		}
		before = s
	}
	return f
}

// `follows` reports whether a step may come after another: an answer after a prompt, and an answer after another answer
// only if that had calls.
func follows(before, s *records.Step) bool {
	if before.Role == records.RoleAgent && s.Role == records.RoleAgent {
		return len(before.ToolCalls) > 0
	}
	return before.Role != s.Role
}

func (f *facts) step(s *records.Step) {
	if filled(s.Timestamp) {
		f.stamped++
	}
	if s.CallType != nil && *s.CallType == records.CallSubagent {
		f.sub++
		if s.ParentStep != nil && *s.ParentStep >= 1 && *s.ParentStep < s.StepIndex {
			f.placed++
		}
	}
	for _, snippet := range s.Snippets {
		f.snippets++
		if filled(snippet.Language) {
			f.languages++
		}
	}
	f.results(s)
	if s.Role != records.RoleAgent {
		return
	}
	f.agent++
	says := filled(s.Content) || len(s.ToolCalls) > 0
	if says || filled(s.ReasoningContent) {
		f.spoken++
	}
	if filled(s.ReasoningContent) {
		f.reasoned++
	}
	if s.TokenUsage != (records.TokenUsage{}) {
		f.counted++
	}
	if filled(s.Model) {
		f.modelled++
	}
	const fewTokens = 10
	if isWarmup := s.CallType != nil && *s.CallType == records.CallWarmup; isWarmup || !says &&
		s.TokenUsage.OutputTokens <= fewTokens {
		f.warm++
		if isWarmup {
			f.labelled++
		}
	}
}

func (f *facts) results(s *records.Step) {
	own := map[string]bool{}
	for _, call := range s.ToolCalls {
		f.calls++
		own[call.ToolCallID] = true
	}
	for _, o := range s.Observations {
		f.observations++
		if !own[o.SourceCallID] {
			continue
		}
		f.joined++
		if o.Error == nil || *o.Error != records.ErrorNoResult {
			f.answered++
		}
	}
}

func filled(text *string) bool { return text != nil && strings.TrimSpace(*text) != "" }
