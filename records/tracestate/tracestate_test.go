package tracestate_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/tracestate"
)

var update = flag.Bool("update", false, "write the goldens anew")

const sessions = "../../testdata/sessions"

func load(t testing.TB, name string) *records.Record {
	t.Helper()
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	r, err := records.Decode(raw)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func write(t testing.TB, r *records.Record, o tracestate.Options) (string, tracestate.Stats) {
	t.Helper()
	if err := o.Check(); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	var stats tracestate.Stats
	if err := tracestate.Write(&out, r, o, tracestate.Told{}, &stats); err != nil {
		t.Fatal(err)
	}
	return out.String(), stats
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil || got != string(want) {
		t.Errorf("%s: %v\ngot\n%s\nwant\n%s", name, err, got, want)
	}
}

// The session in which a person refuses a call, and later goes back: nine answers, two of them taken back.
func TestTheStatesOfASessionThatWentBack(t *testing.T) {
	t.Parallel()
	r := load(t, sessions+"/claude-code/rewind-0001.record.json")
	for name, o := range map[string]tracestate.Options{
		"full.jsonl": {}, "delta.jsonl": {History: tracestate.Delta}, "openai.jsonl": {Messages: tracestate.OpenAI, System: "Be brief."},
	} {
		got, stats := write(t, r, o)
		golden(t, "rewind-"+name, got)
		if stats.Steps != 14 || stats.States != 9 || stats.ByKind[tracestate.ToolUse] != 5 || stats.ByKind[tracestate.Text] != 4 || len(stats.Skipped) != 0 {
			t.Errorf("%+v", stats)
		}
	}
	if got, stats := write(t, r, tracestate.Options{Active: true}); stats.States != 7 || stats.Skipped["abandoned"] != 2 || bytes.Contains([]byte(got), []byte(":u16")) {
		t.Errorf("%+v", stats)
	}
}

func TestThePairsOfASessionThatWentBack(t *testing.T) {
	t.Parallel()
	r := load(t, sessions+"/claude-code/rewind-0001.record.json")
	o := tracestate.Options{}
	if err := o.Check(); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	var stats tracestate.Stats
	if err := tracestate.WritePairs(&out, r, o, tracestate.Told{}, &stats); err != nil {
		t.Fatal(err)
	}
	golden(t, "rewind-pairs.jsonl", out.String())
}

// line is a state as it is written.
type line struct {
	ID       string            `json:"state_id"`
	Base     *string           `json:"base"`
	Append   []json.RawMessage `json:"append"`
	Messages []json.RawMessage `json:"messages"`
	Action   string            `json:"student_action"`
	Origin   struct {
		Step int `json:"step"`
	} `json:"x_git_trace"`
}

func lines(t testing.TB, text string) []line {
	t.Helper()
	var out []line
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	for d.More() {
		var one line
		if err := d.Decode(&one); err != nil {
			t.Fatal(err)
		}
		out = append(out, one)
	}
	return out
}

// compile reads the schemas of states and of pairs.
func compile(t *testing.T) (states, pairs *jsonschema.Schema) {
	t.Helper()
	c := jsonschema.NewCompiler()
	states, err := c.Compile("../../docs/schema/tracestate-1.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile("../../docs/schema/tracestate-1.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err == nil {
		err = c.AddResource("https://github.com/git-trace/git-trace/docs/schema/tracestate-1.schema.json", doc)
	}
	if err != nil {
		t.Fatal(err)
	}
	if pairs, err = c.Compile("../../docs/schema/dpo-1.schema.json"); err != nil {
		t.Fatal(err)
	}
	return states, pairs
}

func TestWhatIsWrittenKeepsItsSchema(t *testing.T) {
	t.Parallel()
	states, pairs := compile(t)
	files, err := filepath.Glob(sessions + "/*/*.record.json")
	if err != nil || len(files) < 30 {
		t.Fatalf("%d records, %v", len(files), err)
	}
	for _, name := range files {
		r := load(t, name)
		for _, o := range []tracestate.Options{{Subagents: true, Thinking: true, PerCall: true}, {Thinking: true, Messages: tracestate.OpenAI}, {History: tracestate.Delta}, {Messages: tracestate.OpenAI, System: "x", MaxTokens: 50}} {
			text, _ := write(t, r, o)
			valid(t, name, states, text)
			if err := o.Check(); err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			if err := tracestate.WritePairs(&out, r, o, tracestate.Told{}, &tracestate.Stats{}); err != nil {
				t.Fatal(err)
			}
			valid(t, name, pairs, out.String())
		}
	}
}

func valid(t *testing.T, name string, schema *jsonschema.Schema, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
		if err == nil {
			err = schema.Validate(value)
		}
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, line)
		}
	}
}

// conversation is one of so many turns, each with a call.
func conversation(turns int) *records.Record {
	r := &records.Record{TraceID: "t", SessionID: "s", Agent: records.Agent{Name: "agent"}}
	for i := range turns {
		id := fmt.Sprint("c", i)
		r.Steps = append(r.Steps,
			records.Step{StepIndex: 2*i + 1, Role: records.RoleUser, Content: new(fmt.Sprint("question ", i))},
			records.Step{
				StepIndex: 2*i + 2, Role: records.RoleAgent, Content: new("answer"),
				ToolCalls:    []records.ToolCall{{ToolCallID: id, ToolName: "Bash", Input: json.RawMessage(`{"command":"true"}`)}},
				Observations: []records.Observation{{SourceCallID: id, Content: new(strings.Repeat("x", 1000))}},
			})
	}
	return r
}

func TestHistoriesAreAsLongAsTheirFormSays(t *testing.T) {
	t.Parallel()
	small, _ := write(t, conversation(500), tracestate.Options{History: tracestate.Delta})
	large, stats := write(t, conversation(5000), tracestate.Options{History: tracestate.Delta})
	if len(large) > 11*len(small) || stats.States != 5000 {
		t.Errorf("%d states take %d bytes, a tenth of them %d", stats.States, len(large), len(small))
	}
	o := tracestate.Options{}
	if err := o.Check(); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := tracestate.Write(&out, conversation(5000), o, tracestate.Told{}, &tracestate.Stats{}); !errors.Is(err, tracestate.ErrTooLong) || out.Len() > 0 {
		t.Errorf("%v, and %d bytes", err, out.Len())
	}
	limited, stats := write(t, conversation(200), tracestate.Options{MaxTokens: 1000})
	for _, one := range lines(t, limited) {
		size := 0
		for _, m := range one.Messages {
			size += len(m)
		}
		if size > 4000+1500 || !bytes.Contains(one.Messages[0], []byte("question 0")) || len(one.Messages)%2 == 0 {
			t.Fatalf("%s has %d messages of %d bytes", one.ID, len(one.Messages), size)
		}
	}
	if stats.Dropped == 0 {
		t.Error("nothing was dropped")
	}
}

func TestACompactionBeginsTheHistoryAnew(t *testing.T) {
	t.Parallel()
	r := conversation(3)
	r.SetMeta("compactions", []map[string]any{{"after_step": 2}, {"after_step": 4}})
	r.SetMeta("summaries", []map[string]any{{"after_step": 4, "text": "What was done."}})
	text, _ := write(t, r, tracestate.Options{})
	var got []string
	for _, one := range lines(t, text) {
		got = append(got, string(one.Messages[0]))
	}
	want := []string{
		`{"role":"user","content":"question 0"}`, `{"role":"user","content":"[earlier conversation was compacted]\n\nquestion 1"}`,
		`{"role":"user","content":"What was done.\n\nquestion 2"}`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("histories begin with %q, want %q", got, want)
	}
}

func TestWhatIsNoDecisionIsNoState(t *testing.T) {
	t.Parallel()
	r := conversation(6)
	r.Steps[1].Observations[0] = records.Observation{SourceCallID: "c0", Error: new(records.ErrorNoResult)}
	r.Steps[3].CallType = new(records.CallWarmup)
	r.Steps[5].ToolCalls, r.Steps[5].Observations, r.Steps[5].Content = nil, nil, nil
	r.Steps[7].CallType, r.Steps[7].ParentStep = new(records.CallSubagent), new(2)
	r.Steps[11].Observations = nil
	r.SetMeta("stop_reasons", []records.Stop{{Step: 10, Reason: "error"}})
	text, stats := write(t, r, tracestate.Options{})
	if text != "" || stats.States != 0 || fmt.Sprint(stats.Skipped) != "map[api_error:1 empty:1 no_result:1 subagent:1 unfinished:1 warmup:1]" {
		t.Errorf("%s%v", text, stats.Skipped)
	}
}

// A command that failed and the variation of it that worked, in the same turn, are a pair; commands of other programs
// and of other turns are none.
func TestACommandThatWorkedTakesThePlaceOfOneThatFailed(t *testing.T) {
	t.Parallel()
	r := conversation(5)
	for i, command := range []string{"cd x && go test ./a", "ls", "CI=1 go test ./...", "go test ./b", "go test ./c"} {
		step := &r.Steps[2*i+1]
		step.ToolCalls[0].Input = json.RawMessage(fmt.Sprintf(`{"command":%q}`, command))
		if i == 0 || i == 3 {
			step.Observations[0].Error = new("exit_code:1")
		}
	}
	r.Steps = slices.Delete(r.Steps, 2, 3) // two answers of one turn
	r.Steps = slices.Delete(r.Steps, 3, 4)
	for i := range r.Steps {
		r.Steps[i].StepIndex = i + 1
	}
	o := tracestate.Options{}
	if err := o.Check(); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := tracestate.WritePairs(&out, r, o, tracestate.Told{}, &tracestate.Stats{}); err != nil {
		t.Fatal(err)
	}
	var pair struct{ Chosen, Rejected, Source string }
	if err := json.Unmarshal(out.Bytes(), &pair); err != nil || pair.Source != "failed_then_fixed" ||
		pair.Chosen != `[{"input": {"command": "CI=1 go test ./..."}, "name": "Bash"}]` || !strings.Contains(pair.Rejected, "./a") {
		t.Errorf("%v: %s", err, out.String())
	}
}

// Whatever a record is, what is written is JSON, and each history ends with the user.
func FuzzStates(f *testing.F) {
	files, _ := filepath.Glob(sessions + "/*/*.record.json")
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, err := records.Decode(raw)
		if err != nil || len(r.CheckForeign()) > 0 {
			return
		}
		for _, o := range []tracestate.Options{{Subagents: true}, {History: tracestate.Delta, Messages: tracestate.OpenAI}} {
			if err := o.Check(); err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			if err := tracestate.Write(&out, r, o, tracestate.Told{}, &tracestate.Stats{}); err != nil && !errors.Is(err, tracestate.ErrTooLong) {
				t.Fatal(err)
			}
			for _, one := range lines(t, out.String()) {
				list := slices.Concat(one.Messages, one.Append)
				last := string(list[len(list)-1])
				if !strings.HasPrefix(last, `{"role":"user"`) && !strings.HasPrefix(last, `{"role":"tool"`) {
					t.Fatalf("%s ends with %s", one.ID, last)
				}
			}
			out.Reset()
			if err := tracestate.WritePairs(&out, r, o, tracestate.Told{}, &tracestate.Stats{}); err != nil && !errors.Is(err, tracestate.ErrTooLong) {
				t.Fatal(err)
			}
		}
	})
}

// Which states are wanted changes no history: a state is the same line with and without its neighbours.
func TestOnlyTheStatesThatAreWantedAreWritten(t *testing.T) {
	t.Parallel()
	r := load(t, sessions+"/claude-code/rewind-0001.record.json")
	whole, _ := write(t, r, tracestate.Options{})
	for name, one := range map[string]struct {
		options tracestate.Options
		skipped string
		wanted  func(action string) bool
	}{
		"tool_use":  {tracestate.Options{Only: tracestate.ToolUse}, "other_kind", func(a string) bool { return strings.HasPrefix(a, "[{") }},
		"text":      {tracestate.Options{Only: tracestate.Text}, "other_kind", func(a string) bool { return !strings.HasPrefix(a, "[{") }},
		"min-chars": {tracestate.Options{MinChars: 11}, "too_short", func(a string) bool { return len([]rune(a)) >= 11 }},
	} {
		got, stats := write(t, r, one.options)
		want, left := "", 0
		for _, text := range strings.SplitAfter(strings.TrimSuffix(whole, "\n"), "\n") {
			var s struct {
				Action string `json:"student_action"`
			}
			if err := json.Unmarshal([]byte(text), &s); err != nil {
				t.Fatal(err)
			}
			if one.wanted(s.Action) {
				want += strings.TrimSuffix(text, "\n") + "\n"
			} else {
				left++
			}
		}
		if got != want || left == 0 || stats.Skipped[one.skipped] != left {
			t.Errorf("%s: %d skipped, wanted %d\n%s\nwanted\n%s", name, stats.Skipped[one.skipped], left, got, want)
		}
	}
}

// With a state for each call, the later ones see the calls before them with their results, and no other.
func TestEachCallOfAnAnswerIsAState(t *testing.T) {
	t.Parallel()
	r := load(t, sessions+"/claude-code/rewind-0001.record.json")
	whole, _ := write(t, r, tracestate.Options{})
	got, _ := write(t, r, tracestate.Options{PerCall: true})
	one, each := lines(t, whole), lines(t, got)
	if len(each) != len(one)+1 {
		t.Fatalf("%d states of calls, %d of answers", len(each), len(one))
	}
	ids := map[string]line{}
	for _, s := range each {
		ids[s.ID] = s
	}
	for _, s := range one {
		if ids[s.ID].ID != "" {
			continue
		}
		first, second := ids[s.ID+"#1"], ids[s.ID+"#2"]
		if len(first.Messages) != len(s.Messages) || len(second.Messages) != len(s.Messages)+2 {
			t.Errorf("%s: %d messages, then %d and %d", s.ID, len(s.Messages), len(first.Messages), len(second.Messages))
		}
		last, _ := json.Marshal(second.Messages[len(s.Messages):])
		if strings.Count(string(last), "tool_use_id") != 1 || strings.Count(string(last), `"tool_use"`) != 1 {
			t.Errorf("%s: the second call sees %s", s.ID, last)
		}
	}
}

func TestThoughtsAreKeptOnlyWhereTheyAreWanted(t *testing.T) {
	t.Parallel()
	thought := "the secret of the sauce"
	r := conversation(2)
	for i := range r.Steps {
		if r.Steps[i].Role == records.RoleAgent {
			r.Steps[i].ReasoningContent = &thought
		}
	}
	for _, d := range []tracestate.Dialect{tracestate.Anthropic, tracestate.OpenAI} {
		without, _ := write(t, r, tracestate.Options{Messages: d})
		with, _ := write(t, r, tracestate.Options{Messages: d, Thinking: true})
		if strings.Contains(without, thought) || strings.Count(with, thought) != strings.Count(with, "\n")*(strings.Count(with, "\n")-1)/2 {
			t.Errorf("%s: %d thoughts\n%s", d, strings.Count(with, thought), with)
		}
	}
}

// The system prompt of each answer is its own where the record has it; without one the history begins with the user.
func TestARecordedSystemPromptBeginsItsHistory(t *testing.T) {
	t.Parallel()
	r := conversation(3)
	r.SystemPrompts = map[string]string{"a": "Be brief.", "b": "Be long."}
	agents := 0
	for i := range r.Steps {
		if r.Steps[i].Role == records.RoleAgent {
			if agents++; agents < 3 {
				r.Steps[i].SystemPromptHash = new(string(rune('a' - 1 + agents)))
			}
		}
	}
	text, _ := write(t, r, tracestate.Options{Recorded: true})
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) < 3 {
		t.Fatalf("%d states", len(lines))
	}
	for i, want := range []string{
		`"messages":[{"role":"system","content":"Be brief."},{"role":"user"`, `"messages":[{"role":"system","content":"Be long."},{"role":"user"`,
		`"messages":[{"role":"user"`,
	} {
		if !strings.Contains(lines[i], want) {
			t.Errorf("state %d: no %s in %.200s", i+1, want, lines[i])
		}
	}
}
