package qwencode

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheModelOfASubagentIsInWhatIsNotedOfItsAnswers(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "S.jsonl")
	noted := func(subagent, model string) string {
		return `{"type":"system","systemPayload":{"uiEvent":{"event.name":"qwen-code.api_response","model":"` + model + `","subagent_id":"` + subagent + `"}}}`
	}
	lines := []string{
		`{"type":"assistant","model":"big","message":{}}`, noted("H", "old"), noted("H", "small"), noted("H2", "other"),
		`{"type":"user","message":{"parts":[{"text":"H \"qwen-code.api_response\""}]}}`, "nonsense",
	}
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for subagent, want := range map[string]string{"": "big", "H": "small", "H2": "other", "H3": ""} {
		if got := lastModel(path, subagent); got != want {
			t.Errorf("sub-agent %q: got %q, want %q", subagent, got, want)
		}
	}
	if got := lastModel(filepath.Join(t.TempDir(), "none"), "H"); got != "" {
		t.Errorf("a file that is not there names %q", got)
	}
}
