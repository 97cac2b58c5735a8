// Package waste finds unnecessary text in the context of a conversation: long results, files and searches with the same
// result as before, and commands that failed repeatedly, with their solution.
//
// It uses only the record. A result is a repetition only if the same call had the same result earlier, and that result
// was still in the context. Tokens are estimated at four bytes each and counted once: the cost of keeping them in the
// context of later answers is unknown. Subagents have separate contexts and are left out.
package waste

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/compare"
)

// Kind is a kind of waste.
type Kind string

// The kinds of waste.
const (
	Large       Kind = "large_output"
	ReadAgain   Kind = "read_again"
	SearchAgain Kind = "search_again"
	FailedAgain Kind = "failed_again"
)

// The thresholds of findings.
const (
	largeTokens = 8000
	leastTokens = 50 // tokens of a repeated result
	tokenBytes  = 4
	manyFails   = 3 // failures of one command; two are enough if nothing was edited until the loop ended
)

// Finding is unnecessary text in the context.
type Finding struct {
	Kind    Kind     `json:"kind"`
	Step    int      `json:"step"`
	Call    string   `json:"call"`
	Name    string   `json:"name"`   // name of the tool
	What    string   `json:"what"`   // the file, the pattern or the command
	Of      *int     `json:"of"`     // the step with the same result; for a loop its first failure; null for a long output
	Times   int      `json:"times"`  // number of failures of a loop
	Passed  *int     `json:"passed"` // step at which the command of a loop succeeded; null if it never did
	Tokens  int64    `json:"tokens"` // estimated
	CostUSD *float64 `json:"cost_usd"`
}

// Result is the waste of a conversation.
type Result struct {
	Findings []Finding `json:"findings"`
	Tokens   int64     `json:"tokens"`
	CostUSD  *float64  `json:"cost_usd"` // null if one of the prices is unknown
}

// Cost returns the cost of tokens of a model, if its price is known.
type Cost func(model string, usage records.TokenUsage) (usd float64, known bool)

// finder reads a conversation once.
type finder struct {
	cost  Cost
	out   []Finding
	seen  map[string]earlier // calls whose results are in the context, by key
	loops map[string]*loop
	edits int
}

type earlier struct {
	step    int
	content string
}

// loop is a command that fails repeatedly.
type loop struct {
	first  *compare.Action
	last   *compare.Action // the last failure
	times  int
	edits  int // the number of edits before the first failure
	tokens records.TokenUsage
	model  string
}

// `Of` finds the waste of a conversation. If `cost` is nil, all costs are unknown.
func Of(r *records.Record, cost Cost) *Result {
	f := &finder{cost: cost, seen: map[string]earlier{}, loops: map[string]*loop{}}
	compacted := slices.Sorted(maps.Keys(r.Summaries())) // the context was replaced after these steps
	for _, a := range compare.Calls(r) {
		for len(compacted) > 0 && compacted[0] < a.Step {
			compacted = compacted[1:]
			clear(f.seen)
		}
		if a.Step < 1 || a.Step > len(r.Steps) {
			continue
		}
		step := &r.Steps[a.Step-1]
		if result := step.Result(a.Call); result != nil {
			f.call(a, step, result)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(f.loops)) {
		f.end(f.loops[key], nil)
	}
	slices.SortStableFunc(f.out, func(a, b Finding) int { return a.Step - b.Step })
	out := &Result{Findings: f.out, CostUSD: new(float64)}
	for i := range f.out {
		one := &f.out[i]
		out.Tokens += one.Tokens
		if one.CostUSD == nil || out.CostUSD == nil {
			out.CostUSD = nil
			continue
		}
		*out.CostUSD += *one.CostUSD
	}
	if out.Findings == nil {
		out.Findings = []Finding{}
	}
	return out
}

func (f *finder) call(a *compare.Action, step *records.Step, result *records.Observation) {
	content, failure := records.Value(result.Content), records.Value(result.Error)
	tokens := int64(len(content)+tokenBytes-1) / tokenBytes
	model := records.Value(step.Model)
	if a.Does() == "edit" || a.Does() == "write" {
		f.edits++
	}
	switch failure {
	case records.ErrorRejected, records.ErrorInterrupted, records.ErrorNoResult: // caused by the person, or unknown
		return
	case "":
		if l := f.loops[a.Key()]; l != nil {
			delete(f.loops, a.Key())
			f.end(l, &a.Step)
		}
	default:
		f.failed(a, step, tokens, model)
		return
	}
	before, known := f.seen[a.Key()]
	f.seen[a.Key()] = earlier{a.Step, content}
	one := Finding{Step: a.Step, Call: a.Call, Name: a.Name, What: a.What}
	switch kind := repeats(a); {
	case known && kind != "" && before.content == content && tokens >= leastTokens:
		one.Kind, one.Of = kind, &before.step
	case tokens >= largeTokens:
		one.Kind = Large
	default:
		return
	}
	f.add(one, model, records.TokenUsage{InputTokens: tokens})
}

// `failed` records a failure. In a loop, the inputs and outputs of all failures but the first are waste.
func (f *finder) failed(a *compare.Action, step *records.Step, tokens int64, model string) {
	l := f.loops[a.Key()]
	if l == nil {
		f.loops[a.Key()] = &loop{first: a, last: a, times: 1, edits: f.edits, model: model}
		return
	}
	l.times, l.last = l.times+1, a
	l.tokens.InputTokens += tokens
	l.tokens.OutputTokens += step.TokenUsage.OutputTokens / int64(len(step.ToolCalls))
}

// `end` ends a loop. The parameter `passed` is the step at which the command succeeded, or nil.
func (f *finder) end(l *loop, passed *int) {
	if l.times >= manyFails || l.times == 2 && l.edits == f.edits {
		f.add(Finding{Kind: FailedAgain, Step: l.last.Step, Call: l.last.Call, Name: l.first.Name, What: l.first.What,
			Of: &l.first.Step, Times: l.times, Passed: passed}, l.model, l.tokens)
	}
}

func (f *finder) add(one Finding, model string, usage records.TokenUsage) {
	one.Tokens = usage.InputTokens + usage.OutputTokens
	if f.cost != nil && model != "" {
		if usd, known := f.cost(model, usage); known {
			one.CostUSD = &usd
		}
	}
	f.out = append(f.out, one)
}

// `repeats` returns the kind of waste for a second identical read or search; "" for other calls.
func repeats(a *compare.Action) Kind {
	switch a.Does() {
	case "read":
		return ReadAgain
	case "search", "glob":
		return SearchAgain
	case "shell":
		program, _, _ := strings.Cut(a.What, " ")
		switch program {
		case "cat", "head", "tail", "sed", "nl", "less":
			return ReadAgain
		case "grep", "rg", "egrep", "ag", "find", "fd", "ls", "tree":
			return SearchAgain
		}
	}
	return ""
}

// Words returns the kind in plain words.
func (k Kind) Words() string {
	words := map[Kind]string{Large: "long output", SearchAgain: "searched again"}
	return cmp.Or(words[k], strings.ReplaceAll(string(k), "_", " "))
}

// Way describes what a finding repeats, or how a loop ended. The function `name` returns the name of a step.
func (f *Finding) Way(name func(step int) string) string {
	switch {
	case f.Of == nil:
		return ""
	case f.Kind != FailedAgain:
		return "as in " + name(*f.Of)
	case f.Passed != nil:
		return fmt.Sprintf("%d times since %s, ran well in %s", f.Times, name(*f.Of), name(*f.Passed))
	}
	return fmt.Sprintf("%d times since %s, never ran well", f.Times, name(*f.Of))
}
