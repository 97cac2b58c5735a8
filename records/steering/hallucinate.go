package steering

import (
	"strings"

	"github.com/git-trace/git-trace/records/treetrace"
)

// hallucinated finds calls that read or edit a file which was not there at that moment: the call says so, the snapshot
// of its beginning says so, no call before made it, and the person did not name it. Without a snapshot nothing is said.
func (a *analysis) hallucinated(c *conversation) {
	if c.Known == nil || c.Known.There == nil {
		return
	}
	made, named := map[string]bool{}, ""
	for _, t := range c.everyTurn() {
		named += "\n" + t.text
		if len(named) > 1<<20 {
			named = named[len(named)-1<<19:]
		}
		for _, one := range t.calls {
			if one.failed() && one.command == "" && inside(one.file) && notFound(one.output) && !made[one.file] &&
				!names(named, one.file) {
				if there, asked := c.Known.There(one.id, c.Known.Prompts[t.step], one.file); asked != "" {
					a.verified = true
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
	a.missing = append(a.missing, treetrace.Hallucination{
		Category: treetrace.HallucinatedPath, Reference: c.file, NodeID: nodeID(t.number), Evidence: evidence,
		CheckedAt: asked,
		EvalCandidate: treetrace.ReferenceCheck{
			Type: "reference_existence_check", Task: "Check that a file is there before it is read or edited.", Target: c.file,
		},
	})
}

func notFound(output string) bool {
	return containsAny(strings.ToLower(firstLines(output, 10)), "no such file", "does not exist", "doesn't exist",
		"not found", "enoent", "cannot find the file")
}

// names tells whether a text names a file, by its path or its last part.
func names(text, file string) bool {
	return strings.Contains(text, file) || strings.Contains(text, file[strings.LastIndexByte(file, '/')+1:])
}
