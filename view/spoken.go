package view

import (
	"slices"
	"time"

	"github.com/git-trace/git-trace/agents/recorder"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records"
)

// spokenPrompt is a prompt of a record.
type spokenPrompt struct {
	number int // number in the log; 0 if it is older than the log's first prompt
	text   string
	at     *time.Time // nil if the record does not have it
}

// conversationSteps holds the prompts of a record in their order, and for each step the preceding prompt.
type conversationSteps struct {
	record  *records.Record
	prompts []spokenPrompt
	follows []int // number of prompts until then, by step
}

// spoken gives the prompts of a record their numbers in the log. If the log has none of them, they are counted from 1.
// Prompts after the last one in the log get the next numbers.
func spoken(record *records.Record) *conversationSteps {
	s := &conversationSteps{record: record, follows: make([]int, len(record.Steps))}
	known := map[int]int{} // numbers by step
	for prompt, step := range recorder.PromptSteps(record) {
		known[step-1] = prompt
	}
	last := 0
	for i := range record.Steps {
		step := &record.Steps[i]
		number := known[i]
		delete(known, i)
		if number > 0 || step.Asks() {
			if number == 0 && len(known) == 0 {
				number = last + 1
			}
			last = max(last, number)
			at := timeOf(records.Value(step.Timestamp))
			s.prompts = append(s.prompts, spokenPrompt{number, records.Value(step.Content), at})
		}
		s.follows[i] = len(s.prompts)
	}
	s.numberEarlier()
	return s
}

// PromptNumbers returns the numbers of the prompts of a record, by the step that begins each.
func PromptNumbers(record *records.Record) map[int]int {
	s, out, before := spoken(record), map[int]int{}, 0
	for i, n := range s.follows {
		if n > before && s.prompts[n-1].number > 0 {
			out[i+1] = s.prompts[n-1].number
		}
		before = n
	}
	return out
}

// numberEarlier counts the prompts before the first one in the log, if the log's numbers leave room for them.
func (s *conversationSteps) numberEarlier() {
	first := slices.IndexFunc(s.prompts, func(p spokenPrompt) bool { return p.number > 0 })
	if first < 0 || s.prompts[first].number != first+1 {
		return
	}
	for i := range s.prompts[:first] {
		s.prompts[i].number = i + 1
	}
}

// number returns the number of the prompt that a step followed.
func (s *conversationSteps) number(step int) int {
	if n := s.follows[step]; n > 0 {
		return s.prompts[n-1].number
	}
	return 0
}

func timeOf(stamp string) *time.Time {
	at, err := time.Parse(time.RFC3339Nano, stamp)
	if err != nil {
		return nil
	}
	at = at.UTC()
	return &at
}

// join adds the calls that are only in the record, and gives the others their step.
func (s *conversationSteps) join(calls []Call, held []Anchored) []Call {
	places := make(map[string]int, len(calls))
	for i := len(calls) - 1; i >= 0; i-- {
		places[calls[i].ToolCall] = i
	}
	for i := range s.record.Steps {
		step := &s.record.Steps[i]
		for k := range step.ToolCalls {
			call := &step.ToolCalls[k]
			if at, known := places[call.ToolCallID]; known {
				calls[at].Step, calls[at].follows = i+1, s.follows[i]
				continue
			}
			c := Call{
				ToolCall: call.ToolCallID, Tool: call.ToolName, Prompt: s.number(i), follows: s.follows[i], Step: i + 1,
				Model: records.Value(step.Model), Status: "done",
				Opened: timeOf(records.Value(step.Timestamp)),
				Paths:  []string{}, Files: []FileChange{}, Patches: []events.PatchID{},
				Limits: []events.Limit{},
			}
			if result := step.Result(call.ToolCallID); result != nil && records.Value(result.Error) != "" {
				c.Status = "failed"
			}
			if text, path := MainArgument(call.Input); path {
				c.Paths = append(c.Paths, text)
			}
			c.holds(held)
			places[c.ToolCall] = len(calls)
			calls = append(calls, c)
		}
	}
	return calls
}
