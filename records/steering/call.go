package steering

import (
	"slices"
	"strings"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/declared"
)

// call is a tool call, with the facts that steering needs.
type call struct {
	id, tool string
	model    *string
	at       *string // the time of the model's answer
	step     int
	declined bool   // the call never ran
	failure  string // the error of the observation; "" if there is none
	output   string // the output that the model received
	command  string // the shell command
	path     string // path as the agent declared it
	file     string // path, relative to the repository if possible
	edits    []declared.Edit
	changes  []*change
}

// maxCommand is the greatest number of bytes of a command in the document.
const maxCommand = 2000

// newCall reads a call and its result.
func newCall(s *records.Step, c *records.ToolCall) *call {
	out := &call{id: c.ToolCallID, tool: c.ToolName, model: modelName(s.Model), at: s.Timestamp, step: s.StepIndex}
	for i := range s.Observations {
		if o := &s.Observations[i]; o.SourceCallID == c.ToolCallID {
			out.failure, out.output = records.Value(o.Error), records.Value(o.Content)
			if out.output == "" {
				out.output = records.Value(o.OutputSummary)
			}
		}
	}
	out.declined = out.failure == records.ErrorRejected
	said := declared.Of(c.Input)
	out.path, out.edits = said.Path, said.Edits
	if len(out.edits) == 0 {
		out.command, out.edits = declared.Run(c.Input)
	}
	return out
}

// `failed` reports whether the call ran and failed. An empty search result is not a failure.
func (c *call) failed() bool {
	if c.failure != records.ErrorTool && !strings.HasPrefix(c.failure, "exit_code:") || c.calledOff() {
		return false
	}
	return !c.foundNothing()
}

// foundNothing reports whether the call only searched for something that is missing: a search without a match, or a
// check that discards its errors.
func (c *call) foundNothing() bool {
	if c.said() != "" {
		return false
	}
	list := simpleCommands(c.command)
	if len(list) == 0 {
		return false
	}
	last := list[len(list)-1]
	return c.failure == "exit_code:1" && searches(last) ||
		(last[0] == "ls" || last[0] == "stat") && slices.Contains(last, "2>/dev/null")
}

// calledOff reports whether the client cancelled the call because another call of the same answer failed.
func (c *call) calledOff() bool {
	return strings.Contains(firstLines(c.output, 1), "Sibling tool call errored")
}

// `succeeded` reports whether the call ran, ended and did not fail.
func (c *call) succeeded() bool {
	return c.failure == "" || strings.HasPrefix(c.failure, "exit_code:") && !c.failed()
}

// `said` returns the output without the client's additions: the line with the exit code, which Pi puts at the end; for
// Codex, everything up to the line "Output:".
func (c *call) said() string {
	if i := strings.LastIndex(c.output, "Command exited with code "); i >= 0 && !strings.Contains(c.output[i:], "\n") {
		return strings.TrimSpace(strings.TrimPrefix(c.output[:i], "(no output)"))
	}
	if head, rest, _ := strings.Cut(c.output, "\n"); strings.HasPrefix(head, "Exit code ") {
		return strings.TrimSpace(rest)
	}
	if strings.HasPrefix(c.output, "Exit code: ") {
		if head, rest, found := strings.Cut(c.output, "\nOutput:"); found && strings.Count(head, "\n") < 5 {
			return strings.TrimSpace(rest)
		}
	}
	return strings.TrimSpace(c.output)
}

// `searches` reports whether exit status 1 of a command means an empty search result.
func searches(command []string) bool {
	switch command[0] {
	case "grep", "egrep", "fgrep", "rg", "ag", "diff", "cmp", "test", "[", "[[", "pgrep", "which", "command", "type":
		return true
	case "git":
		return slices.Contains([]string{"grep", "diff", "config"}, gitVerb(command[1:]))
	}
	return false
}

// `what` describes the call for people: its command, otherwise its tool and file.
func (c *call) what() string {
	switch {
	case c.command != "":
		return oneLine(c.command, 80)
	case c.file != "":
		return c.tool + " " + c.file
	}
	return c.tool
}
