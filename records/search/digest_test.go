package search

import (
	"encoding/json"
	"testing"

	"github.com/git-trace/git-trace/records"
)

func TestPromptsBehindTheLastNumberedOneAreTheNextOfTheLog(t *testing.T) {
	t.Parallel()
	text := "go on"
	user, agent := records.Step{Role: records.RoleUser, Content: &text}, records.Step{Role: records.RoleAgent}
	answered := []records.Step{user, agent, user, user, agent}
	for name, test := range map[string]struct {
		held       string
		count, end int
		steps      []records.Step
	}{
		"all are numbered":                        {`{"1":1,"2":3,"3":4}`, 3, 3, answered},
		"the file told of two before their hooks": {`{"1":1}`, 3, 3, answered},
		"the log began after the first":           {`{"1":3}`, 2, 2, answered},
		"none is":                                 {`{}`, 0, 0, answered},
		"two wait for an answer":                  {`{"1":1,"2":3}`, 3, 1, []records.Step{user, agent, user, user}},
		"the last two wait, unnumbered":           {`{"1":1}`, 3, 1, []records.Step{user, agent, user, user}},
	} {
		r := &records.Record{Steps: test.steps, Metadata: map[string]json.RawMessage{"prompts": json.RawMessage(test.held)}}
		if d := digest(r); d.Prompts != 3 || d.HeldPrompts != test.count || d.LastPrompt != test.end {
			t.Errorf("%s: %d prompts, %d of the log, the last %d; want %d, %d", name, d.Prompts, d.HeldPrompts, d.LastPrompt, test.count, test.end)
		}
	}
}
