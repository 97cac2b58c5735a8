package atif_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/atif"
	"github.com/git-trace/git-trace/records/foreign"
	"github.com/git-trace/git-trace/records/rawjson"
)

func read(raw string) ([]*records.Record, error) {
	var list []*records.Record
	err := atif.Read(strings.NewReader(raw), func(_ int, r *records.Record) error {
		list = append(list, r)
		return nil
	})
	return list, err
}

// again reads documents, stores their records as git-trace does, and writes them.
func again(t *testing.T, raw string) string {
	t.Helper()
	list, err := read(raw)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	for _, r := range list {
		stored, err := records.Encode(r)
		if err != nil {
			t.Fatal(err)
		}
		back, err := records.Decode(stored)
		if err != nil {
			t.Fatal(err)
		}
		if err := atif.Write(&out, back); err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}

func canonical(t *testing.T, raw string) string {
	t.Helper()
	out, err := rawjson.AppendCanonical(nil, []byte(strings.TrimSpace(raw)))
	if err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	return string(out)
}

const plain = `{"schema_version":"ATIF-v1.7","session_id":"s1","agent":{"name":"terminus","version":"2.0","model_name":"anthropic/claude-opus-4-5"},
 "steps":[
  {"step_id":1,"source":"user","message":"fix the test"},
  {"step_id":2,"source":"agent","timestamp":"2026-05-16T04:00:03Z","message":"Running.","tool_calls":[{"tool_call_id":"c1","function_name":"bash","arguments":{"command":"make"}}],
   "observation":{"results":[{"source_call_id":"c1","content":"ok"}]},
   "metrics":{"prompt_tokens":1200,"completion_tokens":40,"cached_tokens":1000,"cost_usd":0.004}}],
 "final_metrics":{"total_prompt_tokens":1200,"total_completion_tokens":40,"total_cached_tokens":1000,"total_cost_usd":0.004,"total_steps":2}}`

const oddities = `{"schema_version":"ATIF-v1.8","session_id":"s2","notes":"odd","agent":{"name":"a","version":"1","extra":{"k":[1,2.50,1e3]},"tool_definitions":[{"type":"function","function":{"name":"bash"}}]},
 "steps":[
  {"step_id":1,"source":"system","message":"You are an agent."},
  {"step_id":2,"source":"user","message":"before","is_copied_context":true},
  {"step_id":3,"source":"user","message":[{"type":"text","text":"see"},{"type":"image","source":{"media_type":"image/png","path":"a.png"}}],"timestamp":null},
  {"step_id":4,"source":"agent","message":"","reasoning_effort":"high","llm_call_count":2,"reasoning_content":"hm","tool_calls":[
     {"tool_call_id":"c1","function_name":"edit","arguments":{"path":"a.go","new_str":"x\n"},"extra":{"duration_ms":12,"z":1}},
     {"tool_call_id":"c2","function_name":"spawn","arguments":{}}],
   "observation":{"results":[{"source_call_id":"c2","content":null,"subagent_trajectory_ref":[{"trajectory_id":"t9"},{"trajectory_path":"other.json"}]},
     {"source_call_id":"c1","content":"no","extra":{"error":"exit_code:2"}},{"content":"from nowhere"}]},
   "metrics":{"prompt_tokens":10,"completion_tokens":4,"prompt_token_ids":[1,2],"logprobs":[-0.5],"extra":{"cache_creation_input_tokens":7}}},
  {"step_id":5,"source":"system","message":"tick","extra":{"n":1}},
  {"step_id":6,"source":"agent","message":"again","tool_calls":[{"tool_call_id":"c1","function_name":"bash","arguments":{"command":"ls"}}]}],
 "continued_trajectory_ref":"next.json",
 "subagent_trajectories":[{"schema_version":"ATIF-v1.7","trajectory_id":"t9","agent":{"name":"helper","version":"3"},"steps":[{"step_id":1,"source":"user","message":"help"},{"step_id":2,"source":"agent","message":"done"}]}],
 "extra":{"task_id":"t1"}}`

func TestADocumentBecomesAConversation(t *testing.T) {
	t.Parallel()
	list, err := read(plain)
	if err != nil || len(list) != 1 {
		t.Fatalf("%d records, %v", len(list), err)
	}
	r := list[0]
	want := records.TokenUsage{InputTokens: 200, OutputTokens: 40, CacheReadTokens: 1000}
	if len(r.Steps) != 2 || r.Steps[1].TokenUsage != want || r.Agent.Name != "terminus" || r.SessionID != "s1" ||
		*r.Task.Description != "fix the test" || *r.Steps[1].Observations[0].Content != "ok" {
		t.Errorf("record %+v", r)
	}
	if string(r.Metadata[records.MetaClientCost]) != "0.004" || *r.ExecutionContext != records.Devtime {
		t.Errorf("cost %s, context %v", r.Metadata[records.MetaClientCost], *r.ExecutionContext)
	}
	if got := string(r.Metadata["source"]); got != `{"converter":"git-trace","format":"atif","row":1,"version":"ATIF-v1.7"}` {
		t.Errorf("source %s", got)
	}
}

func TestWhatIsOddIsKeptAndCounted(t *testing.T) {
	t.Parallel()
	list, err := read(oddities)
	if err != nil {
		t.Fatal(err)
	}
	r := list[0]
	var roles []string
	for _, s := range r.Steps {
		roles = append(roles, string(s.Role)+" "+string(*s.CallType))
	}
	if got := strings.Join(roles, ", "); got != "system main, user main, agent main, user subagent, agent subagent, system main, agent main" {
		t.Errorf("steps %s", got)
	}
	calls := r.Steps[2]
	if *calls.Observations[0].Error != "exit_code:2" || calls.TokenUsage.InputTokens != 3 || *r.Steps[3].ParentStep != 3 ||
		*calls.ToolCalls[0].DurationMS != 12 {
		t.Errorf("calls %+v", calls)
	}
	last := r.Steps[6]
	if last.ToolCalls[0].ToolCallID == "c1" || *last.Observations[0].Error != records.ErrorNoResult {
		t.Errorf("a repeated id: %+v", last)
	}
	if !strings.Contains(string(r.Metadata["unlinked_results"]), "from nowhere") ||
		!strings.Contains(string(r.Metadata["capture"]), `"skipped_lines":{"copied_context":1}`) ||
		!strings.Contains(string(r.Metadata["capture"]), `"lines":7`) || *r.ExecutionContext != records.Runtime {
		t.Errorf("metadata %s", r.Metadata["capture"])
	}
}

func TestDocumentsComeBackEqual(t *testing.T) {
	t.Parallel()
	for name, raw := range map[string]string{"plain": plain, "odd": oddities,
		"old": strings.Replace(plain, "v1.7", "v1.0", 1)} {
		if got, want := canonical(t, again(t, raw)), canonical(t, raw); got != want {
			t.Errorf("%s: written\n%s\nread\n%s", name, got, want)
		}
	}
}

// Of members of one name the last counts, as in JSON's own readers: it is what comes back.
func TestOfMembersOfOneNameTheLastComesBack(t *testing.T) {
	t.Parallel()
	twice := strings.Replace(plain, `"message":"fix the test"`, `"message":"another","message":"fix the test"`, 1)
	if twice == plain {
		t.Fatal("nothing stands twice")
	}
	if got, want := again(t, twice), again(t, plain); got != want {
		t.Errorf("written\n%s\nwant\n%s", got, want)
	}
}

func TestRealDocumentsComeBackEqual(t *testing.T) {
	t.Parallel()
	files, _ := filepath.Glob("../../../shared/corpus/atif/*.json")
	if len(files) == 0 {
		t.Skip("the corpus is not here")
	}
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := canonical(t, again(t, string(raw))), canonical(t, string(raw)); got != want {
			t.Errorf("%s: written\n%s\nread\n%s", filepath.Base(name), got, want)
		}
	}
}

// What is written for conversations of every agent is what the format's own model wants: its rules as a JSON schema,
// and those that go from one member to another.
func TestConversationsBecomeSoundDocuments(t *testing.T) {
	t.Parallel()
	schema, err := jsonschema.NewCompiler().Compile("../../docs/schema/atif-1.7.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../../testdata/sessions/*/*.record.json")
	if err != nil || len(files) < 10 {
		t.Fatalf("found %d records, %v", len(files), err)
	}
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		r, err := records.Decode(raw)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Steps) == 0 {
			if err := atif.Write(&bytes.Buffer{}, r); !errors.Is(err, atif.ErrNoSteps) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		var out bytes.Buffer
		if err := atif.Write(&out, r); err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(out.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); err != nil {
			t.Errorf("%s: %v", filepath.Base(name), err)
		}
		if faults := crossed(value.(map[string]any)); len(faults) > 0 {
			t.Errorf("%s: %v", filepath.Base(name), faults)
		}
		back, err := read(out.String())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := back[0]; got.TraceID != r.TraceID && r.TraceID != "" && len(got.Steps) < len(r.Steps) {
			t.Errorf("%s: %d steps of %d came back", name, len(got.Steps), len(r.Steps))
		}
	}
}

// Of a subagent's own session file no step is the conversation's. A trajectory has one at least, so the subagent's are
// its steps, and those of other subagents stay apart.
func TestASubagentAloneIsTheTrajectory(t *testing.T) {
	t.Parallel()
	sub, one, two := records.CallSubagent, "one", "two"
	said := func(index int, text *string, parent *int) records.Step {
		return records.Step{StepIndex: index, Role: records.RoleAgent, Content: text, CallType: &sub, ParentStep: parent}
	}
	parent := 1
	r := &records.Record{TraceID: "t", SessionID: "s", Agent: records.Agent{Name: "claude-code"},
		Steps: []records.Step{said(1, &one, nil), said(2, &two, &parent)}}
	var out bytes.Buffer
	if err := atif.Write(&out, r); err != nil {
		t.Fatal(err)
	}
	var document struct {
		Steps []struct {
			Message string `json:"message"`
		} `json:"steps"`
		Subs []struct {
			Steps []struct {
				Message string `json:"message"`
			} `json:"steps"`
		} `json:"subagent_trajectories"`
	}
	if err := json.Unmarshal(out.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	if len(document.Steps) != 1 || document.Steps[0].Message != one || len(document.Subs) != 1 ||
		len(document.Subs[0].Steps) != 1 || document.Subs[0].Steps[0].Message != two {
		t.Errorf("wrote %s", out.String())
	}
	if _, err := read(out.String()); err != nil {
		t.Error(err)
	}
}

// crossed gives what is wrong in a document that holds the schema: rules that go from one member to another.
func crossed(document map[string]any) (faults []string) {
	wrong := func(format string, about ...any) { faults = append(faults, fmt.Sprintf(format, about...)) }
	refs := map[any]bool{}
	for i, one := range document["steps"].([]any) {
		step := one.(map[string]any)
		if text(step["step_id"]) != text(i+1) {
			wrong("step %d has the id %v", i+1, step["step_id"])
		}
		calls := map[any]bool{}
		list, _ := step["tool_calls"].([]any)
		for _, call := range list {
			calls[call.(map[string]any)["tool_call_id"]] = true
		}
		observation, _ := step["observation"].(map[string]any)
		results, _ := observation["results"].([]any)
		for _, one := range results {
			result := one.(map[string]any)
			if id, named := result["source_call_id"]; named && !calls[id] {
				wrong("step %d has a result of %v, which it did not call", i+1, id)
			}
			list, _ := result["subagent_trajectory_ref"].([]any)
			for _, ref := range list {
				if ref := ref.(map[string]any); ref["trajectory_path"] == nil {
					refs[ref["trajectory_id"]] = true
				}
			}
		}
	}
	seen := map[any]bool{}
	subs, _ := document["subagent_trajectories"].([]any)
	for _, one := range subs {
		sub := one.(map[string]any)
		if id := sub["trajectory_id"]; id == nil || seen[id] {
			wrong("a subagent has no id of its own: %v", id)
		} else {
			seen[id] = true
		}
		faults = append(faults, crossed(sub)...)
	}
	for id := range refs {
		if !seen[id] {
			wrong("%v is referred to, and is not there", id)
		}
	}
	return faults
}

func text(v any) string { return fmt.Sprint(v) }

func compact(raw string) string { return strings.ReplaceAll(raw, "\n", "") }

func TestWrongDocumentsAreRefusedWithTheirPlace(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		plain[:400]: fmt.Sprint("line ", 1+strings.Count(plain[:400], "\n"), ", byte 400: JSON ends too early"),
		`{"schema_version":"ATIF-v1.9","agent":{"name":"a"},"steps":[]}`: "line 1, byte 0: not of this format: version \"ATIF-v1.9\" is not known, only 1.0 to 1.8 are",
		`{"schema_version":"ATIF-v1.7","agent":{"name":"a"},"steps":[]}`: "line 1, byte 0: there is no conversation in it",
		"{\"a\":\"b\n\"}": "line 1, byte 7: not JSON",
		"[{}]":            "element 1, byte 1: not of this format: schema_version is \"\"",
		"":                "line 1, byte 0: the file is empty",
		compact(plain) + "\n" + compact(plain)[9:]: "line 2, byte " + fmt.Sprint(len(compact(plain))+1) + ": something else than JSON objects, one after the other or in one array",
	} {
		_, err := read(raw)
		var fault *foreign.Fault
		if !errors.As(err, &fault) || err.Error() != want {
			t.Errorf("%.60s gives\n%v, want\n%s", raw, err, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(plain)
	f.Add(oddities)
	f.Add("[" + plain + "," + oddities + "]")
	f.Fuzz(func(t *testing.T, raw string) {
		list, err := read(raw)
		if err != nil {
			return
		}
		for _, r := range list {
			if faults := r.Check(); len(faults) > 0 {
				t.Fatalf("%v", faults)
			}
			var out bytes.Buffer
			if err := atif.Write(&out, r); err != nil {
				t.Fatal(err)
			}
			if _, err := read(out.String()); err != nil {
				t.Fatalf("what was written cannot be read: %v\n%s", err, out.String())
			}
		}
	})
}
