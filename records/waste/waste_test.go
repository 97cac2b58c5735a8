package waste_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/waste"
)

// one is a call with its result.
type one struct {
	tool, input, result, failure string
}

func talk(calls ...one) *records.Record {
	r := &records.Record{}
	for i, c := range calls {
		id := fmt.Sprint(i)
		step := records.Step{
			StepIndex: i + 1, Role: records.RoleAgent, Model: new("anthropic/m"), CallType: new(records.CallMain),
			ToolCalls:    []records.ToolCall{{ToolCallID: id, ToolName: c.tool, Input: json.RawMessage(c.input)}},
			Observations: []records.Observation{{SourceCallID: id, Content: &c.result, Error: records.Text(c.failure)}},
			TokenUsage:   records.TokenUsage{OutputTokens: 10},
		}
		r.Steps = append(r.Steps, step)
	}
	return r
}

func TestWhatFillsTheContextIsFound(t *testing.T) {
	t.Parallel()
	text, other := strings.Repeat("a line of the file\n", 20), strings.Repeat("another one of it\n", 20)
	long := strings.Repeat("x", 40000)
	read, lines := `{"file_path":"a.go"}`, `{"file_path":"a.go","offset":5,"limit":3}`
	search := `{"pattern":"func main"}`
	test, edit := `{"command":"go  test ./..."}`, `{"file_path":"a.go","old_string":"a","new_string":"b"}`
	failing := one{"Bash", test, "FAIL", "command_failed"}
	compacted := talk(one{"Read", read, text, ""}, one{"Read", read, text, ""})
	compacted.SetMeta("summaries", []map[string]any{{"after_step": 1, "text": "so far"}})
	unread := talk(one{"Read", read, text, ""}, one{"Read", read, text, ""}) // no text of the summary is told
	unread.SetMeta("compactions", []map[string]any{{"after_step": 1}})
	others := talk(one{"Read", read, text, ""}, one{"Read", read, text, ""})
	others.SetMeta("summaries", []map[string]any{{"after_step": 1, "text": "so far", "subagent": "a"}})
	for name, c := range map[string]struct {
		of   *records.Record
		want string
	}{
		"a file again":                          {talk(one{"Read", read, text, ""}, one{"Read", read, text, ""}), "read_again 2 of 1"},
		"a file that changed":                   {talk(one{"Read", read, text, ""}, one{"Read", read, other, ""}), ""},
		"other lines of it":                     {talk(one{"Read", read, text, ""}, one{"Read", lines, text, ""}), ""},
		"a short one":                           {talk(one{"Read", read, "x", ""}, one{"Read", read, "x", ""}), ""},
		"after the context was left":            {compacted, ""},
		"after a compaction alone is told":      {unread, ""},
		"after a sub-agent left its context":    {others, "read_again 2 of 1"},
		"by another tool":                       {talk(one{"Bash", `{"command":"cat a.go"}`, text, ""}, one{"Bash", `{"command":"cat  a.go"}`, text, ""}), "read_again 2 of 1"},
		"a search again":                        {talk(one{"Grep", search, text, ""}, one{"Grep", search, text, ""}), "search_again 2 of 1"},
		"a build again":                         {talk(one{"Bash", `{"command":"make"}`, text, ""}, one{"Bash", `{"command":"make"}`, text, ""}), ""},
		"a long output":                         {talk(one{"Bash", `{"command":"make"}`, long, ""}), "large_output 1"},
		"a long file again is counted once":     {talk(one{"Read", read, long, ""}, one{"Read", read, long, ""}), "large_output 1; read_again 2 of 1"},
		"a command that fails, mended":          {talk(failing, one{"Edit", edit, "done", ""}, one{"Bash", test, "ok", ""}), ""},
		"twice, without an edit":                {talk(failing, failing, one{"Edit", edit, "done", ""}, one{"Bash", test, "ok", ""}), ""},
		"twice, and nothing else":               {talk(failing, failing), "failed_again 2 of 1, 2 times"},
		"three times, then it runs":             {talk(failing, one{"Edit", edit, "done", ""}, failing, one{"Edit", edit, "done", ""}, failing, one{"Bash", test, "ok", ""}), "failed_again 5 of 1, 3 times, passed 6"},
		"declined calls are the person's doing": {talk(one{"Bash", test, "no", "rejected"}, one{"Bash", test, "no", "rejected"}, one{"Bash", test, "no", "rejected"}), ""},
	} {
		result := waste.Of(c.of, nil)
		var got []string
		var sum int64
		for _, f := range result.Findings {
			text := fmt.Sprintf("%s %d", f.Kind, f.Step)
			if f.Of != nil {
				text += fmt.Sprintf(" of %d", *f.Of)
			}
			if f.Times > 0 {
				text += fmt.Sprintf(", %d times", f.Times)
			}
			if f.Passed != nil {
				text += fmt.Sprintf(", passed %d", *f.Passed)
			}
			got, sum = append(got, text), sum+f.Tokens
		}
		if strings.Join(got, "; ") != c.want || sum != result.Tokens {
			t.Errorf("%s: %q with %d tokens, want %q", name, got, result.Tokens, c.want)
		}
	}
}

func TestWasteHasACost(t *testing.T) {
	t.Parallel()
	failing := one{"Bash", `{"command":"go test"}`, strings.Repeat("x", 400), "command_failed"}
	result := waste.Of(talk(failing, failing, failing), func(_ string, u records.TokenUsage) (float64, bool) {
		return float64(u.InputTokens) + 100*float64(u.OutputTokens), true
	})
	if result.Tokens != 220 || result.CostUSD == nil || *result.CostUSD != 2200 {
		t.Errorf("%+v", result)
	}
	if unknown := waste.Of(talk(failing, failing, failing), nil); unknown.CostUSD != nil {
		t.Errorf("%+v", unknown)
	}
}
