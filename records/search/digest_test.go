package search

import (
	"cmp"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/records"
)

func TestPromptsBehindTheLastNumberedOneAreTheNextOfTheLog(t *testing.T) {
	t.Parallel()
	text := "go on"
	user, agent := records.Step{Role: records.RoleUser, Content: &text}, records.Step{Role: records.RoleAgent}
	answered := []records.Step{user, agent, user, user, agent}
	for name, test := range map[string]struct {
		held       string
		count, end int
		steps      []records.Step
	}{
		"all are numbered":                        {`{"1":1,"2":3,"3":4}`, 3, 3, answered},
		"the file told of two before their hooks": {`{"1":1}`, 3, 3, answered},
		"the log began after the first":           {`{"1":3}`, 2, 2, answered},
		"none is":                                 {`{}`, 0, 0, answered},
		"two wait for an answer":                  {`{"1":1,"2":3}`, 3, 1, []records.Step{user, agent, user, user}},
		"the last two wait, unnumbered":           {`{"1":1}`, 3, 1, []records.Step{user, agent, user, user}},
	} {
		r := &records.Record{Steps: test.steps, Metadata: map[string]json.RawMessage{"prompts": json.RawMessage(test.held)}}
		if d := digest(r); d.Prompts != 3 || d.HeldPrompts != test.count || d.LastPrompt != test.end {
			t.Errorf("%s: %d prompts, %d of the log, the last %d; want %d, %d", name, d.Prompts, d.HeldPrompts, d.LastPrompt, test.count, test.end)
		}
	}
}

func TestATitleOfTheSessionFileIsKept(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{`"Fix the tests"`: "Fix the tests", `{"a":1}`: "", `7`: "", ``: ""} {
		r := &records.Record{Metadata: map[string]json.RawMessage{"title": json.RawMessage(raw)}}
		if d := digest(r); d.Name != want {
			t.Errorf("title %s is kept as %q, want %q", raw, d.Name, want)
		}
	}
}

func TestAPatchNamesItsFiles(t *testing.T) {
	t.Parallel()
	const patch = `*** Begin Patch\n*** Update File: path_cache.go\n@@\n-a\n+b\n*** Add File: cache/new.go\n+c\n*** End Patch`
	for input, want := range map[string][]string{
		`{"input":"` + patch + `"}`:                         {"path_cache.go", "cache/new.go"},
		`{"command":["apply_patch","` + patch + `"]}`:       {"path_cache.go", "cache/new.go"},
		`{"cmd":"apply_patch <<'EOF'\n` + patch + `\nEOF"}`: {"path_cache.go", "cache/new.go"},
		`{"command":"echo '*** Update File: a.go'"}`:        nil,
		`{"file_path":"a.go","content":"*** not a patch"}`:  {"a.go"},
		`{"cmd":"ls"}`: nil,
	} {
		if got := patched(json.RawMessage(input)); !slices.Equal(got, want) {
			t.Errorf("%s names %q, want %q", input, got, want)
		}
		text := textOf(&records.Step{ToolCalls: []records.ToolCall{{ToolName: "t", Input: json.RawMessage(input)}}})
		for _, path := range want {
			if !strings.Contains(text, fileMark+path) {
				t.Errorf("%s is not found by its file %s", input, path)
			}
		}
	}
}

// The best are the first of all, in the order of all.
func TestTheBestAreTheFirstOfAll(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(21, 2))
	for range 50 {
		var all []match
		for i := range 1 + rng.IntN(100) {
			all = append(all, match{place: place{i / 40, uint32(i % 40)}, score: float64(rng.IntN(6))})
		}
		order := best(slices.Clone(all), len(all))
		if !slices.IsSortedFunc(order, func(a, b match) int { return cmp.Compare(b.score, a.score) }) {
			t.Fatalf("%v is not sorted", order)
		}
		for most := range len(all) + 1 {
			if got := best(slices.Clone(all), most); !slices.Equal(got, order[:most]) {
				t.Fatalf("the best %d: %v, want %v", most, got, order[:most])
			}
		}
	}
}

// A match keeps its best steps, of equal ones the first.
func TestAMatchKeepsItsBestSteps(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(21, 3))
	for range 200 {
		var m match
		var all []scored
		for i := range rng.IntN(9) {
			s := scored{uint32(i), float64(rng.IntN(5))}
			all = append(all, s)
			m.take(s)
		}
		slices.SortStableFunc(all, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
		if want := all[:min(len(all), mostHits)]; !slices.Equal(m.steps[:m.kept], want) {
			t.Fatalf("got %v, want %v", m.steps[:m.kept], want)
		}
	}
}
