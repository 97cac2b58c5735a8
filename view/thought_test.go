package view

import (
	"testing"

	"github.com/git-trace/git-trace/records"
)

func TestAThoughtIsOneOfItsOwnPrompt(t *testing.T) {
	t.Parallel()
	step := func(role records.Role, kind records.CallType, agent, thought string) records.Step {
		return records.Step{Role: role, CallType: &kind, AgentRole: records.Text(agent), ReasoningContent: records.Text(thought)}
	}
	asked := step(records.RoleUser, records.CallMain, "", "")
	task := step(records.RoleUser, records.CallSubagent, "", "")
	answer := func(thought string) records.Step { return step(records.RoleAgent, records.CallMain, "main", thought) }
	helper := func(thought string) records.Step {
		return step(records.RoleAgent, records.CallSubagent, "general-purpose", thought)
	}
	for name, tt := range map[string]struct {
		steps []records.Step
		want  string
	}{
		"of the step itself":                 {[]records.Step{asked, answer("a"), answer("b")}, "b"},
		"of a step before":                   {[]records.Step{asked, answer("a"), answer("")}, "a"},
		"none of the prompt before":          {[]records.Step{asked, answer("a"), asked, answer("")}, ""},
		"past a subagent":                    {[]records.Step{asked, answer("a"), task, helper("h"), answer("")}, "a"},
		"none of a subagent":                 {[]records.Step{asked, answer(""), task, helper("h"), answer("")}, ""},
		"of a subagent":                      {[]records.Step{asked, answer("a"), task, helper("h"), helper("")}, "h"},
		"of a subagent that has none itself": {[]records.Step{asked, answer("a"), task, helper("")}, ""},
	} {
		if got := thoughtBefore(tt.steps); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
