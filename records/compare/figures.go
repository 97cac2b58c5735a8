package compare

import (
	"maps"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/records"
)

// Figures has the totals of a conversation.
type Figures struct {
	Prompts int      `json:"prompts"`
	Answers int      `json:"answers"` // number of answers of the model, including subagents
	Calls   int      `json:"calls"`   // without subagents
	Failed  int      `json:"failed"`  // calls that failed
	Input   int64    `json:"input"`   // tokens that were neither read from a cache nor written to one
	Output  int64    `json:"output"`
	Cached  int64    `json:"cached"`   // tokens read from a cache
	Seconds *float64 `json:"seconds"`  // seconds from the first to the last line of the session file; null if unknown
	CostUSD *float64 `json:"cost_usd"` // null if a price is unknown
	Files   int      `json:"files"`    // the number of files for which its calls declare edits
}

func figures(r *records.Record, actions [][]*Action) Figures {
	f := Figures{Prompts: len(actions) - 1, Input: r.Metrics.TotalInputTokens, Output: r.Metrics.TotalOutputTokens,
		Cached: r.Metrics.TotalCacheReadTokens}
	if r.Metrics.TotalDurationS != nil {
		f.Seconds = new(float64(*r.Metrics.TotalDurationS))
	}
	f.CostUSD, _, _ = r.Cost()
	for i := range r.Steps {
		if r.Steps[i].Role == records.RoleAgent {
			f.Answers++
		}
	}
	files := map[string]bool{}
	for _, a := range flat(actions) {
		if a.Of != Call {
			continue
		}
		if f.Calls++; a.Failed {
			f.Failed++
		}
		for _, e := range a.edits {
			files[e.Path] = true
		}
	}
	f.Files = len(files)
	return f
}

// files compares the lines that the calls of both conversations declare, file by file, whatever the step. All files
// together count as one action.
func (r *Result) files(a, b []*Action) {
	first, second := declaredLines(a), declaredLines(b)
	for _, name := range slices.Sorted(maps.Keys(first)) {
		if other, has := second[name]; !has || !maps.Equal(first[name], other) {
			r.Files = append(r.Files, name)
		}
	}
	for name := range second {
		if _, has := first[name]; !has {
			r.Files = append(r.Files, name)
		}
	}
	slices.Sort(r.Files)
	if len(first)+len(second) == 0 {
		return
	}
	if r.Actions++; len(r.Files) == 0 {
		r.Equal++
	} else {
		r.Drifts = append(r.Drifts, Drift{Kind: OtherFiles})
	}
}

// declaredLines returns, for each file and line, how often successful calls added the line, minus how often they
// deleted it. If a file is written as a whole, its counts start again.
func declaredLines(actions []*Action) map[string]map[string]int {
	out := map[string]map[string]int{}
	for _, a := range actions {
		if a.Failed {
			continue
		}
		for _, e := range a.edits {
			lines := out[e.Path]
			if lines == nil || e.Whole || e.Deletes {
				lines = map[string]int{}
				out[e.Path] = lines
			}
			if e.Deletes {
				lines["\x00deleted"] = 1
			}
			count(lines, e.Old, -1)
			count(lines, e.New, 1)
		}
	}
	return out
}

func count(lines map[string]int, text string, by int) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if lines[line] += by; lines[line] == 0 {
			delete(lines, line)
		}
	}
}
