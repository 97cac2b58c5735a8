package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A session that was taken up twice from the same place leaves two files that begin alike. Both are one conversation:
// its record has every step once, and each line its own prompt, when the conversation is recorded again too.
func TestBackfillReadsTheFilesOfASessionAsOne(t *testing.T) {
	t.Parallel()
	w := newPastWorld(t, 1)
	first := w.at(w.dir)
	first.write("total.go", text(shopCode), nil, true)
	again := *first
	again.lines = append([]string(nil), first.lines...)
	prompt := func(s *pastSession, text string) {
		w.tick()
		s.entry("user", map[string]any{"role": "user", "content": text}, nil)
	}
	prompt(first, "the first of two")
	first.write("price.go", text(strings.ReplaceAll(shopCode, "Total", "Average")), nil, true)
	prompt(&again, "the second of two")
	again.calls += 10
	again.write("script.py", text(scriptCode), nil, true)
	again.end()
	slug := strings.NewReplacer("/", "-", "_", "-", ".", "-").Replace(w.dir)
	beside := filepath.Join(w.home, ".claude", "projects", slug, first.id+".jsonl")
	w.must(os.MkdirAll(filepath.Dir(beside), 0o755))
	w.must(os.Rename(filepath.Join(w.folder, "claude-code", first.id+".jsonl"), beside))
	first.end()
	copied, err := os.ReadFile(beside) // a copy of a file adds nothing
	w.must(err)
	w.must(os.WriteFile(filepath.Join(w.folder, "copy.jsonl"), copied, 0o644))
	w.commit("all of it")

	rows := w.backfill()
	if len(rows) != 1 || rows[0].Files != 3 {
		t.Fatalf("found %+v", rows)
	}
	check := func() {
		t.Helper()
		for path, want := range map[string]string{"total.go": "go on", "price.go": "the first of two", "script.py": "the second of two"} {
			out, err := w.command("git-trace", "blame", "--json", "--prompts", path).Output()
			w.must(err)
			var answer struct {
				Lines []struct {
					Prompt *struct {
						Text string `json:"text"`
					} `json:"prompt"`
				} `json:"lines"`
			}
			w.must(json.Unmarshal(out, &answer))
			if l := answer.Lines[len(answer.Lines)/2]; l.Prompt == nil || l.Prompt.Text != want {
				t.Errorf("%s: prompt %+v, want %q", path, l.Prompt, want)
			}
		}
		var record struct {
			Steps []struct {
				Role      string `json:"role"`
				ToolCalls []any  `json:"tool_calls"`
			} `json:"steps"`
			Metrics struct {
				Steps  int `json:"total_steps"`
				Output int `json:"total_output_tokens"`
			} `json:"metrics"`
		}
		w.must(json.Unmarshal([]byte(w.git("cat-file", "-p", "refs/traces/records:"+rows[0].Trace[:2]+"/"+rows[0].Trace+".json")), &record))
		prompts, calls := 0, 0
		for _, s := range record.Steps {
			if s.Role == "user" {
				prompts++
			}
			calls += len(s.ToolCalls)
		}
		if prompts != 3 || calls != 3 || record.Metrics.Steps != len(record.Steps) || record.Metrics.Output != 3 {
			t.Errorf("the record has %d prompts, %d calls, %+v", prompts, calls, record.Metrics)
		}
	}
	check()
	w.git("trace", "record", rows[0].Trace)
	check()
}
