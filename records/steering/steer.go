package steering

import (
	"slices"
	"strings"

	"github.com/git-trace/git-trace/records/treetrace"
)

// constraintsKept finds constraints that a correction repeats. Then the previous turn did not keep them.
func (a *analysis) constraintsKept(t *turn) {
	p := t.previous
	if t.kind != treetrace.Correction || p == nil {
		return
	}
	for i := range t.constraints {
		c := &t.constraints[i]
		asked := p.saidBefore(c)
		if asked == nil {
			continue
		}
		f := failure{
			kind: treetrace.IgnoredConstraint, turn: p, confidence: 0.84, subject: c.clause, asked: asked, corrector: t,
			byEvidence: t.kindBy == treetrace.ByEvidence,
			evidence:   "said in #" + counted(asked.number) + " and again in #" + counted(t.number) + `: "` + c.clause + `"`,
		}
		if file := c.violatedBy(p, a.words); file != "" {
			f.confidence, f.byEvidence = 0.95, true
			f.evidence += ", changed " + file
		}
		f.byWords = f.confidence < 0.95
		a.fail(f)
	}
}

// saidBefore returns the newest turn that states a constraint, beginning with t; nil if there is none.
func (t *turn) saidBefore(c *constraint) *turn {
	const far = 200
	for n := 0; t != nil && n < far; t, n = t.previous, n+1 {
		for i := range t.constraints {
			if sameKey(t.constraints[i].key, c.key) {
				return t
			}
		}
	}
	return nil
}

// `corrected` compares the words and changes of a correction with the turn that it corrects.
func (a *analysis) corrected(t *turn) {
	if t.kind != treetrace.Correction || t.previous == nil {
		return
	}
	failed := t.correctedTurn()
	if !t.byLines {
		a.takenBack(t, failed)
	}
	for _, cue := range a.words.cues(t.text) {
		f := failure{
			kind: cue.Type, turn: failed, confidence: cue.Confidence, corrector: t,
			byEvidence: t.kindBy == treetrace.ByEvidence && !t.byLines,
			byWords:    true, evidence: "the person wrote: " + oneLine(t.text, maxEvidence),
		}
		switch {
		case cue.Type == treetrace.Underbuilt && t.onlyAdds() && sharesFile(t, failed):
			f.confidence, f.byWords, f.subject = 0.82, false, strings.Join(t.files(), ", ")
		case cue.Type == treetrace.FormatViolation && t.ranFormatter(a.words):
			f.confidence, f.byWords = 0.82, false
		}
		a.fail(f)
	}
}

// hint is the confidence from lines or words alone: it needs a check by a person.
const hint = 0.62

// takenBack judges the lines that a correction removed from the turn that it corrects.
func (a *analysis) takenBack(t, failed *turn) {
	wrote, taken := failed.added(), t.taken[failed]
	deleted := 0
	for _, c := range t.changes {
		if c.deletes && failed.changed(c.path) {
			deleted++
		}
	}
	f := failure{turn: failed, confidence: 0.85, corrector: t, byEvidence: true,
		subject: strings.Join(failed.files(), ", ")}
	switch {
	case wrote < leastLines && deleted < 2:
		return
	case t.added()*10 < taken && (deleted >= 2 || taken*2 >= wrote):
		f.kind = treetrace.Overbuilt
		if deleted > 0 {
			f.kind = treetrace.ScopeDrift
		}
		if !a.words.tooMuch(t.text) { // a clean-up of finished work deletes lines too
			f.confidence = hint
		}
		f.evidence = t.ref() + " only took away: " + counted(taken) + " of " + counted(wrote) + " lines"
	case taken*2 >= wrote && wrote >= leastLines:
		f.kind = treetrace.MisunderstoodGoal
		if !a.words.says(treetrace.MisunderstoodGoal, t.text) { // the person may have named the wrong cause
			f.confidence = hint
		}
		f.evidence = t.ref() + " replaced " + counted(taken) + " of " + counted(wrote) + " lines"
	default:
		return
	}
	a.fail(f)
}

// correctedTurn returns the turn that a correction is about: the nearest earlier turn that shares a file with it or
// whose file it names, otherwise the previous one.
func (t *turn) correctedTurn() *turn {
	const far = 20
	n := 0
	for o := t.previous; o != nil && n < far; o, n = o.previous, n+1 {
		if sharesFile(t, o) || namesFile(t.text, o) {
			return o
		}
	}
	return t.previous
}

func sharesFile(a, b *turn) bool {
	return slices.ContainsFunc(a.changes, func(c *change) bool { return b.changed(c.path) })
}

func namesFile(text string, o *turn) bool {
	return slices.ContainsFunc(o.changes, func(c *change) bool {
		return len(c.path) > 3 &&
			strings.Contains(text, c.path)
	})
}

func (t *turn) onlyAdds() bool {
	return t.added() > 0 && !slices.ContainsFunc(t.changes, func(c *change) bool { return c.removed > 0 || c.deletes })
}

// ranFormatter reports whether the prompt names a formatter and the turn ran it.
func (t *turn) ranFormatter(w *Words) bool {
	said := spaced(t.text)
	for _, c := range t.calls {
		for _, name := range c.names(w) {
			if c.succeeded() && slices.Contains([]string{"gofmt", "goimports", "prettier", "black", "ruff", "rustfmt", "eslint",
				"clang-format", "biome", "yapf"}, name) &&
				strings.Contains(said, " "+strings.ReplaceAll(name, "-", " ")+" ") {
				return true
			}
		}
	}
	return false
}
