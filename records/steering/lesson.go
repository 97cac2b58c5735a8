package steering

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/git-trace/git-trace/records/treetrace"
)

// lesson is the lesson from failures of one type about one subject.
type lesson struct {
	id       string
	failures []*failure
}

// titles maps each type of failure to the title of its lesson, with the name of the eval.
var titles = sync.OnceValue(func() map[string]struct{ title, eval string } {
	return map[string]struct{ title, eval string }{
		treetrace.IgnoredConstraint:  {"Preserve explicit constraints", "constraint_preservation"},
		treetrace.MisunderstoodGoal:  {"Re-check the actual goal", "instruction_following_regression"},
		treetrace.ScopeDrift:         {"Keep scope boundaries durable", "scope_drift_detection"},
		treetrace.WrongToolChoice:    {"Choose tools from the repo context", "tool_choice_regression"},
		treetrace.HallucinatedPath:   {"Verify files and APIs before acting", "instruction_following_regression"},
		treetrace.RepeatedFailedFix:  {"Break repeated fix loops", "instruction_following_regression"},
		treetrace.Overbuilt:          {"Avoid overbuilding beyond the requested shape", "scope_drift_detection"},
		treetrace.Underbuilt:         {"Do not skip required scope", "instruction_following_regression"},
		treetrace.SecurityRisk:       {"Treat privacy boundaries as product requirements", "privacy_boundary_preservation"},
		treetrace.DependencyMismatch: {"Respect the local environment", "tool_choice_regression"},
		treetrace.FormatViolation:    {"Preserve requested output formats", "constraint_preservation"},
		treetrace.Frustration:        {"Escalate when user frustration appears", "instruction_following_regression"},
		treetrace.AbandonedPath:      {"Avoid abandoned paths unless explicitly revived", "correction_adherence"},
		treetrace.UserRejected:       {"Confirm proposed actions before executing", "tool_permission_regression"},
		treetrace.ToolFailed:         {"Validate tool inputs before executing", "tool_error_recovery"},
		treetrace.ModelRefused:       {"Rephrase refused requests instead of repeating them", "refusal_handling"},
		treetrace.Denied:             {"Pre-flight check filesystem and shell permissions", "tool_permission_regression"},
		treetrace.HumanRewrite:       {"Learn from what people rewrite", "instruction_following_regression"},
	}
})

// findLessons makes one lesson from all failures of a type about a subject. It keeps at most five lessons for each
// type: the surest, most frequent and newest.
func (a *analysis) findLessons() {
	const most = 5
	type key struct{ kind, subject string }
	found := map[key]*lesson{}
	var all []*lesson
	for _, f := range a.failures {
		if f.subject == "" || f.confidence < 0.65 {
			continue
		}
		k := key{f.kind, f.subject}
		if found[k] == nil {
			found[k] = &lesson{}
			all = append(all, found[k])
		}
		found[k].failures = append(found[k].failures, f)
	}
	best := slices.Clone(all)
	slices.SortStableFunc(best, func(x, y *lesson) int {
		return cmp.Or(cmp.Compare(y.confidence(), x.confidence()), cmp.Compare(len(y.failures), len(x.failures)),
			cmp.Compare(y.newest(), x.newest()))
	})
	count, kept := map[string]int{}, map[*lesson]bool{}
	for _, l := range best {
		if kind := l.failures[0].kind; count[kind] < most {
			count[kind]++
			kept[l] = true
		}
	}
	for _, l := range all {
		if !kept[l] {
			continue
		}
		a.lessons = append(a.lessons, l)
		l.id = fmt.Sprintf("lesson_%03d", len(a.lessons))
	}
}

func (l *lesson) confidence() float64 {
	best := 0.0
	for _, f := range l.failures {
		best = max(best, f.confidence)
	}
	return best
}

func (l *lesson) newest() int { return l.failures[len(l.failures)-1].turn.number }

// nodes returns the ids of the prompts that the lesson comes from.
func (l *lesson) nodes() []string {
	var out []string
	seen := map[string]bool{}
	for _, f := range l.failures {
		for _, id := range f.nodeIDs() {
			if !seen[id] {
				out = append(out, id)
			}
			seen[id] = true
		}
	}
	return out
}

func (f *failure) nodeIDs() []string {
	out := []string{nodeID(f.turn.number)}
	for _, t := range []*turn{f.corrector, f.resolved} {
		if t != nil && !slices.Contains(out, nodeID(t.number)) {
			out = append(out, nodeID(t.number))
		}
	}
	return out
}

// text returns the advice, the event behind it and the evidence.
func (l *lesson) text() string {
	f := l.failures[len(l.failures)-1]
	quoted := "`" + f.subject + "`"
	var what string
	switch f.kind {
	case treetrace.IgnoredConstraint:
		what = fmt.Sprintf("Keep to “%s”: asked for in %s, not kept in %s", f.subject, f.asked.ref(), f.turn.ref())
		if files := f.takenFiles(); len(files) > 0 {
			what += " (" + strings.Join(files, ", ") + ")"
		}
	case treetrace.UserRejected:
		what = "Ask before " + quoted + ": it was declined in " + f.turn.ref()
		if f.reason != "" {
			what += " (“" + oneLine(f.reason, 160) + "”)"
		}
	case treetrace.Denied:
		what = "Do not count on " + quoted + ": it was denied in " + f.turn.ref()
	case treetrace.ToolFailed:
		what = quoted + " failed in " + f.turn.ref()
	case treetrace.RepeatedFailedFix:
		what = "Look for the cause before the next edit: " + quoted + " failed three times with edits between, up to " +
			f.turn.ref()
	case treetrace.DependencyMismatch:
		what = "Check that " + quoted + " is installed before it is used: it was missing in " + f.turn.ref()
	case treetrace.AbandonedPath:
		what = "Do not take this up again unless it is asked for: " + quoted + ", abandoned in " + f.turn.ref()
	case treetrace.HallucinatedPath:
		if f.aPackage {
			what = "Look whether a package exists before it is installed: no registry has " + quoted + ", tried in " +
				f.turn.ref()
			break
		}
		what = "Look whether a file is there before it is used: " + quoted + " was not, in " + f.turn.ref()
	case treetrace.HumanRewrite:
		what = "People rewrite " + quoted + ": " + f.evidence + " after " + f.turn.ref()
	case treetrace.SecurityRisk:
		what = "Do not repeat this: " + f.evidence + ", in " + f.turn.ref()
	case treetrace.WrongToolChoice:
		what = "Do not choose " + quoted + " here: " + f.evidence
	default:
		what = "What " + f.turn.ref() + " made of " + quoted + " was not wanted: " + f.evidence
	}
	return oneLine(what+f.outcome(), 600) + "."
}

// outcome names the turn that corrected a failure, and the prompt after which the failure no longer occurred.
func (f *failure) outcome() string {
	out := ""
	if f.corrector != nil {
		out = ", corrected in " + f.corrector.ref()
		if len(f.takenFiles()) > 0 {
			out = ", taken back in " + f.corrector.ref()
		}
	}
	switch {
	case f.resolved != nil && f.resolvedBy == treetrace.ByEvidence:
		out += ", gone since " + f.resolved.ref()
	case (f.kind == treetrace.ToolFailed || f.kind == treetrace.RepeatedFailedFix) && f.command != "" && f.resolved == nil:
		out += ", and was not seen to succeed since"
	}
	return out
}

// takenFiles returns the files that the failing turn made and the correction deleted, if the failure is of a type to
// which this matters.
func (f *failure) takenFiles() []string {
	var out []string
	switch f.kind {
	case treetrace.IgnoredConstraint, treetrace.ScopeDrift, treetrace.Overbuilt, treetrace.MisunderstoodGoal,
		treetrace.WrongToolChoice:
	default:
		return nil
	}
	if f.corrector == nil {
		return nil
	}
	for _, c := range f.corrector.changes {
		if c.deletes && slices.ContainsFunc(f.turn.changes, func(p *change) bool { return p.path == c.path && p.creates }) {
			out = append(out, c.path)
		}
	}
	return out
}

// ref returns a turn's name for people.
func (t *turn) ref() string { return cmp.Or(t.name, "#"+counted(t.number)) }

func nodeID(number int) string { return fmt.Sprintf("node_%03d", number) }
