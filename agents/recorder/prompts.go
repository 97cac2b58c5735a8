package recorder

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/redact"
)

// promptsMember is the metadata member with the step of each prompt in the log: an object from prompt numbers to step
// numbers.
const promptsMember = "prompts"

// PromptSteps returns the step of each prompt of the log in a record, by prompt number.
func PromptSteps(r *records.Record) map[int]int {
	var out map[int]int
	if json.Unmarshal(r.Metadata[promptsMember], &out) != nil {
		return nil
	}
	return out
}

// matcher finds the steps of the prompts whose texts are kept, by their text before redaction. If a text was typed
// several times, it belongs to several steps, in order.
type matcher struct {
	kept  map[int]string
	order []int
	found map[int]int    // the step by prompt number
	times map[string]int // the steps of prompts by time
}

func newMatcher(prompts Prompts, trace events.TraceID) (*matcher, error) {
	m := &matcher{found: map[int]int{}, times: map[string]int{}}
	if prompts == nil {
		return m, nil
	}
	kept, err := prompts.List(trace)
	if err != nil {
		return nil, err
	}
	m.kept = kept
	for index := range kept {
		m.order = append(m.order, index)
	}
	slices.Sort(m.order)
	return m, nil
}

// `see` matches a step before it is redacted.
func (m *matcher) see(step *records.Step) {
	if step.Role != records.RoleUser || step.Content == nil || step.ParentStep != nil {
		return
	}
	if step.Timestamp != nil {
		if _, taken := m.times[*step.Timestamp]; !taken {
			m.times[*step.Timestamp] = step.StepIndex
		}
	}
	for prompt, at := range m.found { // the step replaces one of an earlier reading
		if at == step.StepIndex {
			delete(m.found, prompt)
		}
	}
	content := strings.TrimSpace(*step.Content)
	for _, index := range m.order {
		if _, taken := m.found[index]; !taken && sameText(m.kept[index], content) {
			m.found[index] = step.StepIndex
			return
		}
	}
}

// sameText reports whether a prompt in the session file is the text that a hook received, or the arguments of the
// command in that text.
func sameText(typed, content string) bool {
	typed = strings.TrimSpace(typed)
	if typed == content {
		return true
	}
	if !strings.HasPrefix(typed, "/") {
		return false
	}
	_, arguments, found := strings.Cut(typed, " ")
	return found && strings.TrimSpace(arguments) == content && content != ""
}

// dropPrompts deletes the prompt texts that the stored record contains. A text that cannot be deleted remains until the
// next run.
func (w *work) dropPrompts() {
	if w.matcher == nil || w.Prompts == nil {
		return
	}
	for index := range w.matcher.found {
		_ = w.Prompts.Drop(w.session.Trace, index)
	}
}

// watch is a sink that passes steps to the matcher and the callBook before they are redacted.
type watch struct {
	*redact.Sink
	matcher *matcher
	calls   *callBook
	last    int
}

// Step passes a step to the matcher, the callBook and the sink.
func (w *watch) Step(step *records.Step) error {
	w.matcher.see(step)
	w.calls.read(step)
	w.last = step.StepIndex
	return w.Sink.Step(step)
}
