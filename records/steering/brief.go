package steering

import (
	"maps"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/records"

	"github.com/git-trace/git-trace/records/treetrace"
)

// brief collects facts about a conversation for the next agent.
func (a *analysis) brief(c *conversation, failures []*failure) {
	b := &a.doc.Brief
	if next, decided := c.open(a.words); decided {
		b.Next = next
	}
	for _, t := range c.nodes() {
		if b.Goal == "" && t.kind == treetrace.Root && !t.abandoned {
			b.Goal = t.text
		}
		if !t.abandoned && len(t.constraints) > 0 {
			a.said = append(a.said, t.constraints)
		}
		if !t.abandoned && (t.kind == treetrace.Direction || t.kind == treetrace.ScopeChange ||
			t.kind == treetrace.Correction) && t.stands() {
			b.Decisions = append(b.Decisions, t.ref()+" "+titleOf(t.text, a.words))
		}
		for _, c := range t.changes {
			if c.patch != nil && c.patch.Fate != nil && c.patch.Fate.Uncommitted > 0 && !slices.Contains(b.Uncommitted, c.path) {
				b.Uncommitted = append(b.Uncommitted, c.path)
			}
		}
	}
	for _, f := range failures {
		if f.kind == treetrace.AbandonedPath {
			end := "never committed"
			if commits := f.turn.commits(); len(commits) > 0 {
				end = "last in commit " + commits[len(commits)-1]
			}
			b.DeadEnds = append(b.DeadEnds, f.turn.ref()+" "+titleOf(f.turn.text, a.words)+" ("+end+")")
		}
	}
	b.Failing = append(b.Failing, c.failing()...)
	for i := range c.Record.Steps {
		if records.Value(c.Record.Steps[i].ReasoningContent) != "" {
			b.Thinking++
		}
	}
}

// `stands` reports whether the turn's work still exists: some of its lines are alive or, if that is unknown, the turn
// changed a file.
func (t *turn) stands() bool {
	if sum := t.lines(); sum != nil {
		return sum.Alive > 0
	}
	return t.changedAny()
}

func (t *turn) changedAny() bool {
	return slices.ContainsFunc(t.changes, func(c *change) bool { return c.added+c.removed > 0 || c.deletes })
}

// failing returns the commands whose last run failed, the newest last.
func (c *conversation) failing() []string {
	last := map[string]int{} // key: command; index of its last run, if that run failed
	for i, one := range c.all {
		line := oneLine(normalCommand(one.command), 120)
		switch {
		case line == "" || one.declined:
		case one.failed():
			last[line] = i
		default:
			delete(last, line)
		}
	}
	const most = 10
	out := slices.SortedFunc(maps.Keys(last), func(a, b string) int { return last[a] - last[b] })
	return out[max(len(out)-most, 0):]
}

// allConstraints returns the newest constraints of all counted prompts, without repetitions. Of equal clauses, the
// longest is kept.
func (a *analysis) allConstraints() []string {
	const most = 10
	var kept []constraint
	for _, said := range slices.Backward(a.said) {
		for _, c := range said {
			at := slices.IndexFunc(kept, func(k constraint) bool { return sameKey(k.key, c.key) })
			switch {
			case at < 0 && len(kept) < most:
				kept = append(kept, c)
			case at >= 0 && len(c.clause) > len(kept[at].clause):
				kept[at] = c
			}
		}
	}
	out := []string{}
	for _, c := range slices.Backward(kept) {
		head := []rune(c.clause)
		out = append(out, strings.ToUpper(string(head[:1]))+string(head[1:]))
	}
	return out
}

// open returns the newest instruction whose work is not in a commit; "" if the conversation ended with a checkpoint or
// nothing is left to do. The result `decided` is false if the conversation does not show this.
func (c *conversation) open(words *Words) (instruction string, decided bool) {
	const least = 12
	for _, t := range slices.Backward(c.nodes()) {
		switch {
		case t.abandoned || t.step == 0:
			continue
		case t.kind == treetrace.Checkpoint || t.kind == treetrace.Question && t.stands():
			return "", true
		case t.kind == treetrace.Question || len([]rune(t.text)) < least || words.acknowledges(t.text) ||
			words.accepts(t.text):
			continue
		case len(t.commits()) > 0 || t.makesCommit():
			return "", true
		}
		return titleOf(t.text, words), true
	}
	return "", false
}
