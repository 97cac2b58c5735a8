package recorder

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/git-trace/git-trace/records"
)

// What is stored may come from another version, or from somebody who wrote to the ref: taking it apart gives its parts
// or an error, and the parts are those that decoding as a whole gives.
func FuzzSplit(f *testing.F) {
	said := "hello"
	whole, err := records.Encode(&records.Record{
		TraceID: "4f2a8f60-1c3d-5e5f-8a9b-0c1d2e3f4a5b", SessionID: "s", Agent: records.Agent{Name: "pi"},
		Steps: []records.Step{{StepIndex: 1, Role: records.RoleUser, Content: &said}, {StepIndex: 2, Role: records.RoleAgent}},
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add(whole[:len(whole)-20])
	f.Add(bytes.Replace(whole, []byte(`"steps":[`), []byte(`"steps":[],"steps":[`), 1))
	f.Add(bytes.Replace(whole, []byte("hello"), []byte("a\x00b"), 1))
	for _, text := range []string{`{}`, `{"steps":1}`, `{"steps":[{},[],null,"x"]}`, `{"steps":[{}`, `[]`, `{"schema_version":"0.3.0","steps":{"a":[]}}`, ``, `{"metadata":{"prompts":{"1":9,"x":2}}}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		head, steps, err := split(data)
		if err != nil {
			return
		}
		if len(head.Steps) != 0 {
			t.Fatalf("the head has %d steps", len(head.Steps))
		}
		for _, raw := range steps {
			if json.Valid(data) && !json.Valid(raw) {
				t.Fatalf("a step of what is JSON is not: %q", raw)
			}
		}
		if record, err := records.Decode(data); err == nil && len(record.Steps) != len(steps) {
			t.Fatalf("%d steps, decoding gives %d", len(steps), len(record.Steps))
		}
		w := work{steps: steps}
		for prompt, step := range PromptSteps(head) {
			_, _ = prompt, w.timeOf(step)
		}
	})
}
