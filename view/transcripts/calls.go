package transcripts

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/git-trace/git-trace/correlate/backfill"
	"github.com/git-trace/git-trace/records"
)

// Call is a call in a session file that has ended.
type Call struct {
	ID, Tool, Model string
	Step, Prompt    int // numbers of the call's step and prompt in the session file
	Began, Ended    time.Time
	Edits           []*backfill.Edit // the edits that it reports
	Anything        bool             // the call is a command that may have written more than these edits
}

// Calls returns the calls of a session that may have written files. If the session continues, it returns only calls
// that have ended.
func (t *Transcript) Calls() []*Call {
	of := map[string]*Call{}
	last := t.Last
	if _, at, err := Written(t.Path); err == nil && at.After(last) {
		last = at
	}
	for _, c := range t.calls {
		if of[c.ID] = c; c.Ended.IsZero() {
			c.Ended = last
		}
	}
	for i := range t.Session.Edits {
		if c := of[t.Session.Edits[i].Call]; c != nil {
			c.Edits = append(c.Edits, &t.Session.Edits[i])
		}
	}
	return slices.DeleteFunc(t.calls, func(c *Call) bool { return len(c.Edits) == 0 && !c.Anything })
}

// chainOf identifies the conversation of a step: the main one or a subagent's.
func chainOf(step *records.Step) int {
	switch {
	case step.ParentStep != nil:
		return *step.ParentStep
	case step.CallType != nil && *step.CallType == records.CallSubagent:
		return -1
	}
	return 0
}

// hearCalls takes the calls of a step that have a result. Later steps show that earlier calls had ended, in the same
// conversation only: subagents run at the same time, and their steps may come later than they were made.
func (t *Transcript) hearCalls(step *records.Step, at time.Time) {
	t.chain = chainOf(step)
	if !at.IsZero() {
		for _, c := range t.open[t.chain] {
			if !at.Before(c.Began) {
				c.Ended = at
			}
		}
		delete(t.open, t.chain)
	}
	for _, call := range step.ToolCalls {
		if call.ToolCallID == "" || at.IsZero() {
			continue
		}
		command := commandOf(call.Input)
		c := &Call{ID: call.ToolCallID, Tool: call.ToolName, Began: at, Step: step.StepIndex, Prompt: len(t.Prompts),
			Anything: command != "" && !readsOnly(command)}
		if step.Model != nil {
			c.Model = *step.Model
		}
		t.open[t.chain] = append(t.open[t.chain], c)
		i := slices.IndexFunc(step.Observations, func(o records.Observation) bool {
			return o.SourceCallID == call.ToolCallID
		})
		if i < 0 {
			t.late[c.ID] = c
		} else {
			t.ran(c, &step.Observations[i])
		}
	}
}

// `ran` takes a call with a result, unless it never ran, or still runs.
func (t *Transcript) ran(c *Call, o *records.Observation) {
	t.ended = append(t.ended, c.ID)
	if o.Error == nil || *o.Error != records.ErrorRejected && *o.Error != records.ErrorNoResult {
		t.calls = append(t.calls, c)
	}
}

// doubtCalls removes the calls with known texts from the commands that may have written files.
func (t *Transcript) doubtCalls(told map[string]bool) {
	for _, c := range t.open[t.chain] {
		c.Anything = c.Anything && !told[c.ID]
	}
}

// reading matches a command that writes to no file, whatever its arguments, unless writing matches the command too.
const (
	reading = `^(?:\w+=\S*[ \t]+)*(?:(?:ls|cat|head|tail|wc|grep|egrep|rg|ag|find|fd|pwd|cd|true|false|test|\[|` +
		`which|type|stat|file|tree|du|df|date|env|` +
		`printenv|sort|uniq|cut|tr|jq|nl|od|xxd|diff|cmp|sleep|whoami|uname|id|ps|` +
		`basename|dirname|realpath|readlink|echo|printf|awk|sed)\b|` +
		`git[ \t]+(?:-C[ \t]+\S+[ \t]+|-\S+[ \t]+)*(?:status|diff|log|show|branch|rev-parse|blame|` +
		`ls-files|ls-tree|cat-file|grep|describe|remote|fetch|push|add|commit)\b)`
	writing = `(?:^|[ \t])-(?:i\b|-in-place|delete\b|exec|ok|fprint|o\b|-output)|\binplace\b|\bsystem\(`
)

// commandWords splits command lines; it is made at its first use.
var commandWords = sync.OnceValue(func() (w struct{ reading, writing, harmless, quoted, separator *regexp.Regexp }) {
	w.reading, w.writing = regexp.MustCompile(reading), regexp.MustCompile(writing)
	w.harmless = regexp.MustCompile(`[0-9&]?>+[ \t]*(?:/dev/null|&[0-9])`)
	w.quoted = regexp.MustCompile(`'[^']*'|"[^"$` + "`" + `]*"`)
	w.separator = regexp.MustCompile(`[;\n|]|&&|\|\|`)
	return w
})

// readsOnly reports whether a command line writes to no file of the work tree.
func readsOnly(command string) bool {
	words := commandWords()
	line := words.harmless.ReplaceAllString(words.quoted.ReplaceAllString(command, "x"), " ")
	if strings.ContainsAny(line, ">`") || strings.Contains(line, "$(") {
		return false
	}
	for _, part := range words.separator.Split(line, -1) {
		part = strings.TrimSpace(part)
		if part != "" && (!words.reading.MatchString(part) || words.writing.MatchString(part)) {
			return false
		}
	}
	return true
}
