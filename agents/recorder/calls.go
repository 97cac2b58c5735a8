package recorder

import (
	"encoding/json"
	"strings"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/rawjson"
)

// callBook records the steps of calls, and the commands that failed and have not succeeded since. It receives the kept
// steps of the stored version, and the new steps.
type callBook struct {
	steps   map[string]int
	failing map[string]failed // last failures by command line
}

// failed describes the last failure of a command.
type failed struct {
	step  int
	error string
}

func newCallBook() *callBook { return &callBook{steps: map[string]int{}, failing: map[string]failed{}} }

// `at` returns the step of a call; 0 if unknown.
func (b *callBook) at(call string) int { return b.steps[call] }

// `stored` adds a stored step.
func (b *callBook) stored(step int, raw []byte) {
	one := records.Step{StepIndex: step}
	var told struct {
		Calls        []records.ToolCall    `json:"tool_calls"`
		Observations []records.Observation `json:"observations"`
	}
	if json.Unmarshal(raw, &told) == nil {
		one.ToolCalls, one.Observations = told.Calls, told.Observations
		b.read(&one)
	}
}

// read adds a new step. It replaces the stored step with its number and all later ones.
func (b *callBook) read(step *records.Step) {
	for line, f := range b.failing {
		if f.step >= step.StepIndex {
			delete(b.failing, line)
		}
	}
	commands := map[string]string{}
	for _, call := range step.ToolCalls {
		b.steps[call.ToolCallID] = step.StepIndex
		for _, name := range [...]string{"command", "cmd"} {
			if line := strings.TrimSpace(rawjson.MemberText(call.Input, name)); line != "" {
				commands[call.ToolCallID] = line
			}
		}
	}
	for _, o := range step.Observations {
		switch line := commands[o.SourceCallID]; {
		case line == "":
		case o.Error == nil:
			delete(b.failing, line)
		case failedLoudly(&o):
			b.failing[line] = failed{step.StepIndex, *o.Error}
		}
	}
}

// lastFailing returns the command that failed last and has not succeeded since; "" if there is none.
func (b *callBook) lastFailing() (command, failure string) {
	last := 0
	for line, f := range b.failing {
		if f.step > last || f.step == last && line < command {
			command, failure, last = line, f.error, f.step
		}
	}
	return command, failure
}

// failedLoudly reports whether a command failed. Exit status 1 with at most one line of output only means an empty
// search result.
func failedLoudly(o *records.Observation) bool {
	said := ""
	if o.Content != nil {
		said = strings.TrimSpace(*o.Content)
	}
	return strings.HasPrefix(*o.Error, "exit_code:") && (*o.Error != "exit_code:1" || strings.Contains(said, "\n"))
}
