package records_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/rawjson"
)

// vectors are records whose bytes and hashes a program in Python made.
func vectors(t testing.TB) [][]byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "testdata", "vectors", "trace-records.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Split(bytes.TrimSpace(data), []byte("\n"))
}

func TestARecordIsReadAndWrittenByteForByte(t *testing.T) {
	t.Parallel()
	for i, line := range vectors(t) {
		r, err := records.Decode(line)
		if err != nil {
			t.Fatalf("vector %d: %v", i, err)
		}
		if faults := r.Check(); len(faults) > 0 {
			t.Errorf("vector %d: %q", i, faults)
		}
		again, err := records.Encode(r)
		if err != nil {
			t.Fatalf("vector %d: %v", i, err)
		}
		if !bytes.Equal(again, line) {
			at := 0
			for at < min(len(again), len(line)) && again[at] == line[at] {
				at++
			}
			t.Errorf("vector %d differs at byte %d: got %.80s, want %.80s", i, at, again[at:], line[at:])
		}
	}
}

func TestTheContentHashIsWhatPythonComputes(t *testing.T) {
	t.Parallel()
	for i, line := range vectors(t) {
		var carried struct {
			ContentHash string `json:"content_hash"`
		}
		if err := json.Unmarshal(line, &carried); err != nil {
			t.Fatal(err)
		}
		hash, err := records.ContentHash(line)
		if err != nil || hash != carried.ContentHash {
			t.Errorf("vector %d: %s, %v; want %s", i, hash, err, carried.ContentHash)
		}
		holds, err := hashHolds(line)
		if err != nil || !holds {
			t.Errorf("vector %d: the hash does not hold: %v", i, err)
		}
	}
}

// The steps of a long record are hashed by all processors, and an empty list, or what is no list, as it is.
func TestTheContentHashOfALongRecordIsThatOfItsCanonicalForm(t *testing.T) {
	t.Parallel()
	step := `{"role": "agent", "content": "é` + strings.Repeat("line\\n", 20_000) + `", "step_index" : 1.0, "observations":[ ]}`
	for name, steps := range map[string]string{
		"steps":    "[" + strings.Repeat(step+" ,", 60) + step + " ]",
		"one step": "[" + strings.Repeat(" ", 2<<20) + `{"b":1, "a":2}]`,
		"none":     "[" + strings.Repeat(" ", 2<<20) + "]",
		"a text":   `"` + strings.Repeat("a", 2<<20) + `"`,
	} {
		form, err := rawjson.AppendCanonical(nil, []byte(`{"z":1,"steps": `+steps+`,"agent":{"name":"pi"}}`))
		if err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("%x", sha256.Sum256(form))
		got, err := records.ContentHash([]byte(`{"z":1,"steps": ` + steps + `,"trace_id":"t","agent":{"name":"pi"}}`))
		if err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", name, got, err, want)
		}
	}
}

func TestTheContentHashLeavesOutTheIDAndNothingElse(t *testing.T) {
	t.Parallel()
	line := vectors(t)[1]
	before, err := records.ContentHash(line)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		old, new string
		same     bool
	}{
		"another trace id": {`"trace_id":"a4f2b8c1`, `"trace_id":"b4f2b8c1`, true},
		"another hash":     {`"content_hash":"`, `"content_hash":"0`, true},
		"another prompt":   {`Add Zod validation`, `Add zod validation`, false},
		"another number":   {`"input_tokens":4200`, `"input_tokens":4201`, false},
		"a whole float":    {`"reward":1.0`, `"reward":1`, false},
		"a lost null":      {`"repo_url":null,`, ``, false},
	} {
		changed := bytes.Replace(line, []byte(test.old), []byte(test.new), 1)
		if bytes.Equal(changed, line) {
			t.Fatalf("%s: %q does not occur", name, test.old)
		}
		after, err := records.ContentHash(changed)
		if err != nil || (after == before) != test.same {
			t.Errorf("%s: %s, %v; before %s", name, after, err, before)
		}
	}
}

func TestTheHashOfARecordWithoutDefaultsHolds(t *testing.T) {
	t.Parallel()
	r, err := records.Decode([]byte(`{"schema_version":"0.3.0","trace_id":"t","session_id":"s","agent":{"name":"pi"}}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := records.Encode(r); err != nil {
		t.Fatal(err)
	}
	short := `{"schema_version":"0.3.0","trace_id":"t","session_id":"s","content_hash":"` + *r.ContentHash + `","agent":{"name":"pi"}}`
	if holds, err := hashHolds([]byte(short)); err != nil || !holds {
		t.Errorf("it does not hold: %v", err)
	}
	if holds, err := hashHolds([]byte(strings.Replace(short, `"pi"`, `"qi"`, 1))); err != nil || holds {
		t.Errorf("it holds for another record: %v", err)
	}
}

func TestTheExampleOfTheSchemaPageIsARecord(t *testing.T) {
	t.Parallel()
	r, err := records.Decode([]byte(`{"schema_version":"0.3.0","trace_id":"a4f2b8c1-e2d3-4f5a-b6c7-d8e9f0a1b2c3","session_id":"sess_0x8f2a1b3c",
		"content_hash":"e3b0c44298fc1c14...","task":{"description":"Add input validation"},"agent":{"name":"claude-code"},
		"environment":{"os":"darwin","vcs":{"type":"git","branch":"main"},"language_ecosystem":["typescript"]},
		"steps":[{"step_index":0,"role":"user","content":"Add"},{"step_index":1,"role":"agent","tool_calls":[{"tool_call_id":"tc_001",
		"tool_name":"Edit","input":{"file_path":"src/signup.tsx"},"duration_ms":120}],"observations":[{"source_call_id":"tc_001"}]}],
		"metrics":{"cache_hit_rate":0.9},"security":{"tier":2,"redactions_applied":1}}`))
	if err != nil {
		t.Fatal(err)
	}
	if *r.Security.Tier != 2 || len(r.Steps) != 2 || r.Lifecycle != records.Provisional || r.Outcome.SignalSource != "deterministic" {
		t.Errorf("got %+v", r)
	}
}

func TestWhatIsNoRecordIsRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		``, `[]`, `null`, `{}`, `"x"`, `{"schema_version":"0.3.0"}`, `{"schema_version":"0.3.0","trace_id":"t","session_id":"s"}`,
		`{"schema_version":"0.3.0","trace_id":"t","session_id":"s","agent":{"name":"x"},"steps":{}}`,
		`{"schema_version":"0.3.0","trace_id":"t","session_id":"s","agent":{"name":"x"}`,
		strings.Repeat(`{"a":`, 600),
	} {
		if r, err := records.Decode([]byte(text)); err == nil {
			t.Errorf("%.40s is taken for %+v", text, r)
		}
	}
	if _, err := records.Decode([]byte(`{"schema_version":"1"}`)); !errors.Is(err, records.ErrNotRecord) {
		t.Errorf("got %v", err)
	}
}

func TestCheckFindsWhatIsWrong(t *testing.T) {
	t.Parallel()
	three, call := 3, records.CallType("other")
	tests := []struct {
		name, want string
		record     records.Record
	}{
		{"a gap in the steps", "step 2 has the index 3", records.Record{Steps: []records.Step{{StepIndex: 1, Role: "user"}, {StepIndex: 3, Role: "user"}}}},
		{"a role that does not exist", `step 1: role is "tool"`, records.Record{Steps: []records.Step{{StepIndex: 1, Role: "tool"}}}},
		{"a call type that does not exist", "call_type", records.Record{Steps: []records.Step{{StepIndex: 1, Role: "user", CallType: &call}}}},
		{"a parent that comes later", "parent_step is 3", records.Record{Steps: []records.Step{{StepIndex: 1, Role: "user", ParentStep: &three}}}},
		{"a call id twice", "is one of step 1 already", records.Record{Steps: []records.Step{
			{StepIndex: 1, Role: "agent", ToolCalls: []records.ToolCall{{ToolCallID: "a", Input: []byte("{}")}, {ToolCallID: "a", Input: []byte("{}")}}},
		}}},
		{"an observation without a call", "belongs to no call", records.Record{Steps: []records.Step{
			{StepIndex: 1, Role: "agent", Observations: []records.Observation{{SourceCallID: "a"}}},
		}}},
		{"two observations of a call", "has two observations", records.Record{Steps: []records.Step{
			{
				StepIndex: 1, Role: "agent", ToolCalls: []records.ToolCall{{ToolCallID: "a", Input: []byte("{}")}},
				Observations: []records.Observation{{SourceCallID: "a"}, {SourceCallID: "a"}},
			},
		}}},
		{"lines that run backwards", "lines 3 to 2", records.Record{Attribution: &records.Attribution{Files: []records.AttributedFile{{
			Conversations: []records.AttributedConversation{{Ranges: []records.AttributedRange{{StartLine: 3, EndLine: 2}}}},
		}}}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.record.Lifecycle, test.record.Outcome.SignalConfidence = records.Provisional, records.SignalDerived
			faults := strings.Join(test.record.Check(), "; ")
			if !strings.Contains(faults, test.want) {
				t.Errorf("got %q, want %q", faults, test.want)
			}
		})
	}
}

// Whatever is taken for a record is written so that it is read as the same record again, with a hash that holds.
func FuzzRecord(f *testing.F) {
	for _, line := range vectors(f) {
		f.Add(line)
	}
	f.Add([]byte(`{"schema_version":"0.9.0","trace_id":"t","session_id":"s","agent":{"name":"a"},"steps":[{"tool_calls":[{"input":[1]}]}],"attribution":{}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := records.Decode(data)
		if err != nil {
			return
		}
		r.Check()
		first, err := records.Encode(r)
		if err != nil {
			return // a number that cannot be written
		}
		again, err := records.Decode(first)
		if err != nil {
			t.Fatalf("%s is not read back: %v", first, err)
		}
		second, err := records.Encode(again)
		if err != nil || !bytes.Equal(first, second) {
			t.Fatalf("%s becomes %s, %v", first, second, err)
		}
		if holds, err := hashHolds(first); err != nil || !holds {
			t.Fatalf("the hash of %s does not hold: %v", first, err)
		}
	})
}

// hashHolds tells of a record given as JSON whether the content hash that it carries is its own.
func hashHolds(raw []byte) (bool, error) {
	r, err := records.Decode(raw)
	if err != nil {
		return false, err
	}
	return r.HashHolds(raw)
}
