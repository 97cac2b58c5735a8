package claudecode_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/records"
)

// corpus is a directory of real session files: $GITTRACE_CORPUS, or one beside the repository. They are no part of the
// project; without them these tests are skipped.
func corpus(t *testing.T) []string {
	t.Helper()
	dir := os.Getenv("GITTRACE_CORPUS")
	if dir == "" {
		found, _ := filepath.Glob(filepath.Join("..", "..", "..", "*", "corpus", "MANIFEST.tsv"))
		if len(found) == 0 {
			t.Skip("no real session files: set GITTRACE_CORPUS")
		}
		dir = filepath.Dir(found[0])
	}
	files, _ := filepath.Glob(filepath.Join(dir, "claude-code", "*.jsonl"))
	if len(files) == 0 {
		t.Skip("no session files of Claude Code in the corpus")
	}
	return files
}

// plain is what a second, simple reading of a file counts: whole lines with encoding/json, nothing else.
type plain struct {
	objects int
	calls   map[string]bool
	results map[string]bool
	output  int64 // output tokens of the last line of each answer
	input   int64
	cached  int64
}

func readPlain(t *testing.T, path string) plain {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	p := plain{calls: map[string]bool{}, results: map[string]bool{}}
	type usage struct {
		Input  int64 `json:"input_tokens"`
		Output int64 `json:"output_tokens"`
		Read   int64 `json:"cache_read_input_tokens"`
	}
	last := map[string]usage{}
	in := bufio.NewReader(file)
	for {
		line, err := in.ReadBytes('\n')
		d := json.NewDecoder(bytes.NewReader(line))
		for d.More() {
			var raw json.RawMessage
			if d.Decode(&raw) != nil {
				break
			}
			if !bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")) {
				continue
			}
			p.objects++
			type talk struct {
				Type    string
				UUID    string
				Request string          `json:"requestId"`
				Message json.RawMessage `json:"message"`
			}
			var outer struct {
				talk
				Data struct {
					Type    string
					Message talk
				}
			}
			if json.Unmarshal(raw, &outer) != nil {
				continue
			}
			one := outer.talk
			if one.Type == "progress" && outer.Data.Type == "agent_progress" {
				one = outer.Data.Message
			}
			var message struct {
				ID      string
				Model   string
				Usage   *usage
				Content json.RawMessage
			}
			if one.Type != "user" && one.Type != "assistant" || json.Unmarshal(one.Message, &message) != nil {
				continue
			}
			if one.Type == "assistant" && message.Usage != nil && message.Model != "<synthetic>" {
				last[message.ID+"/"+one.Request] = *message.Usage
			}
			var blocks []struct {
				Type, ID string
				Use      string `json:"tool_use_id"`
			}
			_ = json.Unmarshal(message.Content, &blocks)
			for _, block := range blocks {
				switch block.Type {
				case "tool_use":
					p.calls[block.ID] = true
				case "tool_result":
					p.results[block.Use] = true
				}
			}
		}
		if err != nil {
			break
		}
	}
	for _, u := range last {
		p.output += u.Output
		p.input += u.Input
		p.cached += u.Read
	}
	return p
}

// What holds for any session file, whoever wrote it.
func TestWhatHoldsForEveryRealSession(t *testing.T) {
	t.Parallel()
	for _, path := range corpus(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			record, parsed := parse(t, path, capability.ParseOptions{})
			if faults := record.Check(); len(faults) > 0 {
				t.Error(faults)
			}
			want := readPlain(t, path)
			checkCalls(t, record, want)
			m := record.Metrics
			if m.TotalOutputTokens != want.output || m.TotalInputTokens != want.input || m.TotalCacheReadTokens != want.cached {
				t.Errorf("tokens: %d out, %d in, %d cached; the last lines of the answers say %d, %d, %d",
					m.TotalOutputTokens, m.TotalInputTokens, m.TotalCacheReadTokens, want.output, want.input, want.cached)
			}
			checkLines(t, record, parsed, want)
			raw := encode(t, record)
			again, err := records.Decode(raw)
			if err != nil || !bytes.Equal(encode(t, again), raw) {
				t.Errorf("the record is not read back: %v", err)
			}
			for _, step := range record.Steps {
				for _, text := range []*string{step.Content, record.Task.Description} {
					if text != nil && (strings.HasPrefix(*text, "<command-") || strings.HasPrefix(*text, "Caveat: The messages") ||
						strings.Contains(*text, "<system-reminder>") && step.Role == records.RoleUser) {
						t.Errorf("step %d holds what the client wrote: %.100q", step.StepIndex, *text)
					}
				}
			}
		})
	}
}

func checkCalls(t *testing.T, record *records.Record, want plain) {
	t.Helper()
	calls, answered := map[string]bool{}, 0
	for _, step := range record.Steps {
		for _, call := range step.ToolCalls {
			calls[call.ToolCallID] = true
		}
		for _, result := range step.Observations {
			if result.Error == nil || *result.Error != records.ErrorNoResult {
				answered++
				if !want.results[result.SourceCallID] {
					t.Errorf("call %s has a result that is not in the file", result.SourceCallID)
				}
			}
		}
	}
	if len(calls) != len(want.calls) {
		t.Errorf("%d calls, the file has %d", len(calls), len(want.calls))
	}
	for id := range want.calls {
		if !calls[id] {
			t.Errorf("call %s is lost", id)
		}
	}
	joined := 0
	for id := range want.results {
		if want.calls[id] {
			joined++
		}
	}
	if answered != joined {
		t.Errorf("%d calls have results, the file has %d", answered, joined)
	}
}

// checkLines holds that every object of the file is in the record or counted.
func checkLines(t *testing.T, record *records.Record, parsed *capability.Parsed, want plain) {
	t.Helper()
	var capture struct {
		Lines   int            `json:"lines"`
		Skipped map[string]int `json:"skipped_lines"`
	}
	if err := json.Unmarshal(record.Metadata["capture"], &capture); err != nil {
		t.Fatal(err)
	}
	counted := capture.Lines
	for _, n := range capture.Skipped {
		counted += n
	}
	if counted != parsed.Lines || parsed.Lines != want.objects {
		t.Errorf("%d lines are counted of %d that were read; the file has %d objects", counted, parsed.Lines, want.objects)
	}
}

// The figures of each file, so that a change of the rules shows where it counts.
func TestFiguresOfRealSessions(t *testing.T) {
	t.Parallel()
	files := corpus(t)
	table, err := os.ReadFile(filepath.Join(sessions, "corpus.tsv"))
	if err != nil && os.Getenv("GITTRACE_UPDATE") == "" {
		t.Fatal(err)
	}
	var got strings.Builder
	got.WriteString("# file\tsteps\tprompts\tcalls\terrors\tinput\toutput\tcommits\tfiles written\n")
	for _, path := range files {
		record, _ := parse(t, path, capability.ParseOptions{})
		prompts, calls, failed := 0, 0, 0
		for _, step := range record.Steps {
			if step.Role == records.RoleUser {
				prompts++
			}
			calls += len(step.ToolCalls)
			for _, result := range step.Observations {
				if result.Error != nil {
					failed++
				}
			}
		}
		var commits []json.RawMessage
		_ = json.Unmarshal(record.Metadata["commits"], &commits)
		written := 0
		if record.Attribution != nil {
			written = len(record.Attribution.Files)
		}
		fmt.Fprintf(&got, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\n", filepath.Base(path), len(record.Steps), prompts, calls, failed,
			record.Metrics.TotalInputTokens, record.Metrics.TotalOutputTokens, len(commits), written)
	}
	if os.Getenv("GITTRACE_UPDATE") != "" {
		if err := os.WriteFile(filepath.Join(sessions, "corpus.tsv"), []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	lines := strings.Split(string(table), "\n")
	for line := range strings.Lines(got.String()) {
		if line = strings.TrimSuffix(line, "\n"); !slices.Contains(lines, line) {
			t.Errorf("not in the table: %s", line)
		}
	}
}

func TestRealSessionsMayGrow(t *testing.T) {
	t.Parallel()
	used := 0
	for _, source := range corpus(t) {
		data, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "grows.jsonl")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		record, _ := parse(t, path, capability.ParseOptions{})
		want := encode(t, record)
		for i := range 6 {
			if grown(t, path, data, len(data)*i/6+i, want, "") {
				used++
			}
		}
	}
	if used < 20 {
		t.Errorf("a cursor was used %d times", used)
	}
}
