package records

import (
	"fmt"
	"slices"

	"github.com/git-trace/git-trace/records/rawjson"
)

// Check lists the faults of a record, one sentence for each; a valid record has none. All records that git-trace makes
// are valid.
func (r *Record) Check() []string { return append(r.CheckForeign(), r.unlinked()...) }

// CheckForeign lists the faults of a record from another program. It accepts observations without a call in their step,
// and several observations of one call: they are kept.
func (r *Record) CheckForeign() []string {
	c := checker{calls: map[string]int{}}
	if r.GenerationIndex < 0 {
		c.fault("generation_index %d is negative", r.GenerationIndex)
	}
	oneOf(&c, "lifecycle", r.Lifecycle, Provisional, Final)
	oneOf(&c, "outcome.signal_confidence", r.Outcome.SignalConfidence, SignalDerived, SignalInferred, SignalAnnotated)
	if r.Outcome.TerminalState != nil {
		oneOf(&c, "outcome.terminal_state", *r.Outcome.TerminalState, GoalReached, Interrupted, Failed, Abandoned)
	}
	for i := range r.Steps {
		c.step(i+1, &r.Steps[i])
	}
	for _, link := range r.GitLinks {
		oneOf(&c, "git_links.tier", link.Tier, TierToolEmitted, TierToolDivergence, TierOverlapping, TierOrphan)
	}
	if rate := r.Metrics.CacheHitRate; rate != nil && (*rate < 0 || *rate > 1) {
		c.fault("metrics.cache_hit_rate %v is not between 0 and 1", *rate)
	}
	if r.Attribution != nil {
		c.attribution(r.Attribution)
	}
	return c.faults
}

type checker struct {
	faults []string
	calls  map[string]int // step with the call, by call id
}

func (c *checker) fault(format string, args ...any) {
	c.faults = append(c.faults, fmt.Sprintf(format, args...))
}

func oneOf[T ~string](c *checker, name string, value T, values ...T) {
	if !slices.Contains(values, value) {
		c.fault("%s is %.40q", name, string(value))
	}
}

func (c *checker) step(want int, s *Step) {
	if s.StepIndex != want {
		c.fault("step %d has the index %d", want, s.StepIndex)
	}
	oneOf(c, fmt.Sprintf("step %d: role", want), s.Role, RoleSystem, RoleUser, RoleAgent)
	if s.CallType != nil {
		oneOf(c, fmt.Sprintf("step %d: call_type", want), *s.CallType, CallMain, CallSubagent, CallWarmup)
	}
	if s.ParentStep != nil && (*s.ParentStep < 1 || *s.ParentStep >= want) {
		c.fault("step %d: parent_step is %d", want, *s.ParentStep)
	}
	for _, call := range s.ToolCalls {
		if before, found := c.calls[call.ToolCallID]; found {
			c.fault("step %d: call %.80q is one of step %d already", want, call.ToolCallID, before)
		}
		c.calls[call.ToolCallID] = want
		d := rawjson.NewDecoder(call.Input)
		if d.Kind() != rawjson.Object {
			c.fault("step %d: input of call %.80q is not an object", want, call.ToolCallID)
		}
	}
	u := s.TokenUsage
	if min(u.InputTokens, u.OutputTokens, u.CacheReadTokens, u.CacheWriteTokens, u.PrefixReuseTokens) < 0 {
		c.fault("step %d: a number of tokens is negative", want)
	}
}

// `unlinked` lists the observations without a call in their step, and the calls with several observations.
func (r *Record) unlinked() []string {
	c := checker{}
	for i := range r.Steps {
		c.links(i+1, &r.Steps[i])
	}
	return c.faults
}

func (c *checker) links(want int, s *Step) {
	own := map[string]bool{}
	for _, call := range s.ToolCalls {
		own[call.ToolCallID] = true
	}
	for _, result := range s.Observations {
		if known, ours := own[result.SourceCallID]; !ours {
			c.fault("step %d: observation of %.80q belongs to no call of the step", want, result.SourceCallID)
		} else if !known {
			c.fault("step %d: call %.80q has two observations", want, result.SourceCallID)
		}
		own[result.SourceCallID] = false
	}
}

func (c *checker) attribution(a *Attribution) {
	for _, file := range a.Files {
		for _, conversation := range file.Conversations {
			for _, r := range conversation.Ranges {
				if r.StartLine < 1 || r.EndLine < r.StartLine {
					c.fault("attribution of %.80q: bad lines %d to %d", file.Path, r.StartLine, r.EndLine)
				}
			}
		}
	}
}
