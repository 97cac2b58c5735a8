package sweagent_test

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/sweagent"
)

type reader func(io.Reader, func(int, *records.Record) error) error

func read(from reader, raw io.Reader) (list []*records.Record, err error) {
	err = from(raw, func(_ int, r *records.Record) error {
		list = append(list, r)
		return nil
	})
	return list, err
}

const traj = `{"environment":"swe_main","trajectory":[
 {"action":"str_replace_editor view /testbed/a.py","observation":"1\tx = 1","response":"Let me look.","thought":"Let me look.","execution_time":0.3},
 {"action":"vim a.py","observation":"blocked","response":"vim","thought":"vim"},
 {"action":"submit","observation":"diff","response":"done","thought":"done","execution_time":1.5}],
 "history":[{"role":"system","content":"SETTING","agent":"main","message_type":"system_prompt"},
  {"role":"user","content":"an example","is_demo":true},
  {"role":"user","content":[{"type":"text","text":"We're solving issue 1"}],"message_type":"observation"},
  {"role":"assistant","content":"Let me look.","thought":"Let me look.","action":"str_replace_editor view /testbed/a.py","tool_calls":[{"id":"call_1","type":"function","function":{"name":"str_replace_editor","arguments":"{\"command\":\"view\",\"path\":\"/testbed/a.py\"}"}}],"message_type":"action"},
  {"role":"tool","content":[{"type":"text","text":"OBSERVATION:\n1\tx = 1"}],"tool_call_ids":["call_1"],"message_type":"observation"},
  {"role":"assistant","content":"done","action":"submit","message_type":"action"}],
 "info":{"exit_status":"exit_cost","submission":"diff --git a b","model_stats":{"instance_cost":0.12,"tokens_sent":41000,"tokens_received":900},"swe_agent_version":"1.1.0"},
 "replay_config":"{\"agent\":{\"model\":{\"name\":\"claude-opus-4-5\"}}}"}`

const miniDocument = `{"info":{"model_stats":{"instance_cost":0.02},"config":{"model":{"model_name":"anthropic/claude-opus-4-5"},"environment":{"cwd":"/testbed"}},"mini_version":"2.4.6","exit_status":"Submitted","submission":"diff --git"},
 "messages":[{"role":"system","content":"S"},{"role":"user","content":"Please solve"},
  {"role":"assistant","content":"Look.","tool_calls":[{"id":"c1","type":"function","function":{"name":"bash","arguments":"{\"command\":\"ls\"}"}}],"extra":{"actions":[{"command":"ls","tool_call_id":"c1"}],"response":{"id":"r1","usage":{"prompt_tokens":900,"completion_tokens":20,"prompt_tokens_details":{"cached_tokens":800}}},"cost":0.01,"timestamp":1778900000.1}},
  {"role":"tool","tool_call_id":"c1","content":"<returncode>2</returncode>\n<output>\na.py</output>","extra":{"raw_output":"a.py\n","returncode":2,"timestamp":1778900000.4,"exception_info":""}},
  {"object":"response","output":[{"type":"reasoning","summary":[{"text":"hm"}]},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"now"}]},{"type":"function_call","call_id":"f1","name":"bash","arguments":"{\"command\":\"make\"}"}]},
  {"type":"function_call_output","call_id":"f1","output":"<returncode>0</returncode>\n<output>\nok\n</output>"},
  {"role":"exit","content":"diff --git"}],
 "trajectory_format":"mini-swe-agent-1.1","instance_id":"x__y-1"}`

const miniList = "[{\"role\":\"system\",\"content\":\"S\"},{\"role\":\"user\",\"content\":\"go\"}," +
	"{\"role\":\"assistant\",\"content\":\"THOUGHT\\n\\n```mswea_bash_command\\nls -l\\n```\"}," +
	"{\"role\":\"user\",\"content\":\"<returncode>1</returncode>\\n<output>\\nno\\n</output>\"}]"

func TestATrajectoryBecomesAConversation(t *testing.T) {
	t.Parallel()
	list, err := read(sweagent.Read, strings.NewReader(traj))
	if err != nil || len(list) != 1 {
		t.Fatalf("%d records, %v", len(list), err)
	}
	r := list[0]
	if len(r.Steps) != 4 || *r.ExecutionContext != records.Runtime || *r.Agent.Model != "anthropic/claude-opus-4-5" ||
		*r.Outcome.Patch != "diff --git a b" || *r.Outcome.TerminalState != records.Failed || r.Outcome.Success != nil ||
		*r.Task.Source != "benchmark" || r.Metrics.TotalInputTokens != 41000 {
		t.Fatalf("record %+v", r)
	}
	look, blocked, submit := r.Steps[1], r.Steps[2], r.Steps[3]
	if look.ToolCalls[0].ToolCallID != "call_1" || *look.Observations[0].Content != "1\tx = 1" ||
		*look.ToolCalls[0].DurationMS != 300 {
		t.Errorf("%+v", look)
	}
	if string(blocked.ToolCalls[0].Input) != `{"command":"vim a.py"}` || *blocked.Observations[0].Error != records.ErrorTool {
		t.Errorf("%+v", blocked)
	}
	if *submit.Observations[0].Content != "diff" || submit.Observations[0].Error != nil {
		t.Errorf("%+v", submit)
	}
	if got := string(r.Metadata["capture"]); !strings.Contains(got, `"lines":5`) ||
		!strings.Contains(got, `"demonstration":1`) {
		t.Errorf("capture %s", got)
	}
}

func TestARunOfMiniBecomesAConversation(t *testing.T) {
	t.Parallel()
	list, err := read(sweagent.ReadMini, strings.NewReader(miniDocument+"\n"+miniList))
	if err != nil || len(list) != 2 {
		t.Fatalf("%d records, %v", len(list), err)
	}
	r := list[0]
	want := records.TokenUsage{InputTokens: 100, OutputTokens: 20, CacheReadTokens: 800}
	if len(r.Steps) != 3 || r.SessionID != "x__y-1" || r.Steps[1].TokenUsage != want ||
		*r.Steps[1].ToolCalls[0].DurationMS != 300 ||
		*r.Steps[1].Observations[0].Error != "exit_code:2" || *r.Steps[1].Observations[0].Content != "a.py\n" ||
		*r.Steps[2].Content != "now" || *r.Steps[2].Observations[0].Content != "ok\n" || r.Outcome.TerminalState != nil {
		t.Errorf("record %+v", r)
	}
	if call := list[1].Steps[1]; string(call.ToolCalls[0].Input) != `{"command":"ls -l"}` || *call.Observations[0].Error != "exit_code:1" {
		t.Errorf("bare list %+v", call)
	}
}

// Every message of the real files is in a record or counted, and every call of theirs has one observation.
func TestRealRunsAreReadWithoutLoss(t *testing.T) {
	t.Parallel()
	for pattern, from := range map[string]reader{"swe-agent/*": sweagent.Read, "mini-swe-agent/*": sweagent.ReadMini} {
		files, _ := filepath.Glob("../../../shared/corpus/" + pattern)
		if len(files) == 0 {
			t.Skip("the corpus is not here")
		}
		for _, name := range files {
			raw, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if raw[0] != '{' && raw[0] != '[' {
				continue // one demonstration is YAML
			}
			list, err := read(from, strings.NewReader(string(raw)))
			if err != nil || len(list) != 1 {
				t.Errorf("%s: %d records, %v", filepath.Base(name), len(list), err)
				continue
			}
			var document struct{ History, Messages []json.RawMessage }
			if json.Unmarshal(raw, &document) != nil {
				_ = json.Unmarshal(raw, &document.Messages)
			}
			var told records.Captured
			told.Add(list[0])
			all := told.Taken
			for _, n := range told.Skipped {
				all += n
			}
			if all != len(document.History)+len(document.Messages) {
				t.Errorf("%s: %d messages are counted, of %d", filepath.Base(name), all,
					len(document.History)+len(document.Messages))
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, raw := range []string{traj, miniDocument, miniList} {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		for _, from := range []reader{sweagent.Read, sweagent.ReadMini} {
			list, _ := read(from, strings.NewReader(raw))
			for _, r := range list {
				if faults := r.Check(); len(faults) > 0 {
					t.Fatalf("%v", faults)
				}
			}
		}
	})
}

// A file of these programs has one trajectory and their conversation its name. In any other the rows of a data set may
// follow each other: two that differ are two conversations, wherever they stand.
func TestTrajectoriesOfOneFileAreConversationsOfTheirOwn(t *testing.T) {
	t.Parallel()
	other := strings.ReplaceAll(traj, "issue 1", "issue 2")
	sessions := func(name, text string) (out []string) {
		t.Helper()
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = f.Close() }()
		list, err := read(sweagent.Read, f)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range list {
			out = append(out, r.SessionID)
		}
		return out
	}
	if got := sessions("x__y-1.traj", traj); len(got) != 1 || got[0] != "x__y-1" {
		t.Errorf("a file of its own: %q", got)
	}
	rows, moved := sessions("all.jsonl", traj+"\n"+other), sessions("more.json", other+"\n"+traj)
	if len(rows) != 2 || len(moved) != 2 || rows[0] == rows[1] || rows[0] != moved[1] || rows[1] != moved[0] {
		t.Errorf("rows: %q, moved: %q", rows, moved)
	}
	list := `[{"role":"system","content":"S"},{"role":"user","content":"go"},{"role":"assistant","content":"no"}]`
	attempts := func(words string) string {
		return `{"environment":"swe_main","info":{},"trajectory":[{"action":"ls"}],"attempts":[{"trajectory":[],"history":` +
			strings.ReplaceAll(list, "go", words) + `}]}`
	}
	if got := sessions("all.jsonl", attempts("one")+"\n"+attempts("two")); len(got) != 2 || got[0] == got[1] {
		t.Errorf("attempts of two trajectories: %q", got)
	}
}
