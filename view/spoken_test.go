package view

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/git-trace/git-trace/records"
)

// Prompts have the numbers that the log gave them. Earlier prompts are counted if the log left room for all of them.
func TestSpokenNumbers(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		known string // numbers of the log by steps, as the record keeps them
		want  []int
	}{
		"the log knows none":                       {`{}`, []int{1, 2, 3, 4}},
		"the log knows all":                        {`{"1":1,"2":2,"3":3,"4":4}`, []int{1, 2, 3, 4}},
		"hooks came in the middle, and counted on": {`{"3":3,"4":4}`, []int{1, 2, 3, 4}},
		"what follows the last is its next":        {`{"2":2}`, []int{1, 2, 3, 4}},
		"hooks came in the middle, and began anew": {`{"1":3,"2":4}`, []int{0, 0, 1, 2}},
		"the log has more than the record":         {`{"5":3}`, []int{0, 0, 5, 6}},
	} {
		r := &records.Record{Metadata: map[string]json.RawMessage{"prompts": json.RawMessage(tt.known)}}
		for i := range 4 {
			r.Steps = append(r.Steps, records.Step{StepIndex: i + 1, Role: records.RoleUser})
		}
		var got []int
		for _, p := range spoken(r).prompts {
			got = append(got, p.number)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}
