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
	for name, test := range map[string]struct {
		held       string
		count, end int
	}{
		"all are numbered":                        {`{"1":1,"2":3,"3":4}`, 3, 3},
		"the file told of two before their hooks": {`{"1":1}`, 3, 3},
		"the log began after the first":           {`{"1":3}`, 2, 2},
		"none is":                                 {`{}`, 0, 0},
	} {
		r := &records.Record{Steps: []records.Step{user, agent, user, user, agent}, Metadata: map[string]json.RawMessage{"prompts": json.RawMessage(test.held)}}
		if d := digest(r); d.Prompts != 3 || d.HeldPrompts != test.count || d.LastPrompt != test.end {
			t.Errorf("%s: %d prompts, %d of the log, the last %d; want %d, %d", name, d.Prompts, d.HeldPrompts, d.LastPrompt, test.count, test.end)
		}
	}
}
