package sessiontest

import (
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

// Plain holds the counts of an independent, simple reading of a session.
type Plain struct {
	Objects int // number of objects in the file
	Calls   map[string]bool
	Results map[string]bool
	Usage   records.TokenUsage
	// Prompts and Answers are the texts of the user and of the model. If both are nil, they are not compared.
	Prompts, Answers []string
	// NoUsage excludes tokens from the comparison. NoCalls excludes calls and their results.
	NoUsage, NoCalls bool
}

// RealSessions lists the real sessions. If there are none, the test is skipped.
func (s Suite) RealSessions(t *testing.T) []string {
	t.Helper()
	dir := os.Getenv("GITTRACE_CORPUS")
	if dir == "" {
		found, _ := filepath.Glob(filepath.Join("..", "..", "..", "*", "corpus", "MANIFEST.tsv"))
		if len(found) == 0 {
			t.Skip("no real session files: set GITTRACE_CORPUS")
		}
		dir = filepath.Dir(found[0])
	}
	var files []string
	for _, pattern := range s.Corpus {
		found, _ := filepath.Glob(filepath.Join(dir, filepath.FromSlash(pattern)))
		files = append(files, found...)
	}
	if len(files) == 0 {
		t.Skipf("no session files of %s in the corpus", s.Agent.Title)
	}
	if s.Pieces == nil {
		return files
	}
	var all []string
	for _, path := range files {
		all = append(all, s.Pieces(t, path)...)
	}
	return all
}

// Invariants tests facts that hold for every session.
func (s Suite) Invariants(t *testing.T) {
	t.Helper()
	for _, path := range s.RealSessions(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			record, parsed := s.Parse(t, path, capability.ParseOptions{})
			if faults := record.Check(); len(faults) > 0 {
				t.Error(faults)
			}
			want := s.Plain(t, path)
			checkCalls(t, record, want)
			checkTexts(t, record, want)
			checkUsage(t, record, want)
			checkLines(t, record, parsed, want, s.Unknown[filepath.Base(path)])
			checkPrompts(t, record)
			raw := Encode(t, record)
			again, err := records.Decode(raw)
			if err != nil || !bytes.Equal(Encode(t, again), raw) {
				t.Errorf("the record is not read back: %v", err)
			}
			head, err := os.ReadFile(path)
			if err != nil || !s.Agent.Identifier.Recognises(path, head) {
				t.Errorf("the file is not recognised: %v", err)
			}
		})
	}
}

func checkTexts(t *testing.T, record *records.Record, want Plain) {
	t.Helper()
	if want.Prompts == nil && want.Answers == nil {
		return
	}
	texts := map[records.Role][]string{}
	for _, step := range record.Steps {
		if step.Content != nil {
			texts[step.Role] = append(texts[step.Role], *step.Content)
		}
	}
	for role, all := range map[records.Role][]string{records.RoleUser: want.Prompts, records.RoleAgent: want.Answers} {
		got, want := slices.Sorted(slices.Values(texts[role])), slices.Sorted(slices.Values(all))
		if !slices.Equal(got, want) {
			t.Errorf("texts of the %s: %q, the file has %q", role, got, want)
		}
	}
}

func checkCalls(t *testing.T, record *records.Record, want Plain) {
	t.Helper()
	if want.NoCalls {
		return
	}
	calls, answered := map[string]bool{}, 0
	for _, step := range record.Steps {
		for _, call := range step.ToolCalls {
			calls[call.ToolCallID] = true
		}
		for _, result := range step.Observations {
			if result.Error != nil && *result.Error == records.ErrorNoResult {
				continue
			}
			answered++
			if !want.Results[result.SourceCallID] {
				t.Errorf("call %s has a result that is not in the file", result.SourceCallID)
			}
		}
	}
	if len(calls) != len(want.Calls) {
		t.Errorf("%d calls, the file has %d", len(calls), len(want.Calls))
	}
	joined := 0
	for id := range want.Calls {
		if !calls[id] {
			t.Errorf("call %s is lost", id)
		}
		if want.Results[id] {
			joined++
		}
	}
	if answered != joined {
		t.Errorf("%d calls have results, the file has %d", answered, joined)
	}
}

func checkUsage(t *testing.T, record *records.Record, want Plain) {
	t.Helper()
	if want.NoUsage {
		return
	}
	var got records.TokenUsage
	for _, step := range record.Steps {
		got.Add(step.TokenUsage)
	}
	m := record.Metrics
	sums := records.TokenUsage{
		InputTokens: m.TotalInputTokens, OutputTokens: m.TotalOutputTokens, CacheReadTokens: m.TotalCacheReadTokens,
		CacheWriteTokens: m.TotalCacheCreationTokens,
	}
	if got != want.Usage || sums != want.Usage {
		t.Errorf("tokens: the steps have %+v, their sums are %+v, the file has %+v", got, sums, want.Usage)
	}
}

// checkLines tests that every object of the file is in the record, or is counted as left out. Objects of an unknown
// kind need a reason in the agent's tests.
func checkLines(t *testing.T, record *records.Record, parsed *capability.Parsed, want Plain, reason string) {
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
	if counted != parsed.Lines || parsed.Lines != want.Objects {
		t.Errorf("%d lines are counted of %d that were read; the file has %d objects", counted, parsed.Lines, want.Objects)
	}
	if n := capture.Skipped["unknown"]; n > 0 != (reason != "") {
		t.Errorf("%d lines are of unknown kinds; the reason for that is %q", n, reason)
	}
}

// checkPrompts tests that no prompt is a text that the client wrote.
func checkPrompts(t *testing.T, record *records.Record) {
	t.Helper()
	for _, step := range record.Steps {
		if step.Role != records.RoleUser || step.Content == nil {
			continue
		}
		for _, words := range []string{"<environment_context>", "<system-reminder>", "# AGENTS.md instructions for",
			"<command-", "Caveat: The messages"} {
			if strings.HasPrefix(*step.Content, words) {
				t.Errorf("step %d holds what the client wrote: %.100q", step.StepIndex, *step.Content)
			}
		}
	}
}

// Figures compares the figures of each real session with a table, to show the effect of a changed rule.
// `GITTRACE_UPDATE=1 go test` rewrites the table.
func (s Suite) Figures(t *testing.T) {
	t.Helper()
	files := s.RealSessions(t)
	path := filepath.Join(s.Sessions(), "corpus.tsv")
	table, err := os.ReadFile(path)
	if err != nil && os.Getenv("GITTRACE_UPDATE") == "" {
		t.Fatal(err)
	}
	var got strings.Builder
	got.WriteString("# file\tsteps\tprompts\tcalls\terrors\tinput\tcache read\tcache write\toutput\tcommits\tfiles " +
		"written\tskipped\n")
	for _, path := range files {
		record, _ := s.Parse(t, path, capability.ParseOptions{})
		got.WriteString(figures(filepath.Base(path), record))
	}
	if os.Getenv("GITTRACE_UPDATE") != "" {
		if err := os.WriteFile(path, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	known := strings.Split(string(table), "\n")
	for line := range strings.Lines(got.String()) {
		if line = strings.TrimSuffix(line, "\n"); !slices.Contains(known, line) {
			t.Errorf("not in the table: %s", line)
		}
	}
}

func figures(name string, record *records.Record) string {
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
	var capture struct {
		Skipped map[string]int `json:"skipped_lines"`
	}
	_ = json.Unmarshal(record.Metadata["capture"], &capture)
	skipped := 0
	for _, n := range capture.Skipped {
		skipped += n
	}
	written := 0
	if record.Attribution != nil {
		written = len(record.Attribution.Files)
	}
	m := record.Metrics
	return fmt.Sprintf("%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\n", name, len(record.Steps), prompts, calls, failed,
		m.TotalInputTokens, m.TotalCacheReadTokens, m.TotalCacheCreationTokens, m.TotalOutputTokens, len(commits), written,
		skipped)
}

// RealGrowing tests real sessions as Growing tests the samples, at a few places.
func (s Suite) RealGrowing(t *testing.T) {
	t.Helper()
	used := 0
	for n, source := range s.RealSessions(t) {
		data, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), filepath.Base(source))
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		record, _ := s.Parse(t, path, capability.ParseOptions{})
		want := Encode(t, record)
		for i := range 2 {
			if s.Grown(t, path, data, len(data)*(1+n%3+i)/5+i, want, record.SessionID) {
				used++
			}
		}
	}
	if used == 0 {
		t.Error("no cursor was used")
	}
}
