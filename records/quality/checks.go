package quality

import (
	"strings"

	"github.com/git-trace/git-trace/records"
)

// check is one question about a record. The field `share` returns the part of the record for which the answer is yes;
// false if the check does not apply.
type check struct {
	id     string
	what   string
	weight float64
	share  func(*facts) (float64, bool)
}

func checksOf(p Persona) []check {
	switch p {
	case Training:
		return training()
	case RL:
		return rl()
	case Analytics:
		return analytics()
	case Domain:
		return domain()
	}
	return nil
}

func training() []check {
	return []check{
		{"T1", "users and model take turns", 1, func(f *facts) (float64, bool) {
			enough := 0.9
			if f.turns {
				enough = 0.5
			}
			return atLeast(f.goodPairs, f.pairs, enough)
		}},
		{"T2", "calls have their results", 1, func(f *facts) (float64, bool) { return atLeast(f.answered, f.calls, 0.95) }},
		{"T3", "results belong to calls", 0.9, func(f *facts) (float64, bool) { return part(f.joined, f.observations) }},
		{"T4", "system prompts are kept once", 0.7, systemPrompts},
		{"T5", "answers say something", 0.8, func(f *facts) (float64, bool) { return atLeast(f.spoken, f.agent, 0.9) }},
		{"T6", "most answers come with their reasoning", 0.8,
			func(f *facts) (float64, bool) { return atLeast(f.reasoned, f.agent, 0.8) }},
		{"T7", "some reasoning is there", 0.5, func(f *facts) (float64, bool) { return yes(f.reasoned > 0), f.agent > 0 }},
		{"T8", "the task is described", 0.6, func(f *facts) (float64, bool) {
			return yes(filled(f.r.Task.Description)),
				true
		}},
		{"T9", "something tells how it ended", 0.7, func(f *facts) (float64, bool) { return yes(grounded(f.r)), true }},
		{"T10", "the filling of caches is called so", 0.5, warmups},
	}
}

func rl() []check {
	return []check{
		{"RL1", "the outcome rests on a fact", 1, func(f *facts) (float64, bool) { return yes(grounded(f.r)), true }},
		{"RL2", "the outcome is trustworthy", 1, func(f *facts) (float64, bool) {
			if f.r.Outcome.SignalConfidence == records.SignalInferred {
				return 0.5, true
			}
			return 1, true
		}},
		{"RL3", "a commit comes with its change", 0.9, func(f *facts) (float64, bool) {
			changed := filled(f.r.Outcome.Patch) || f.r.Attribution != nil && len(f.r.Attribution.Files) > 0
			return yes(changed), f.r.Outcome.Committed
		}},
		{"RL4", "answers have their tokens", 0.8, func(f *facts) (float64, bool) { return part(f.counted, f.agent) }},
		{"RL5", "the cost is known", 0.7, func(f *facts) (float64, bool) {
			cost := f.r.Metrics.EstimatedCostUSD
			return yes(cost != nil && *cost > 0), true
		}},
		{"RL6", "subagents hang where they were started", 0.7,
			func(f *facts) (float64, bool) { return part(f.placed, f.sub) }},
		{"RL7", "success or failure is known", 0.4, func(f *facts) (float64, bool) {
			return yes(f.r.Outcome.Success != nil),
				true
		}},
		{"RL8", "answers name their model", 0.3, func(f *facts) (float64, bool) { return part(f.modelled, f.agent) }},
	}
}

func analytics() []check {
	return []check{
		{"A1", "the hit rate of the cache is known", 1, func(f *facts) (float64, bool) {
			rate := f.r.Metrics.CacheHitRate
			return yes(rate != nil && *rate >= 0 && *rate <= 1), true
		}},
		{"A2", "the cost is known", 0.9, func(f *facts) (float64, bool) {
			return yes(f.r.Metrics.EstimatedCostUSD != nil),
				true
		}},
		{"A3", "the duration is known", 0.8, func(f *facts) (float64, bool) {
			d := f.r.Metrics.TotalDurationS
			return yes(d != nil && *d > 0), true
		}},
		{"A4", "steps have times", 0.7, func(f *facts) (float64, bool) { return part(f.stamped, len(f.r.Steps)) }},
		{"A5", "tokens in and out are told apart", 0.8, func(f *facts) (float64, bool) {
			m := &f.r.Metrics
			return yes(m.TotalInputTokens+m.TotalCacheReadTokens+m.TotalCacheCreationTokens > 0 && m.TotalOutputTokens > 0), true
		}},
		{"A6", "the model is known", 0.6, func(f *facts) (float64, bool) { return yes(filled(f.r.Agent.Model)), true }},
		{"A7", "the number of steps is right", 0.5, func(f *facts) (float64, bool) {
			return yes(f.r.Metrics.TotalSteps == len(f.r.Steps)), true
		}},
		{"A8", "the filling of caches is called so", 0.4, warmups},
	}
}

func domain() []check {
	return []check{
		{"D1", "the languages are known", 1, func(f *facts) (float64,
			bool) {
			return yes(len(f.r.Environment.LanguageEcosystem) > 0), true
		}},
		{"D2", "the dependencies are known", 0.9, func(f *facts) (float64, bool) {
			return yes(len(f.r.Dependencies) > 0),
				true
		}},
		{"D3", "the task is told in words", 0.8, func(f *facts) (float64, bool) {
			const fewest = 10
			return yes(filled(f.r.Task.Description) && len(strings.TrimSpace(*f.r.Task.Description)) > fewest), true
		}},
		{"D4", "version control is known", 0.7, func(f *facts) (float64, bool) {
			vcs := &f.r.Environment.VCS
			return yes(vcs.Type == records.VCSGit || vcs.Type == records.VCSJJ), true
		}},
		{"D5", "code names its language", 0.6, func(f *facts) (float64, bool) { return part(f.languages, f.snippets) }},
		{"D6", "edits come with their lines", 0.5, func(f *facts) (float64, bool) {
			return yes(f.r.Attribution != nil && len(f.r.Attribution.Files) > 0), f.snippets > 0
		}},
		{"D7", "agent and version are known", 0.5, func(f *facts) (float64, bool) {
			return yes(f.r.Agent.Name != "" && filled(f.r.Agent.Version)), true
		}},
		{"D8", "the operating system is known", 0.3, func(f *facts) (float64, bool) {
			return yes(filled(f.r.Environment.OS)),
				true
		}},
	}
}

func yes(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// part returns n/of; false if there is nothing to count.
func part(n, of int) (float64, bool) {
	if of == 0 {
		return 0, false
	}
	return float64(n) / float64(of), true
}

// atLeast does the same as part, but a share of at least `enough` counts as 1.
func atLeast(n, of int, enough float64) (float64, bool) {
	share, applies := part(n, of)
	if share >= enough {
		share = 1
	}
	return share, applies
}

// `grounded` reports whether the outcome contains more than the fact that there was one.
func grounded(r *records.Record) bool {
	o := &r.Outcome
	return o.Success != nil || o.Committed || o.TerminalState != nil || o.Reward != nil
}

// systemPrompts checks that each system prompt is stored once, and that each prompt that steps refer to is stored.
func systemPrompts(f *facts) (float64, bool) {
	named, missing := map[string]bool{}, 0
	for i := range f.r.Steps {
		if hash := f.r.Steps[i].SystemPromptHash; hash != nil && !named[*hash] {
			named[*hash] = true
			if _, found := f.r.SystemPrompts[*hash]; !found {
				missing++
			}
		}
	}
	texts, repeated := map[string]bool{}, 0
	for _, text := range f.r.SystemPrompts {
		if texts[text] {
			repeated++
		}
		texts[text] = true
	}
	all := len(named) + len(f.r.SystemPrompts)
	return 1 - float64(missing+repeated)/float64(max(all, 1)), all > 0
}

func warmups(f *facts) (float64, bool) { return part(f.labelled, f.warm) }
