package steering

import (
	"slices"
	"strings"

	"github.com/git-trace/git-trace/records/treetrace"
)

// hallucinated finds calls that read or edit a file which was not there at that moment: the call says so, the snapshot
// of its beginning says so, no call before made it, and the person did not name it. Without a snapshot nothing is said.
func (a *analysis) hallucinated(c *conversation) {
	if c.Known == nil || c.Known.There == nil {
		return
	}
	made := map[string]bool{}
	for _, t := range c.everyTurn() {
		for _, one := range t.calls {
			if one.failed() && one.command == "" && inside(one.file) && notFound(one.output) && !made[one.file] &&
				!c.prompted(t, func(text string) bool { return names(text, one.file) }) {
				if there, asked := c.Known.There(one.id, c.Known.Prompts[t.step], one.file); asked != "" {
					a.doc.Hallucinations.Verified = true
					if !there {
						a.hallucination(t, one, asked)
					}
				}
			}
			for _, ch := range one.changes {
				made[ch.path] = true
			}
		}
	}
}

func (a *analysis) hallucination(t *turn, c *call, asked string) {
	evidence := c.tool + " of " + c.file + ", which was not there: " + oneLine(c.said(), 80)
	a.fail(failure{kind: treetrace.HallucinatedPath, turn: t, confidence: 0.95, subject: c.file, evidence: evidence})
	a.missing(t, treetrace.HallucinatedPath, c.file, evidence, asked, treetrace.ReferenceCheck{
		Type: "reference_existence_check", Task: "Check that a file is there before it is read or edited.", Target: c.file,
	})
}

func (a *analysis) missing(t *turn, category, reference, evidence, asked string, check treetrace.ReferenceCheck) {
	a.doc.Hallucinations.List = append(a.doc.Hallucinations.List, treetrace.Hallucination{
		Category: category, Reference: reference, NodeID: nodeID(t.number), Evidence: evidence, CheckedAt: asked,
		EvalCandidate: check,
	})
}

// prompted reports whether the prompt of a turn, or one of the 1,000 before it, is of a kind.
func (c *conversation) prompted(t *turn, kind func(text string) bool) bool {
	const far = 1000
	upTo := slices.Index(c.turns, t) + 1
	return slices.ContainsFunc(c.turns[max(upTo-far, 0):upTo], func(o *turn) bool { return kind(o.text) })
}

func notFound(output string) bool {
	return containsAny(strings.ToLower(firstLines(output, 10)), "no such file", "does not exist", "doesn't exist",
		"not found", "enoent", "cannot find the file")
}

// names reports whether a text names a file, by its path or its last part.
func names(text, file string) bool {
	return strings.Contains(text, file) || strings.Contains(text, file[strings.LastIndexByte(file, '/')+1:])
}
