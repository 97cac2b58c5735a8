package steering

import (
	"strings"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/treetrace"
)

// maxEvidence is the greatest length of evidence, in characters.
const maxEvidence = 160

// `reject` records a rejection in the turn.
func (t *turn) reject(kind, source string, confidence float64, c *call, at *string, evidence string) {
	r := treetrace.Rejection{Kind: kind, Source: source, Confidence: confidence, TS: at}
	if evidence != "" {
		r.Evidence = new(oneLine(evidence, maxEvidence))
	}
	if c != nil {
		r.ToolUseID, r.Tool = new(c.id), new(c.tool) // copies, so that the call can be freed
	}
	t.rejections = append(t.rejections, r)
}

// rejectCalls records the calls of a step that were declined, denied or failed. Each call has at most one rejection.
func (t *turn) rejectCalls(s *records.Step) {
	t.stopped = false
	for _, c := range t.calls {
		if c.step != s.StepIndex {
			continue
		}
		switch {
		case c.declined && byRule(c.output):
			t.reject(treetrace.PermissionDenied, treetrace.FromResult, 0.9, c, c.at, evidenceOf(c))
		case c.declined:
			t.reject(treetrace.UserDeclinedTool, treetrace.FromResult, 1, c, c.at, c.what()+" → declined"+reason(c.output))
			t.stopped = true
		case c.failure == records.ErrorInterrupted:
			t.reject(treetrace.UserInterrupt, treetrace.FromResult, 1, c, c.at, evidenceOf(c))
			t.stopped = true
		case !c.failed():
		case forbidden(c.said()):
			t.reject(treetrace.PermissionDenied, treetrace.FromResult, 0.9, c, c.at, evidenceOf(c))
		case c.failure == records.ErrorTool:
			t.reject(treetrace.ToolError, treetrace.FromResult, 0.9, c, c.at, evidenceOf(c))
		default:
			t.reject(treetrace.ToolError, treetrace.FromResult, 1, c, c.at, evidenceOf(c))
		}
	}
}

// reason returns the person's words when they declined a call, as clients pass them on.
func reason(output string) string {
	_, said, found := strings.Cut(output, "the user said:")
	if !found {
		return ""
	}
	return ", " + strings.TrimSpace(said)
}

func evidenceOf(c *call) string {
	said := c.said()
	if said == "" {
		said = c.failure
	}
	return c.what() + " → " + said
}

// byRule reports whether a hook or a permission rule declined the call, and not the person.
func byRule(output string) bool {
	return containsAny(strings.ToLower(firstLines(output, 10)), "hook", "permission to use", "denied by", "not allowed by",
		"permission mode", "sandbox")
}

// forbidden reports whether the system refused a call: one of the first lines of its output begins or ends with an
// error such as "permission denied", or names the error. A missing command is not a refusal, nor is a line about
// permissions in a file.
func forbidden(said string) bool {
	for line := range strings.Lines(strings.ToLower(firstLines(said, 10))) {
		line = strings.TrimRight(line, " .)\r\n")
		for _, end := range [...]string{"permission denied", "operation not permitted", "access is denied"} {
			if strings.HasSuffix(line, end) || strings.HasPrefix(line, end) {
				return true
			}
		}
		if containsAny(line, "eacces:", "eperm:", "(publickey") {
			return true
		}
	}
	return false
}

func containsAny(text string, list ...string) bool {
	for _, one := range list {
		if strings.Contains(text, one) {
			return true
		}
	}
	return false
}

// rejectText records a prompt that declines the work of the previous turn. With words alone the confidence is 0.8. If
// the previous turn was stopped, or this turn removed lines of it, the confidence is 0.95.
func (t *turn) rejectText(w *Words) {
	if t.previous == nil || len([]rune(t.text)) > 240 || !w.declines(t.text) {
		return
	}
	confidence := 0.8
	if t.previous.stopped || t.taken[t.previous] > 0 {
		confidence = 0.95
	}
	t.reject(treetrace.UserTextDecline, treetrace.FromText, confidence, nil, t.at, t.text)
}

// rejectAnswer records an answer that is a refusal: it is short, has the phrase at its beginning, and the turn has no
// call.
func (t *turn) rejectAnswer(w *Words) {
	const longest, within = 600, 200
	if len(t.calls) > 0 || t.answer == "" || len([]rune(t.answer)) > longest || !w.refuses(cut(t.answer, within)) {
		return
	}
	for _, r := range t.rejections {
		if r.Kind == treetrace.ModelRefusal {
			return
		}
	}
	t.reject(treetrace.ModelRefusal, treetrace.FromHeuristic, 0.7, nil, t.at, t.answer)
}
