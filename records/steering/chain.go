package steering

import (
	"slices"

	"github.com/git-trace/git-trace/records/treetrace"
)

// chain connects a failing turn with its correction.
type chain struct {
	failure    *failure
	failures   []*failure // all failures of the turn with the same correction
	correction *turn
	resolved   *turn
	resolvedBy string
}

// weight orders the types of failures: a chain takes the first of its types. The person's corrections come first, then
// failed calls.
var weight = []string{
	treetrace.IgnoredConstraint, treetrace.ScopeDrift, treetrace.Overbuilt, treetrace.WrongToolChoice,
	treetrace.Underbuilt, treetrace.MisunderstoodGoal,
	treetrace.RepeatedFailedFix, treetrace.HallucinatedPath, treetrace.SecurityRisk, treetrace.FormatViolation,
	treetrace.HumanRewrite,
	treetrace.DependencyMismatch, treetrace.UserRejected, treetrace.Denied, treetrace.ToolFailed, treetrace.ModelRefused,
	treetrace.AbandonedPath,
	treetrace.Frustration,
}

// findChains finds the prompt that corrected each failure, and the prompt after which the failure no longer occurred.
func findChains(conv *conversation, failures []*failure, words *Words) []*chain {
	if len(failures) == 0 {
		return nil
	}
	var out []*chain
	r := readRepairs(conv, failures)
	pairs := map[[2]*turn]*chain{}
	for _, f := range failures {
		if f.turn.abandoned || f.turn.step == 0 {
			continue
		}
		if f.corrector == nil {
			f.corrector = r.of(f)
			f.byEvidence = f.corrector != nil
		}
		if f.corrector == nil || f.corrector == f.turn {
			f.corrector = nil
			continue
		}
		key := [2]*turn{f.turn, f.corrector}
		c := pairs[key]
		if c == nil {
			c = &chain{failure: f, correction: f.corrector}
			pairs[key] = c
			out = append(out, c)
		}
		c.failures = append(c.failures, f)
		if slices.Index(weight, f.kind) < slices.Index(weight, c.failure.kind) {
			c.failure = f
		}
	}
	for _, c := range out {
		c.resolve(r, words)
		for _, f := range c.failures {
			f.resolved, f.resolvedBy = c.resolved, c.resolvedBy
		}
	}
	return out
}

// repairs holds the facts that show which turn corrected a failure.
type repairs struct {
	ran     map[string][]*turn // turns in which a command succeeded, by command
	takers  map[*turn]*turn    // first correction that removed some lines of a turn, by turn
	follows map[*turn]*turn    // next prompt, by turn
	failed  map[*turn]bool     // turns that were corrected again
	commits []*turn            // turns with a call that made a commit
}

func readRepairs(c *conversation, failures []*failure) *repairs {
	r := &repairs{ran: map[string][]*turn{}, takers: map[*turn]*turn{}, follows: map[*turn]*turn{},
		failed: map[*turn]bool{}}
	for _, t := range c.turns {
		if t.previous != nil && r.follows[t.previous] == nil {
			r.follows[t.previous] = t
		}
		if t.makesCommit() && !t.abandoned {
			r.commits = append(r.commits, t)
		}
		for o := range t.taken {
			if r.takers[o] == nil && t.kind == treetrace.Correction {
				r.takers[o] = t
			}
		}
		for _, one := range t.calls {
			if line := normalCommand(one.command); line != "" && one.succeeded() {
				if list := r.ran[line]; len(list) == 0 || list[len(list)-1] != t {
					r.ran[line] = append(list, t)
				}
			}
		}
	}
	for _, f := range failures {
		if f.corrector != nil {
			r.failed[f.turn] = true
		}
	}
	return r
}

// `of` returns the turn that corrected a failure. After a declined call or an interruption, it is the next prompt.
// After a failed command, it is the turn in which the command succeeded. Otherwise it is the correction that replaced
// the lines of the failing turn.
func (r *repairs) of(f *failure) *turn {
	switch f.kind {
	case treetrace.UserRejected:
		if next := r.follows[f.turn]; next != nil && f.turn.stopped {
			return next
		}
		return nil
	case treetrace.ToolFailed, treetrace.DependencyMismatch, treetrace.RepeatedFailedFix:
		if f.command == "" {
			return nil
		}
		return atOrAfter(r.ran[f.command], r.follows[f.turn])
	case treetrace.Denied, treetrace.ModelRefused:
		return nil
	}
	return r.takers[f.turn]
}

// atOrAfter returns the first turn of a list that is t or later than t; nil if there is none.
func atOrAfter(list []*turn, t *turn) *turn {
	if t == nil {
		return nil
	}
	at := slices.IndexFunc(list, func(o *turn) bool { return o.number >= t.number })
	if at < 0 {
		return nil
	}
	return list[at]
}

// resolve finds the turn after which the failure no longer occurred. Its command succeeded, or the lines that replaced
// the wrong lines were committed, are alive and were not corrected again. The words of a prompt are used only if there
// is no such evidence.
func (c *chain) resolve(r *repairs, words *Words) {
	for _, f := range c.failures {
		for _, t := range r.ran[f.command] {
			if f.command != "" && t.number >= c.correction.number {
				c.resolved, c.resolvedBy = t, treetrace.ByEvidence
				return
			}
		}
	}
	if sum := c.correction.lines(); sum != nil {
		if sum.Alive > 0 && sum.Alive > sum.Uncommitted && !r.failed[c.correction] {
			c.resolved, c.resolvedBy = firstTurn(atOrAfter(r.commits, c.correction), c.correction), treetrace.ByEvidence
		}
		return
	}
	next := r.follows[c.correction]
	if next != nil && next.branch == c.correction.branch && words.accepts(next.text) && !next.makesCommit() &&
		!r.failed[c.correction] {
		c.resolved, c.resolvedBy = next, treetrace.ByWords
	}
}

func (t *turn) makesCommit() bool {
	return slices.ContainsFunc(t.calls, func(c *call) bool {
		return c.succeeded() && slices.ContainsFunc(simpleCommands(c.command),
			func(words []string) bool { return words[0] == "git" && gitVerb(words[1:]) == "commit" })
	})
}

func (c *chain) confidence() string {
	for _, f := range c.failures {
		if f.byEvidence {
			return "high"
		}
	}
	return "medium"
}

// `written` reports whether the document contains the chain. A chain with words as its only evidence must share a file.
func (c *chain) written() bool {
	return c.confidence() == "high" || sharesFile(c.correction, c.failure.turn)
}
