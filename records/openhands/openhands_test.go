package openhands_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/messages"
	"github.com/git-trace/git-trace/records/openhands"
)

func read(raw string) (list []*records.Record, err error) {
	err = openhands.Read(strings.NewReader(raw), func(_ int, r *records.Record) error {
		list = append(list, r)
		return nil
	})
	return list, err
}

// meta is what an event tells of the response that it comes from.
func meta(response, call string) string {
	return `"tool_call_metadata":{"function_name":"str_replace_editor","tool_call_id":"` + call + `","total_calls_in_response":2,"model_response":{"id":"` + response +
		`","model":"claude-opus-4-5","choices":[{"message":{"role":"assistant","content":"Two edits.","tool_calls":[` +
		`{"id":"t1","function":{"name":"str_replace_editor","arguments":"{\"command\":\"str_replace\",\"path\":\"/workspace/shop/a.py\",\"old_str\":\"1\",\"new_str\":\"2\"}"}},` +
		`{"id":"t2","function":{"name":"str_replace_editor","arguments":"{\"command\":\"create\",\"path\":\"/workspace/shop/b.py\",\"file_text\":\"x\"}"}}]}}],` +
		`"usage":{"prompt_tokens":1200,"completion_tokens":40,"prompt_tokens_details":{"cached_tokens":1000}}}}`
}

var row = `{"instance_id":"x__y-1","instruction":"<uploaded_files>\n/workspace/shop\n</uploaded_files>\nfix it","metadata":{"llm_config":{"model":"claude-opus-4-5","api_key":"***"}},"test_result":{"git_patch":"diff --git"},"report":{"resolved":false},"error":"it stopped","history":[` +
	strings.Join([]string{
		`{"id":0,"source":"agent","action":"system","args":{"content":"You are OpenHands"}}`,
		`{"id":1,"timestamp":"2026-05-16T04:00:00","source":"user","action":"message","args":{"content":"fix it"}}`,
		`{"id":2,"source":"user","action":"recall","args":{"query":"fix it"}}`,
		`{"id":3,"cause":2,"source":"environment","observation":"recall","content":"Added workspace context","extras":{}}`,
		`{"id":4,"timestamp":"2026-05-16T04:00:03","source":"agent","action":"edit","args":{"path":"/workspace/shop/a.py","thought":"Two edits."},` + meta("r1", "t1") + `}`,
		`{"id":5,"timestamp":"2026-05-16T04:00:03","source":"agent","action":"edit","args":{"path":"/workspace/shop/b.py","thought":""},` + meta("r1", "t2") + `}`,
		`{"id":6,"cause":5,"source":"agent","observation":"edit","content":"ERROR:\nit is there","extras":{"path":"/workspace/shop/b.py"},` + meta("r1", "t2") + `}`,
		`{"id":7,"cause":4,"source":"agent","observation":"edit","content":"edited","extras":{"path":"/workspace/shop/a.py","prev_exist":true,"old_content":"a\n1\nb\n","new_content":"a\n2\nb\n"},` + meta("r1", "t1") + `}`,
		`{"id":8,"source":"agent","action":"run","args":{"command":"make","thought":"Run.","is_confirmed":"confirmed"}}`,
		`{"id":9,"cause":8,"source":"agent","observation":"run","content":"boom","extras":{"command":"make","metadata":{"exit_code":2}}}`,
		`{"id":10,"source":"agent","action":"run","args":{"command":"sleep 9"}}`,
		`{"id":11,"cause":10,"source":"agent","observation":"run","content":"","extras":{"metadata":{"exit_code":-1}}}`,
		`{"id":12,"source":"agent","action":"write","args":{"path":"/workspace/shop/c.py","content":"x"}}`,
		`{"id":13,"cause":12,"source":"user","observation":"user_rejected","content":"no","extras":{}}`,
		`{"id":14,"source":"environment","observation":"error","content":"no more budget","extras":{}}`,
		`{"id":15,"source":"user","action":"run","args":{"command":"ls"}}`,
		`{"id":16,"source":"agent","action":"finish","args":{"final_thought":"Done."}}`,
	}, ",") + `]}`

func TestARowOfAnEvaluationIsAConversation(t *testing.T) {
	t.Parallel()
	list, err := read(row)
	if err != nil || len(list) != 1 {
		t.Fatalf("%d records, %v", len(list), err)
	}
	r := list[0]
	if r.SessionID != "x__y-1" || *r.Outcome.Success || *r.Outcome.Patch != "diff --git" || *r.Outcome.Description != "it stopped" ||
		*r.Outcome.TerminalState != records.Failed || *r.ExecutionContext != records.Runtime || len(r.SystemPrompts) != 1 ||
		string(r.Metadata["timezone"]) != `"unknown"` {
		t.Errorf("row %+v", r)
	}
	if len(r.Steps) != 6 {
		t.Fatalf("%d steps", len(r.Steps))
	}
	two := r.Steps[1]
	if len(two.ToolCalls) != 2 || *two.Content != "Two edits." || *two.Model != "anthropic/claude-opus-4-5" ||
		two.TokenUsage != (records.TokenUsage{InputTokens: 200, OutputTokens: 40, CacheReadTokens: 1000}) {
		t.Errorf("the calls of one response: %+v", two)
	}
	if s := two.Snippets; len(s) != 1 || *s[0].StartLine != 2 || *s[0].Text != "2\n" || s[0].FilePath != "a.py" {
		t.Errorf("snippets %+v", s)
	}
	var errs []string
	for i := range r.Steps {
		for _, o := range r.Steps[i].Observations {
			text := ""
			if o.Error != nil {
				text = *o.Error
			}
			errs = append(errs, text)
		}
	}
	if got := strings.Join(errs, " "); got != " tool_error exit_code:2 interrupted rejected no_result" {
		t.Errorf("results: %s", got)
	}
	if got := string(r.Steps[2].ToolCalls[0].Input); got != `{"command":"make"}` {
		t.Errorf("the input of a call: %s", got)
	}
	var told records.Captured
	told.Add(r)
	if got := told.String(); got != "13 of 17 elements taken, skipped: event:error 1, event:of_user 1, event:recall 2" {
		t.Error(got)
	}
}

func TestAListOfEventsAndOldPairsAreConversations(t *testing.T) {
	t.Parallel()
	list, err := read(`[{"id":0,"source":"user","action":"message","args":{"content":"hi"}},{"id":1,"source":"agent","action":"message","args":{"content":"Hello."}}]`)
	if err != nil || len(list) != 1 || len(list[0].Steps) != 2 || *list[0].ExecutionContext != records.Devtime ||
		!strings.HasPrefix(list[0].SessionID, "sha256:") {
		t.Errorf("a list: %d, %v", len(list), err)
	}
	list, err = read(`{"issue":{"owner":"a","repo":"b","number":5},"git_patch":"d","success":true,"history":[[{"action":"message","content":"fix"},{"observation":"null","content":""}],` +
		`[{"action":"run","command":"ls","thought":"Look."},{"observation":"run","command":"ls","content":"a","exit_code":1}]]}`)
	if err != nil || len(list) != 1 || list[0].SessionID != "a/b#5" || !*list[0].Outcome.Success || len(list[0].Steps) != 2 ||
		*list[0].Steps[1].Observations[0].Error != "exit_code:1" || string(list[0].Steps[1].ToolCalls[0].Input) != `{"command":"ls"}` {
		t.Errorf("pairs: %+v, %v", list, err)
	}
}

func TestWhatIsNoConversationIsRefused(t *testing.T) {
	t.Parallel()
	if _, err := read(`{"instance_id":"a","model_patch":"x","model_name_or_path":"m"}`); !errors.Is(err, messages.ErrPrediction) {
		t.Errorf("a prediction: %v", err)
	}
	for raw, want := range map[string]string{
		`{"history":"x"}`:               "line 1, byte 0: not of this format: there is no list of events",
		`{"history":[]}`:                "line 1, byte 0: there is no conversation in it",
		`{"history":[{"source":"me"}]}`: "line 1, byte 0: event 1: not of this format: neither an action nor an observation",
		``:                              "line 1, byte 0: the file is empty",
	} {
		if _, err := read(raw); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", raw, err, want)
		}
	}
	for end := range len(row) {
		if _, err := read(row[:end]); err == nil {
			t.Fatalf("%d bytes are a whole row", end)
		}
	}
}

// Every call of a real file has one observation, and all its events are counted.
func TestWhatHoldsForEveryRealFile(t *testing.T) {
	t.Parallel()
	files, _ := filepath.Glob("../../../*/corpus/openhands/All-Hands-AI*")
	if len(files) == 0 {
		t.Skip("no real files")
	}
	steps, calls, counted, events := 0, 0, 0, 0
	for _, path := range files {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		list, err := read(string(raw))
		if strings.Contains(path, "example_model_output") {
			if !errors.Is(err, messages.ErrPrediction) {
				t.Errorf("%s: %v", path, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		events += countEvents(t, raw)
		for _, r := range list {
			var told records.Captured
			told.Add(r)
			counted += told.Taken
			for _, n := range told.Skipped {
				counted += n
			}
			for i := range r.Steps {
				steps++
				calls += len(r.Steps[i].ToolCalls)
				if len(r.Steps[i].ToolCalls) != len(r.Steps[i].Observations) {
					t.Errorf("%s, step %d: %d calls, %d results", path, i+1, len(r.Steps[i].ToolCalls), len(r.Steps[i].Observations))
				}
			}
		}
	}
	if counted != events || calls == 0 {
		t.Errorf("%d of %d events are counted", counted, events)
	}
	t.Logf("%d files, %d events, %d steps, %d calls", len(files), events, steps, calls)
}

// countEvents counts with encoding/json.
func countEvents(t *testing.T, raw []byte) (n int) {
	t.Helper()
	in := json.NewDecoder(strings.NewReader(string(raw)))
	for in.More() {
		var value any
		if err := in.Decode(&value); err != nil {
			t.Fatal(err)
		}
		if one, ok := value.(map[string]any); ok {
			value = one["history"]
		}
		list, _ := value.([]any)
		n += len(list)
	}
	return n
}

func FuzzRead(f *testing.F) {
	f.Add(row)
	f.Add(`[{"source":"user","action":"message","args":{"content":"hi"}}]`)
	f.Fuzz(func(t *testing.T, raw string) {
		list, err := read(raw)
		if err != nil {
			return
		}
		for _, r := range list {
			if faults := r.Check(); len(faults) > 0 {
				t.Error(faults)
			}
		}
	})
}
