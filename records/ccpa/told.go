package ccpa

import (
	"slices"
	"strings"

	"github.com/git-trace/git-trace/records"
)

// stopWords lists the reasons that the format has words for.
var stopWords = []string{"end_turn", "max_tokens", "stop_sequence", "tool_use"}

// stopOf returns the reason why an answer ended: the session file's reason if the format has a word for it, otherwise
// the usual reason.
func stopOf(s *records.Step, told map[int]string) string {
	if reason := told[s.StepIndex]; slices.Contains(stopWords, reason) {
		return reason
	}
	return records.UsualStop(len(s.ToolCalls))
}

// decisions maps the outcomes of hooks to the format's decisions. The format cannot express hooks that only started, or
// the output of hooks.
var decisions = map[string]struct {
	decision string
	exitCode int64 // used if the client reports none
}{
	"success":              {"allow", 0},
	"non_blocking_error":   {"warn", 1},
	"cancelled":            {"warn", 1},
	"blocking_error":       {"block", 2},
	"stopped_continuation": {"block", 2},
}

// hookRun decodes the run of a hook after a step.
func hookRun(l *line, after int) records.HookRun {
	run := records.HookRun{After: after, Event: l.event, Name: l.event}
	if l.matcher != "" {
		run.Name += ":" + l.matcher
	}
	for _, outcome := range [...]string{"success", "non_blocking_error", "blocking_error"} {
		if decisions[outcome].decision == l.decision {
			run.Outcome = outcome
		}
	}
	return run
}

// hooksAfter returns the hooks that ran, by the step before them.
func hooksAfter(r *records.Record) map[int][]records.HookRun {
	out := map[int][]records.HookRun{}
	for _, run := range r.Hooks() {
		if _, ended := decisions[run.Outcome]; ended && run.Event != "" {
			out[run.After] = append(out[run.After], run)
		}
	}
	return out
}

func hookEvent(turn int, run records.HookRun) []byte {
	means := decisions[run.Outcome]
	o := begin(HookEvent, false, turn)
	o.Text("event", run.Event)
	if _, matcher, found := strings.Cut(run.Name, ":"); found {
		o.Text("matcher", matcher)
	}
	o.Text("decision", means.decision)
	if run.ExitCode != nil {
		means.exitCode = *run.ExitCode
	}
	o.Number("exit_code", means.exitCode)
	return o.End()
}
