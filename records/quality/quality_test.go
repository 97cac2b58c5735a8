package quality_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/quality"
)

// complete has everything that any check asks for.
func complete() *records.Record {
	step := func(i int, role records.Role) records.Step {
		return records.Step{StepIndex: i, Role: role, Content: new("text"), Timestamp: new("2026-03-02T09:00:01Z")}
	}
	ask, answer, sub, warm := step(1, records.RoleUser), step(2, records.RoleAgent), step(3, records.RoleAgent), step(4, records.RoleAgent)
	usage := records.TokenUsage{InputTokens: 1, OutputTokens: 20}
	answer.ReasoningContent, answer.Model, answer.TokenUsage = new("thought"), new("p/m"), usage
	answer.SystemPromptHash = new("h")
	answer.ToolCalls = []records.ToolCall{{ToolCallID: "c", ToolName: "Edit", Input: json.RawMessage(`{}`)}}
	answer.Observations = []records.Observation{{SourceCallID: "c", Content: new("done")}}
	answer.Snippets = []records.Snippet{{FilePath: "a.go", Language: new("go"), Text: new("x")}}
	sub.ReasoningContent, sub.Model, sub.TokenUsage = new("thought"), new("p/m"), usage
	sub.CallType, sub.ParentStep = new(records.CallSubagent), new(2)
	warm.ReasoningContent, warm.Model, warm.TokenUsage = new("thought"), new("p/m"), usage
	warm.CallType = new(records.CallWarmup)
	return &records.Record{
		SchemaVersion: records.SchemaVersion, TraceID: "t", SessionID: "s",
		Agent:         records.Agent{Name: "a", Version: new("1"), Model: new("p/m")},
		Task:          records.Task{Description: new("add a check to the form")},
		Environment:   records.Environment{OS: new("linux"), VCS: records.VCS{Type: records.VCSGit}, LanguageEcosystem: []string{"go"}},
		SystemPrompts: map[string]string{"h": "be brief"},
		Dependencies:  []string{"x"},
		Steps:         []records.Step{ask, answer, sub, warm},
		Outcome:       records.Outcome{Success: new(true), SignalConfidence: records.SignalDerived, Committed: true, Patch: new("diff")},
		Attribution:   &records.Attribution{Files: []records.AttributedFile{{Path: "a.go"}}},
		Lifecycle:     records.Provisional,
		Metrics: records.Metrics{
			TotalSteps: 4, TotalInputTokens: 2, TotalOutputTokens: 40, TotalDurationS: new(records.Float(3)),
			CacheHitRate: new(records.Float(0.5)), EstimatedCostUSD: new(records.Float(0.1)),
		},
	}
}

// shares are the outcomes by id; -1 for a check that does not apply.
func shares(r *records.Record) map[string]float64 {
	out := map[string]float64{}
	for _, score := range quality.Assess(r).Scores {
		for _, c := range score.Checks {
			out[c.ID] = -1
			if c.Share != nil {
				out[c.ID] = *c.Share
			}
		}
	}
	return out
}

func TestACompleteRecordPassesAll34Checks(t *testing.T) {
	t.Parallel()
	report := quality.Assess(complete())
	if len(report.Faults) > 0 || !report.Gate {
		t.Fatalf("report %+v", report)
	}
	n := 0
	for _, score := range report.Scores {
		n += len(score.Checks)
		if score.Score != 100 || !score.Reached {
			t.Errorf("%s: %v", score.Persona, score.Score)
		}
		for _, c := range score.Checks {
			if c.Share == nil || *c.Share != 1 {
				t.Errorf("%s (%s) is not met", c.ID, c.What)
			}
		}
	}
	if n != 34 {
		t.Errorf("%d checks", n)
	}
}

// Each damage lowers the checks that it names, and no other.
func TestEachCheckSeesItsDamage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		damage func(*records.Record)
		want   map[string]float64
	}{
		"two prompts in a row": {func(r *records.Record) {
			second := r.Steps[0]
			r.Steps = append([]records.Step{second}, r.Steps...)
			r.Metrics.TotalSteps = 5
			for i := range r.Steps {
				r.Steps[i].StepIndex = i + 1
			}
		}, map[string]float64{"T1": 0.5}},
		"a call without a result": {func(r *records.Record) {
			r.Steps[1].Observations[0] = records.Observation{SourceCallID: "c", Error: new(records.ErrorNoResult)}
		}, map[string]float64{"T2": 0}},
		"a result of no call":        {func(r *records.Record) { r.Steps[1].Observations[0].SourceCallID = "d" }, map[string]float64{"T2": 0, "T3": 0}},
		"a system prompt is missing": {func(r *records.Record) { r.SystemPrompts = nil }, map[string]float64{"T4": 0}},
		"an empty answer": {func(r *records.Record) { r.Steps[2].Content, r.Steps[2].ReasoningContent = nil, nil },
			map[string]float64{"T5": 0.6667, "T6": 0.6667}},
		"no reasoning": {func(r *records.Record) {
			for i := range r.Steps {
				r.Steps[i].ReasoningContent = nil
			}
		}, map[string]float64{"T6": 0, "T7": 0}},
		"no task":       {func(r *records.Record) { r.Task.Description = new(" ") }, map[string]float64{"T8": 0, "D3": 0}},
		"a short task":  {func(r *records.Record) { r.Task.Description = new("fix it") }, map[string]float64{"D3": 0}},
		"no outcome":    {func(r *records.Record) { r.Outcome = records.Outcome{SignalConfidence: records.SignalDerived} }, map[string]float64{"T9": 0, "RL1": 0, "RL3": -1, "RL7": 0}},
		"a guess":       {func(r *records.Record) { r.Outcome.SignalConfidence = records.SignalInferred }, map[string]float64{"RL2": 0.5}},
		"no change":     {func(r *records.Record) { r.Outcome.Patch, r.Attribution = nil, nil }, map[string]float64{"RL3": 0, "D6": 0}},
		"no tokens":     {func(r *records.Record) { r.Steps[2].TokenUsage = records.TokenUsage{} }, map[string]float64{"RL4": 0.6667}},
		"no cost":       {func(r *records.Record) { r.Metrics.EstimatedCostUSD = nil }, map[string]float64{"RL5": 0, "A2": 0}},
		"a lost child":  {func(r *records.Record) { r.Steps[2].ParentStep = nil }, map[string]float64{"RL6": 0}},
		"no model":      {func(r *records.Record) { r.Steps[2].Model = nil }, map[string]float64{"RL8": 0.6667}},
		"no cache":      {func(r *records.Record) { r.Metrics.CacheHitRate = nil }, map[string]float64{"A1": 0}},
		"no duration":   {func(r *records.Record) { r.Metrics.TotalDurationS = nil }, map[string]float64{"A3": 0}},
		"no times":      {func(r *records.Record) { r.Steps[0].Timestamp = nil }, map[string]float64{"A4": 0.75}},
		"no sums":       {func(r *records.Record) { r.Metrics.TotalOutputTokens = 0 }, map[string]float64{"A5": 0}},
		"unknown model": {func(r *records.Record) { r.Agent.Model = nil }, map[string]float64{"A6": 0}},
		"wrong count":   {func(r *records.Record) { r.Metrics.TotalSteps = 9 }, map[string]float64{"A7": 0}},
		"no warmup": {func(r *records.Record) {
			r.Steps[3].CallType = new(records.CallSubagent)
			r.Steps[3].ParentStep = new(1)
		},
			map[string]float64{"T10": -1, "A8": -1}},
		"no language": {func(r *records.Record) { r.Environment.LanguageEcosystem = nil }, map[string]float64{"D1": 0}},
		"no deps":     {func(r *records.Record) { r.Dependencies = nil }, map[string]float64{"D2": 0}},
		"no git":      {func(r *records.Record) { r.Environment.VCS.Type = records.VCSNone }, map[string]float64{"D4": 0}},
		"plain text":  {func(r *records.Record) { r.Steps[1].Snippets[0].Language = nil }, map[string]float64{"D5": 0}},
		"no version":  {func(r *records.Record) { r.Agent.Version = nil }, map[string]float64{"D7": 0}},
		"no system":   {func(r *records.Record) { r.Environment.OS = nil }, map[string]float64{"D8": 0}},
	} {
		r := complete()
		c.damage(r)
		for id, got := range shares(r) {
			want, named := c.want[id]
			if !named {
				want = 1
			}
			if math.Abs(got-want) > 0.001 {
				t.Errorf("%s: %s is %v, want %v", name, id, got, want)
			}
		}
	}
}

func TestTheGateAsksForTwoStepsAndACall(t *testing.T) {
	t.Parallel()
	r := complete()
	r.Steps = r.Steps[1:2]
	if quality.MeetsGate(r) {
		t.Error("one step passes")
	}
	r = complete()
	r.Steps[1].ToolCalls = nil
	if quality.MeetsGate(r) {
		t.Error("no call passes")
	}
	if report := quality.Assess(&records.Record{}); report.Gate || len(report.Scores) != 4 {
		t.Errorf("an empty record: %+v", report)
	}
}

func TestRecordsOfEveryParserAreJudged(t *testing.T) {
	t.Parallel()
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
		for _, score := range quality.Assess(r).Scores {
			if math.IsNaN(score.Score) || score.Score < 0 || score.Score > 100 {
				t.Errorf("%s: %s %v", name, score.Persona, score.Score)
			}
		}
	}
}
